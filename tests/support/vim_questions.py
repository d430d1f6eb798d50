"""Steps that the tests of one-off requests in Vim share; `support.headless` has more."""

from pathlib import Path

from support.vim import Vim


async def file_of(vim: Vim, path: Path, text: list[str]) -> Path:
    """Write a file, and edit it."""
    path.write_text("\n".join(text) + "\n")
    await vim.command(f"edit {path}")
    return path
