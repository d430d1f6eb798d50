"""Waits for diagnostics in a Neovim under test, after files have been written."""

import asyncio
from pathlib import Path
from typing import Any

from claude_ide.editor.checks import CheckWaiter
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.binding import convert
from claude_ide.editor.port.diagnostics import Checks
from support.chats_here import TestedNeovim
from support.neovim import Neovim, until

LONG_SECONDS = 60.0
RECENT = (
    "require('claude_ide.disk_changes.reload').sync()"
    " return require('claude_ide.diagnostics.texts').recent()"
)
LINT = "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ...)"
ODD = [{"lnum": 0, "col": 0, "message": "odd"}]


class Waits:
    """The host's waits for the checks of buffers in a Neovim."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        self._published = CheckWaiter(Editor(TestedNeovim(nvim)).port)
        self._running: list[asyncio.Task[bool]] = []

    async def write(self, path: Path, text: str) -> list[int]:
        """Write as the CLI does, and have Neovim reload; return the buffers that need a check."""
        new = path.with_name("claude.tmp")
        new.write_text(text, encoding="utf-8")
        new.replace(path)
        return await self.unsettled()

    async def unsettled(self) -> list[int]:
        """Have Neovim reload; return the buffers that need a check."""
        return self._published.unsettled(convert(await self._nvim.lua(RECENT), Checks))

    async def begin(self, bufnrs: list[int], seconds: float = LONG_SECONDS) -> None:
        """Start to wait for the diagnostics of some buffers."""
        self._running.append(asyncio.create_task(self._published.wait(bufnrs, seconds)))
        await asyncio.sleep(0)

    async def are_going_on(self) -> bool:
        """Return whether none of the waits is over."""
        await self._nvim.idle(150)
        return not any(each.done() for each in self._running)

    async def done(self) -> bool:
        """Wait until all waits are over; return whether nothing was left pending by any."""
        running, self._running = self._running, []
        return all(await asyncio.wait_for(asyncio.gather(*running), LONG_SECONDS / 2))

    async def stop(self) -> None:
        """Stop to wait."""
        for each in self._running:
            each.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


async def edit(nvim: Neovim, path: Path, text: str = "one\n") -> int:
    """Write and edit a file; return its buffer."""
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return int(await nvim.eval("bufnr()"))


async def messages(nvim: Neovim, bufnr: int) -> list[str]:
    """Return the messages of a buffer's diagnostics."""
    found: list[Any] = await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )
    return [str(each) for each in found]


async def wait_for_messages(nvim: Neovim, bufnr: int, *wanted: str) -> None:
    """Wait until a buffer's diagnostics have exactly these messages."""

    async def are_there() -> bool:
        return await messages(nvim, bufnr) == [*wanted]

    await until(are_there, f"the diagnostics are {wanted}")
