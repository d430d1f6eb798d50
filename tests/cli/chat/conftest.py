"""A Neovim with the chat panel of the real CLI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import environment
from support.fake_api import FakeApi
from support.language_client import attach_to_every_text_file
from support.neovim import Neovim
from support.panel import Panel


@pytest.fixture
async def nvim(
    cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[Neovim]:
    """A Neovim whose child processes use the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder) | {"CLAUDE_CODE_MAX_RETRIES": "1"}
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=120, rows=40)
    yield neovim
    await neovim.stop()


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path) -> Panel:
    """A chat next to the file at `path`."""
    await nvim.command(f"edit {path}")
    return await Panel.open(nvim, [cli], mode="default")


@pytest.fixture
async def words(nvim: Neovim, panel: Panel, project: Path) -> Path:
    """A file with old errors that is not open, in a chat whose edits need no permission."""
    await attach_to_every_text_file(nvim)
    await nvim.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    path = project / "real" / "words.txt"
    path.parent.mkdir()
    path.write_text("one\na wrong two\n")
    return path
