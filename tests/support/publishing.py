"""Waits for diagnostics in a Neovim under test, after files have been written."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim, until

LONG = 60_000
DONE = [{"token": "it"}]
READ_ALL = "return require('claude_ide.diagnostics').read_all().reloaded"
AWAIT = "require('claude_ide.checking.publishing').await('it', ...)"
LINT = "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ...)"
ODD = [{"lnum": 0, "col": 0, "message": "odd"}]


async def edit(nvim: Neovim, path: Path, text: str = "one\n") -> int:
    """Write and edit a file; return its buffer."""
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return int(await nvim.eval("bufnr()"))


async def write(nvim: Neovim, path: Path, text: str) -> list[int]:
    """Write as the CLI does, and have Neovim reload; return the buffers that need a check."""
    new = path.with_name("claude.tmp")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
    nvim.notifications.clear()
    bufnrs: list[int] = await nvim.lua(READ_ALL)
    return bufnrs


async def await_publish(nvim: Neovim, bufnrs: list[int], milliseconds: int = LONG) -> None:
    """Start to wait for the diagnostics of some buffers."""
    await nvim.lua(AWAIT, bufnrs, milliseconds)


def published(nvim: Neovim) -> list[Any]:
    """Return the events that have ended a wait so far."""
    return nvim.events("diagnostics_published")


async def done(nvim: Neovim) -> Any:
    """Wait for the end of the wait; fail if there are several ends."""
    assert await until(lambda: published(nvim)) == DONE


async def messages(nvim: Neovim, bufnr: int) -> list[str]:
    """Return the messages of a buffer's diagnostics."""
    found: list[str] = await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )
    return found


async def wait_for_messages(nvim: Neovim, bufnr: int, *wanted: str) -> None:
    """Wait until a buffer's diagnostics have exactly these messages."""

    async def are_there() -> bool:
        return await messages(nvim, bufnr) == [*wanted]

    await until(are_there, f"the diagnostics are {wanted}")
