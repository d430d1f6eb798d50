"""The review in a Neovim under test: its list as the host shows it, and its remarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.neovim import Neovim, until

SHOW = "return require('claude_ide.review.list').show('Claude', ..., 0)"


def hunk(path: Path, row: int, diff: Sequence[str] = ()) -> dict[str, Any]:
    """Return a line of the list for a hunk at a row, 0-based."""
    label = "+1 \N{MINUS SIGN}1  text"
    return {"path": str(path), "row": row, "label": label, "diff": [*diff], "group": ""}


async def show(nvim: Neovim, *hunks: dict[str, Any]) -> None:
    """Show a list in the quickfix window, and enter that."""
    await nvim.lua(SHOW, [*hunks])


async def send_remark(nvim: Neovim, command: str) -> None:
    """Add a remark with a `:ClaudeComment`, and send it unchanged."""
    await nvim.command(command)
    await until(lambda: nvim.eval("claude_ide#review().remarks"), "the remark")
    await nvim.command("ClaudeReview send")
    await until(lambda: nvim.eval("&buftype == 'acwrite'"), "the prompt")
    await nvim.keys("<Esc>:w<CR>")
