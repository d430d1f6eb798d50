"""Files that Claude writes while they are open in a Neovim under test."""

from pathlib import Path
from typing import Any

from support.disk_changes import watch
from support.neovim import Neovim, until

MODULE = "require('claude_ide.disk_changes.reload')"


def write(path: Path, text: str) -> None:
    """Write as the CLI does: rename a new file."""
    new = path.with_name("claude.tmp")
    new.write_text(text)
    new.replace(path)


async def expect(nvim: Neovim, path: Path) -> None:
    await nvim.lua(f"{MODULE}.expect(...)", str(path))
    if not nvim.events("files_loaded"):
        await watch(nvim)


async def expect_briefly(nvim: Neovim, path: Path) -> None:
    """Expect a write for half a second."""
    await watch(nvim)
    await nvim.lua(f"{MODULE}.comes_within = 500")
    await expect(nvim, path)


async def sync(nvim: Neovim) -> list[int]:
    bufnrs: list[int] = await nvim.lua(f"return {MODULE}.sync()")
    return bufnrs


async def text(nvim: Neovim, path: Path) -> str:
    lines = await nvim.lua("return vim.fn.getbufline(vim.fn.bufnr(...), 1, '$')", str(path))
    return "".join(f"{line}\n" for line in lines)


async def shows(nvim: Neovim, path: Path, wanted: str) -> None:
    async def is_shown() -> bool:
        return await text(nvim, path) == wanted

    await until(is_shown, f"the buffer of {path.name} follows")


async def state(nvim: Neovim) -> Any:
    """Return the option and the autocommands that are set while a write is expected."""
    return await nvim.lua(
        "return { vim.fn.execute('setlocal autoread?'),"
        " #vim.api.nvim_get_autocmds({ event = { 'FileChangedShell', 'BufWriteCmd' } }) }"
    )


async def messages(nvim: Neovim) -> str:
    found: str = await nvim.eval("execute('messages')")
    return found
