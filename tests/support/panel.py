"""The chat panel of a Neovim under test, as its user sees and uses it."""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

PATIENCE = 30.0
"""Seconds that a CLI may take on a machine that others use too."""

CONFIGURE = """
local options = ...
vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, options)
"""
LOOK = chunk("panel/look")


GO_TO = chunk("panel/go_to")


class Panel:
    """What the panel of the chat that was used last shows."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim

    @classmethod
    async def open(
        cls, nvim: Neovim, cmd: Sequence[str | Path], command: str = "ClaudeChat", **chat: Any
    ) -> "Panel":
        """Begin a chat with a CLI, and wait until that answers."""
        options = {"cmd": [str(word) for word in cmd], "chat": chat}
        await nvim.lua(CONFIGURE, options)
        await nvim.command(command)
        panel = cls(nvim)
        await panel.is_ready()
        return panel

    async def is_ready(self) -> None:
        """Wait until the agent answers."""

        async def ready() -> bool:
            seen = await self.look()
            return bool(seen.get("bar")) and "starting" not in seen["bar"]

        await until(ready, "the agent answers", PATIENCE)

    async def is_new(self, count: int) -> None:
        """Wait until there are so many chats, and the agent of the last one answers."""

        async def there() -> bool:
            return (await self.look()).get("count") == count

        await until(there, f"chat {count}", PATIENCE)
        await self.is_ready()

    async def look(self) -> dict[str, Any]:
        """Return what is shown: `lines`, `prompt`, `bar`, `prompt_bar`, `windows`, `count`."""
        seen = await self.nvim.lua(LOOK)
        return dict(seen) if seen else {}

    async def text(self) -> str:
        """Return the transcript."""
        return "\n".join((await self.look()).get("lines", []))

    async def shows(self, words: str) -> str:
        """Wait until the transcript shows something; return the transcript."""
        try:
            await until(lambda: self._has(words), f"{words!r} is shown", PATIENCE)
        except AssertionError as error:
            raise AssertionError(
                f"{error}; shown is\n{json.dumps(await self.look(), indent=1)}"
            ) from None
        return await self.text()

    async def shows_no_more(self, words: str) -> None:
        """Wait until the transcript does not show something."""

        async def gone() -> bool:
            return words not in await self.text()

        await until(gone, f"{words!r} is gone", PATIENCE)

    async def bar_shows(self, words: str) -> None:
        """Wait until the transcript's winbar shows something."""

        async def shown() -> bool:
            return words in (await self.look()).get("bar", "")

        try:
            await until(shown, f"{words!r} in the bar", PATIENCE)
        except AssertionError as error:
            raise AssertionError(f"{error}; shown is\n{json.dumps(await self.look())}") from None

    async def say(self, words: str) -> None:
        """Type something into the prompt and send it."""
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

        await until(inserting, "the prompt takes text")

    async def go_to(self, words: str) -> bool:
        """Put the cursor on the line of the transcript that holds something, if it is there."""
        if (await self.nvim.mode())["mode"] == "i":
            await self.nvim.keys("<Esc>")
        return bool(await self.nvim.lua(GO_TO, words))

    async def _has(self, words: str) -> bool:
        return words in await self.text()


Open = Callable[[str], Awaitable[Panel]]


async def counts(nvim: Neovim, words: str) -> None:
    """Wait until the status line says this, and no more, of what waits."""
    status = "require('claude_ide').statusline()"
    said = f"return {status}:gsub('^claude:%d', '') == ..."
    await until(lambda: nvim.lua(said, words), f"the status line says {words!r}", PATIENCE)


async def holds(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt"]
