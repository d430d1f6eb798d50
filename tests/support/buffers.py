"""Files in a Neovim under test, and calls of `file/buffers.lua` and `editors/open_editors.lua`."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim

TRICKY_NAMES = [
    "plain.txt",
    "sp ace.txt",
    "br[ac]ket.txt",
    "st*r.txt",
    "qu?stion.txt",
    "com,ma.txt",
    "ü#%.txt",
]
"""Names of files with characters that are special in patterns or on the command line."""


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    """Call a function of `file/buffers.lua`, as the host does."""
    return await nvim.lua(f"return require('claude_ide.file.buffers').{function}(...)", *arguments)


async def open_editors(nvim: Neovim, function: str) -> Any:
    """Call a function of `editors/open_editors.lua`, as the host does."""
    return await nvim.lua(f"return require('claude_ide.editors.open_editors').{function}()")


async def edit(nvim: Neovim, path: Path) -> None:
    await nvim.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))


def write(path: Path, text: str = "one\ntwo\n") -> Path:
    path.write_text(text, encoding="utf-8")
    return path
