"""Fixtures shared by every test: a project folder and a real Neovim in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.neovim import Neovim


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty folder that the Neovim under test is started in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def nvim(project: Path, tmp_path: Path) -> AsyncIterator[Neovim]:
    """A real Neovim with a UI, in `project`, killed when the test ends."""
    neovim = await Neovim.start(cwd=project, home=tmp_path / "home")
    yield neovim
    await neovim.stop()
