"""Diagnostics in a Neovim under test: set like a server's, read as the host reads them."""

from pathlib import Path
from typing import Any

from claude_ide.editor.diagnostics import Reader
from claude_ide.editor.editor import Editor
from support.chats_here import TestedNeovim
from support.chunks import chunk
from support.neovim import Neovim

SET = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""


# Like those of rust-analyzer, with all the fields that a language server adds.
SET_MANY = chunk("diagnostics/set_many")


def reader_of(nvim: Neovim) -> Reader:
    """Return a reader of a Neovim, which has got the rules about private files."""
    editor = Editor(TestedNeovim(nvim))
    editor.private_files.refresh()
    return editor.reader


async def edit(nvim: Neovim, path: Path, text: str = "one\ntwo\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def of_all(nvim: Neovim) -> dict[str, list[Any]]:
    """Return all diagnostics by path."""
    _, found = await reader_of(nvim).read(False)
    return {path: known.items for path, known in found.items()}


async def of_file(nvim: Neovim, path: Path) -> list[Any]:
    """Return all diagnostics of one file."""
    _, found = await reader_of(nvim).read(str(path))
    return [item for known in found.values() for item in known.items]
