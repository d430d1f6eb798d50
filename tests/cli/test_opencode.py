"""The real OpenCode in Neovim's terminal, by the recipe of `:help claude-ide-opencode`."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.fake_api import text
from support.neovim import Neovim, until
from support.real_agents.agent import Desk
from support.real_agents.catalog.node import OPENCODE
from support.real_agents.install import is_installed
from support.real_agents.model import Model
from support.real_agents.start import command, environment

from .conftest import serve

pytestmark = pytest.mark.skipif(
    not is_installed(OPENCODE),
    reason="opencode is not installed: run `make agents AGENTS=opencode`",
)

START_SECONDS = 240.0
"""It is slow to start on a busy machine."""


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    """The stand-in for OpenCode's model."""
    async with Model.serve() as model:
        yield model


async def shows(nvim: Neovim, words: str) -> None:
    """Wait until the screen shows words."""
    await until(lambda: words in nvim.screen.text(), f"{words} is shown", START_SECONDS)


async def test_it_follows_the_selection_and_tells_its_model(
    nvim: Neovim, config_folder: Path, model: Model, project: Path, tmp_path: Path
) -> None:
    model.script([text("I see.")])
    path = project / "a.py"
    path.write_text("one\ntwo\n")
    await serve(nvim, config_folder, path)
    home = tmp_path / "opencode"
    home.mkdir()
    # It knows the folder of the lock files from HOME alone.
    (home / ".claude").symlink_to(config_folder)
    variables = environment(OPENCODE, Desk(home, project, model.url))
    exports = "".join(f"export {name}='{value}'\n" for name, value in variables.items())
    script = tmp_path / "opencode.sh"
    script.write_text(f"{exports}exec '{command(OPENCODE)[0]}'\n")

    await nvim.command(f"terminal env -u CLAUDE_CODE_SSE_PORT sh {script}")
    await shows(nvim, "Ask anything")
    await nvim.keys("<C-\\><C-n>")
    await nvim.command(f"tabnew {path}")
    await nvim.keys("ggjV")
    await nvim.command("tabprevious")
    await shows(nvim, "a.py#")
    await nvim.keys("iWhat is this?")
    await shows(nvim, "What is this?")
    await nvim.keys("<CR>")

    await shows(nvim, "I see.")
    told = [json.dumps(each.body) for each in model.requests]
    assert any("The user selected" in each and "two" in each for each in told)
