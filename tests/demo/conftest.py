"""A Neovim in the demo's project, whose CLI is the demo."""

import sys
from pathlib import Path

import pytest

from demo import scratch
from support.neovim import ROOT, Neovim
from support.panel import CONFIGURE, Panel

DEMO = [sys.executable, "-I", str(ROOT / "tests/demo")]


@pytest.fixture
def shop(project: Path) -> Path:
    """The file that the demo edits."""
    scratch.make(project)
    return project / "shop.py"


@pytest.fixture
async def trying(nvim: Neovim, shop: Path) -> Neovim:
    """A Neovim in which the demo answers."""
    await nvim.lua(CONFIGURE, {"cmd": DEMO})
    await nvim.command(f"edit {shop.name}")
    return nvim


@pytest.fixture
async def panel(trying: Neovim) -> Panel:
    """A chat with the demo."""
    return await Panel.open(trying, DEMO)
