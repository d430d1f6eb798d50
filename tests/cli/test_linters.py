"""New findings of linter plugins after an edit reach the model with the edit's outcome."""

from pathlib import Path

import pytest

from support.fake_api import FakeApi, edit, tool_use
from support.linters import ale, findings, nvim_lint
from support.neovim import Neovim, until

from .conftest import StartClaude, serve

PLUGINS = {"nvim-lint": (nvim_lint, "lua require('lint').try_lint()"), "ALE": (ale, "ALELint")}

LATER = 3
"""Requests after that with the edit's outcome."""


@pytest.fixture
def path(project: Path) -> Path:
    """A text file with a word that a linter reports."""
    file = project / "a.txt"
    file.write_text("one wrong\ntwo\n")
    return file


@pytest.mark.parametrize("plugin", ["nvim-lint", "ALE"])
@pytest.mark.parametrize("elsewhere", ["", "enew", "split | terminal cat"])
async def test_a_request_after_an_edit_includes_a_linters_new_findings(
    nvim: Neovim,
    start_claude: StartClaude,
    api: FakeApi,
    config_folder: Path,
    path: Path,
    plugin: str,
    elsewhere: str,
) -> None:
    load, check = PLUGINS[plugin]
    await load(nvim)
    await nvim.command("set hidden")
    port = await serve(nvim, config_folder, path)
    claude = await start_claude("--permission-mode", "acceptEdits", ide_port=port)
    await claude.shows("⧉ In a.txt")
    await nvim.command(check)
    await until(lambda: findings(nvim, 1))
    await nvim.command(elsewhere)
    # A linter that a busy machine delays is too late for the first request.
    (*turns, end) = edit(path, "two", "a second wrong", then="All done.")
    api.script(*turns, *([tool_use("Read", file_path=str(path))] for _ in range(LATER)), end)

    await claude.prompt("Err")
    await claude.shows("● All done.")

    after = [each.new_text for each in api.requests[2:]]
    assert len([each for each in after if "✘ [Line 2:1] a second wrong" in each]) == 1
    assert not [each for each in after if "one wrong (" in each]
