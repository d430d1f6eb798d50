"""Files in a Neovim under test, and calls of `file/buffers.lua` and `file/open_editors.lua`."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    """Call a function of `file/buffers.lua`, as the host does."""
    return await nvim.lua(f"return require('claude_ide.file.buffers').{function}(...)", *arguments)


async def open_editors(nvim: Neovim, function: str) -> Any:
    """Call a function of `file/open_editors.lua`, as the host does."""
    return await nvim.lua(f"return require('claude_ide.file.open_editors').{function}()")


async def edit(nvim: Neovim, path: Path) -> None:
    await nvim.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))


def write(path: Path, text: str = "one\ntwo\n") -> Path:
    path.write_text(text, encoding="utf-8")
    return path
