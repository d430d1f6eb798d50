"""Neovims without an environment, and the packages that one is made of."""

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
    """A folder that stands for the package index."""
    return wheels()


@pytest.fixture
def environment(packages: Path, tmp_path: Path) -> dict[str, str]:
    """A PATH with nothing but Python and uv, which find `packages` and nothing else."""
    return {"PATH": tools(tmp_path / "bin")} | only_from(packages, tmp_path)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Where the environment is to be."""
    return tmp_path / "home/data/nvim/claude_ide/venv"


@pytest.fixture
async def start_neovim(
    project: Path, tmp_path: Path, environment: dict[str, str]
) -> AsyncIterator[StartNeovim]:
    """Starts Neovims without any option, which see only what `environment` says."""
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
    """One of them."""
    return await start_neovim()
