"""A file that Neovim edits while it is written elsewhere."""

from pathlib import Path

import pytest

from support.neovim import Neovim


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that is being edited, in a Neovim that would warn about every change."""
    await nvim.command("edit a.txt")
    return path
