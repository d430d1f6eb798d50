"""The chat panel of a Neovim under test, used through its screen and keys."""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.neovim import WAIT_SECONDS, Neovim, until

CONFIGURE = """
local options = ...
vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, options)
"""
LOOK = chunk("panel/look")


GO_TO = chunk("panel/go_to")


class Panel:
    """The panel of the chat that was last used."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim

    @classmethod
    async def open(
        cls, nvim: Neovim, cmd: Sequence[str | Path], command: str = "ClaudeChat", **chat: Any
    ) -> "Panel":
        """Start a chat with a CLI, and wait until the CLI answers."""
        options = {"cmd": [str(word) for word in cmd], "chat": chat}
        await nvim.lua(CONFIGURE, options)
        await nvim.command(command)
        panel = cls(nvim)
        await panel.wait_until_ready()
        return panel

    async def wait_until_ready(self, patience: float = WAIT_SECONDS) -> None:
        """Wait until the agent answers, for so many seconds."""

        async def ready() -> bool:
            seen = await self.look()
            return bool(seen.get("bar")) and "starting" not in seen["bar"]

        await until(ready, "the agent answers", patience)

    async def wait_for_chats(self, count: int) -> None:
        """Wait until there are `count` chats, and the agent of the last one answers."""

        async def there() -> bool:
            return (await self.look()).get("count") == count

        await until(there, f"chat {count}")
        await self.wait_until_ready()

    async def look(self) -> dict[str, Any]:
        """Return the panel's state: `lines`, `prompt`, `bar`, `prompt_bar`, `windows`, `count`."""
        seen = await self.nvim.lua(LOOK)
        return dict(seen) if seen else {}

    async def text(self) -> str:
        """Return the transcript."""
        return "\n".join((await self.look()).get("lines", []))

    async def shows(self, words: str) -> str:
        """Wait until the transcript contains `words`; return the transcript."""
        try:
            shown: str = await until(lambda: self._with(words), f"{words!r} is shown")
        except AssertionError as error:
            raise AssertionError(
                f"{error}; shown is\n{json.dumps(await self.look(), indent=1)}"
            ) from None
        return shown

    async def shows_no_more(self, words: str) -> None:
        """Wait until the transcript does not contain `words`."""

        async def gone() -> bool:
            return words not in await self.text()

        await until(gone, f"{words!r} is gone")

    async def bar_shows(self, words: str) -> None:
        """Wait until the transcript's winbar contains `words`."""

        async def shown() -> bool:
            return words in (await self.look()).get("bar", "")

        try:
            await until(shown, f"{words!r} in the bar")
        except AssertionError as error:
            raise AssertionError(f"{error}; shown is\n{json.dumps(await self.look())}") from None

    async def send(self, words: str) -> None:
        """Type `words` into the prompt and send them."""
        await self.write()
        await self.nvim.keys(f"{words.replace('<', '<lt>')}<C-s>")

    async def write(self) -> None:
        """Go to the prompt, in Insert mode."""
        await self.nvim.lua(
            "require('claude_ide.chat.panel').enter_prompt(...)", (await self.look())["id"]
        )

        async def inserting() -> bool:
            filetype = await self.nvim.eval("&filetype")
            return bool((await self.nvim.mode())["mode"] == "i" and filetype == "claude-prompt")

        await until(inserting, "the prompt accepts text")

    async def end(self) -> None:
        """End the chat, and wait until it has no panel."""
        await self.nvim.command("stopinsert | ClaudeChat end")

        async def ended() -> bool:
            return not await self.look()

        await until(ended, "the chat has ended")

    async def go_to(self, words: str) -> bool:
        """Move the cursor to the line of the transcript with `words`; False if there is none."""
        # A key that came too late for a request, such as `y`, may have begun an operator.
        if await self.nvim.eval("mode(1)") in ("i", "no"):
            await self.nvim.keys("<Esc>")
        return bool(await self.nvim.lua(GO_TO, words))

    async def _with(self, words: str) -> str:
        """Return the transcript; empty if it does not contain `words`."""
        text = await self.text()
        return text if words in text else ""


Open = Callable[[str], Awaitable[Panel]]


async def counts(nvim: Neovim, words: str) -> None:
    """Wait until `words` are the status line's whole text about waiting requests."""
    status = "require('claude_ide').statusline()"
    state = f"{status}:gsub(' · .*', ''):gsub('^Claude: %a+', ''):gsub('^ you', '')"
    script = f"return ({state}) == ..."
    await until(lambda: nvim.lua(script, words), f"the status line shows {words!r}")


async def holds(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt"]


async def choose_answer(nvim: Neovim, key: str) -> None:
    """Press a key in the list of answers, once the list accepts keys."""
    await until(lambda: "letter answers" in nvim.screen.text(), "the list of answers")
    await nvim.idle(500)
    await nvim.keys(key)
