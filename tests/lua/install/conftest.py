"""Editors without a Python environment, and the packages for creating one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.either_editor import Editor
from support.installations import StartEditor, StartNeovim
from support.installs import only_from, tools
from support.neovim import Neovim
from support.vim import Vim
from support.wheels import wheels


@pytest.fixture(scope="session")
def packages() -> Path:
    """A folder that serves as the package index."""
    return wheels()


@pytest.fixture
def environment(packages: Path, tmp_path: Path) -> dict[str, str]:
    """A PATH with only Python and uv, which find only `packages`, and a shell for Vim."""
    return {"PATH": tools(tmp_path / "bin"), "SHELL": "/bin/sh"} | only_from(packages, tmp_path)


@pytest.fixture
def editor_type(request: pytest.FixtureRequest) -> type[Editor]:
    """Neovim, or for `BOTH` also Vim."""
    call = getattr(request.node, "callspec", None)
    if call is not None and call.params.get("nvim") == "vim":
        request.getfixturevalue("vim_program")
        return Vim
    return Neovim


@pytest.fixture
def own(tmp_path: Path, editor_type: type[Editor]) -> Path:
    """The folder for the plugin's own environment."""
    data = tmp_path / "home/data"
    return (data if editor_type is Vim else data / "nvim") / "claude_ide/venv"


@pytest.fixture
async def start_editor(
    project: Path, tmp_path: Path, environment: dict[str, str], editor_type: type[Editor]
) -> AsyncIterator[StartEditor]:
    """Start editors without options of the plugin, with only `environment`."""
    async with AsyncExitStack() as running:

        async def start(*options: str) -> Editor:
            editor = await editor_type.start(
                *(options or ["--cmd", "unlet g:claude_ide"]),
                cwd=project,
                home=tmp_path / "home",
                env=environment,
            )
            running.push_async_callback(editor.stop)
            return editor

        yield start


@pytest.fixture
def start_neovim(start_editor: StartEditor) -> StartNeovim:
    """The same for tests that need Neovim."""

    async def start(*options: str) -> Neovim:
        neovim = await start_editor(*options)
        assert isinstance(neovim, Neovim)
        return neovim

    return start


@pytest.fixture
async def nvim(start_editor: StartEditor) -> Editor:
    """A Neovim, or for `BOTH` also a Vim, without a Python environment."""
    return await start_editor()
