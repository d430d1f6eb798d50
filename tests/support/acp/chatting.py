"""Chats with fake agents in a real Neovim, used with keys."""

from collections.abc import Awaitable, Callable
from typing import Any

from support.acp.script import Fake
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel

Start = Callable[[Fake], Awaitable[Panel]]
TRUST = "? Trust "


async def begin_chat(nvim: Neovim, fake: Fake, **options: Any) -> Panel:
    """Open a chat with an agent, in a folder that the user then trusts."""
    agents = {"fake": {"cmd": [*fake.command]}}
    await nvim.lua(CONFIGURE, {"agents": agents, "chat": {"agent": "fake"}, **options})
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.shows(TRUST)
    await press(panel, TRUST, "y")
    await panel.wait_until_ready()
    return panel


async def press(panel: Panel, words: str, key: str) -> None:
    """Press a key on a line of the transcript until the line is gone."""

    async def pressed() -> bool:
        if await panel.go_to(words):
            await panel.nvim.keys(key)
        return words not in await panel.text()

    await until(pressed, f"{key} on {words}")
    await panel.nvim.keys("<Esc>")  # the last one may have come too late, and begun a command


async def open_diffs(nvim: Neovim) -> list[dict[str, Any]]:
    """Return the diffs that wait for the user."""
    return list(await nvim.lua("return require('claude_ide.diff').list()"))


async def diff_is_open(nvim: Neovim, path: str = "") -> None:
    """Wait until a proposal, for a file whose path ends like this, accepts keys."""

    async def shown() -> bool:
        diffs = await open_diffs(nvim)
        return any(diff["shown"] and diff["path"].endswith(path) for diff in diffs)

    await until(shown, f"the diff of {path} is open")
