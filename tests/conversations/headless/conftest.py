"""Fixtures for one-off questions: a real Neovim whose CLI is played by the test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.fake_headless import FakeHeadless
from support.headless import TEXT
from support.neovim import Neovim


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def nvim(nvim: Neovim, claude: FakeHeadless) -> Neovim:
    """A Neovim that starts that CLI."""
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, ...)", {"cmd": claude.command}
    )
    return nvim


@pytest.fixture
async def file(nvim: Neovim, project: Path) -> Path:
    """A file of four lines, open in Neovim."""
    path = project / "a.py"
    path.write_text("\n".join(TEXT) + "\n")
    await nvim.command(f"edit {path}")
    return path
