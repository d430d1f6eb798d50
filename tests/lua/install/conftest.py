"""Neovims without a Python environment, and the packages for creating one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.installations import StartNeovim
from support.installs import only_from, tools
from support.neovim import Neovim
from support.wheels import wheels


@pytest.fixture(scope="session")
def packages() -> Path:
    """A folder that serves as the package index."""
    return wheels()


@pytest.fixture
def environment(packages: Path, tmp_path: Path) -> dict[str, str]:
    """A PATH with only Python and uv, which find only `packages`."""
    return {"PATH": tools(tmp_path / "bin")} | only_from(packages, tmp_path)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The folder for the plugin's own environment."""
    return tmp_path / "home/data/nvim/claude_ide/venv"


@pytest.fixture
async def start_neovim(
    project: Path, tmp_path: Path, environment: dict[str, str]
) -> AsyncIterator[StartNeovim]:
    """Start Neovims without options of the plugin, with only `environment`."""
    async with AsyncExitStack() as running:

        async def start(*options: str) -> Neovim:
            neovim = await Neovim.start(
                *(options or ["--cmd", "unlet g:claude_ide"]),
                cwd=project,
                home=tmp_path / "home",
                env=environment,
            )
            running.push_async_callback(neovim.stop)
            return neovim

        yield start


@pytest.fixture
async def nvim(start_neovim: StartNeovim) -> Neovim:
    """A Neovim without a Python environment."""
    return await start_neovim()
