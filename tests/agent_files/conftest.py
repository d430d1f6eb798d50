"""A file, and an agent that reads and writes it through a real Neovim."""

from pathlib import Path

import pytest

from support.agent_files import FILE, OLD, Here
from support.neovim import Neovim


@pytest.fixture
async def here(
    nvim: Neovim, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Here:
    # A host has the home directory of its editor.
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    here = Here(nvim, project)
    await nvim.lua("require('claude_ide.disk_changes.watch').watch('chats', true)")
    await nvim.lua("require('claude_ide.timing.moment').notice_typing(true)")
    return here


@pytest.fixture
def path(project: Path) -> Path:
    path = project / FILE
    path.write_text(OLD)
    return path


@pytest.fixture
async def opened(here: Here, path: Path) -> Path:
    """A file that the current window shows."""
    await here.nvim.command(f"edit {path}")
    return path


@pytest.fixture
async def unsaved(here: Here, opened: Path) -> Path:
    """A file with an unsaved line at its end."""
    await here.nvim.command("call append('$', 'mine')")
    return opened
