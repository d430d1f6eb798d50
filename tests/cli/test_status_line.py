"""The real CLI in a terminal: Neovim's status line shows what it does, and the user's own stays."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import CARET, environment
from support.fake_api import FakeApi, edit, tool_use
from support.happenings import follow, happened, names
from support.neovim import Neovim, until
from support.panel import CONFIGURE
from support.terminal import PATIENCE

from .conftest import diff_opened, serve

STATUS = "return require('claude_ide').statusline()"
OURS = "send_status"
REPORTING = "set laststatus=2 statusline=%{%claude_ide#statusline()%}"
OLD = "197"


@pytest.fixture
async def nvim(
    each_cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path, path: Path
) -> AsyncIterator[Neovim]:
    """A Neovim that shows `path`; its CLIs use the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=160, rows=40)
    await neovim.lua(CONFIGURE, {"cmd": [str(each_cli)]})
    await neovim.command(REPORTING)
    await serve(neovim, config_folder, path)
    yield neovim
    await neovim.stop()


async def begin(nvim: Neovim) -> None:
    """Open a CLI in a terminal that asks before it edits."""
    await nvim.keys(":Claude --permission-mode default<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box", PATIENCE)
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected", PATIENCE)


async def shows(nvim: Neovim, words: str) -> None:
    """Wait until the status line on the screen begins with these words."""
    await until(lambda: f"Claude: {words}" in nvim.screen.text(), f"{words!r} is shown", PATIENCE)


async def test_the_states_and_figures_of_a_turn_are_shown(
    nvim: Neovim, api: FakeApi, path: Path, config_folder: Path
) -> None:
    own = "sed 's/.*\"session_id\".*/the own line/'"
    line = {"type": "command", "command": own, "padding": 3}
    (config_folder / "settings.json").write_text(json.dumps({"statusLine": line}))
    api.script(*edit(path, "two", "TWO", then="All done."))
    await shows(nvim, "ready")
    await begin(nvim)
    await until(lambda: "   the own line" in nvim.screen.text(), "the user's own", PATIENCE)
    await shows(nvim, "idle · Opus")

    await nvim.keys("Shout")
    await until(lambda: "Shout" in nvim.screen.text(), "the prompt is typed", PATIENCE)
    await nvim.keys("<CR>")
    await shows(nvim, "working · Opus")
    await diff_opened(nvim)
    await shows(nvim, "wants you · Opus")
    await nvim.keys(":write<CR>")

    await shows(nvim, "idle · Opus")
    await until(lambda: path.read_text() == "one\nTWO\n", "the CLI writes the file", PATIENCE)
    await until(lambda: "%%" in nvim.screen.text() or "% · $" in nvim.screen.text(), "", PATIENCE)
    await until(lambda: "the own line" in nvim.screen.text(), "the user's own", PATIENCE)


async def test_an_interrupted_turn_is_over(nvim: Neovim, api: FakeApi) -> None:
    await follow(nvim)
    for number in (1, 2):
        api.script([tool_use("Bash", command="sleep 20", description="Wait")])
        if number == 1:
            await begin(nvim)
        await nvim.keys(f"Wait {number}")
        await until(lambda: f"Wait {number}" in nvim.screen.text(), "typed", PATIENCE)  # noqa: B023
        await nvim.keys("<CR>")
        await until(lambda: names(nvim).count("ClaudeToolStart") == number, "", PATIENCE)  # noqa: B023
        await shows(nvim, "working")
        await until(lambda: "sleep 20" in nvim.screen.text(), "the command runs", PATIENCE)

        await nvim.keys("<Esc>")

        await shows(nvim, "idle")
        await until(lambda: names(nvim).count("ClaudeTurnEnd") == number, "", PATIENCE)  # noqa: B023
    assert {data["reason"] for _, data in happened(nvim) if "reason" in data} == {"interrupted"}


async def test_without_an_own_line_the_terminal_shows_what_it_did_before(
    nvim: Neovim, each_cli: Path, api: FakeApi
) -> None:
    await begin(nvim)
    below = below_the_box(nvim)

    assert below.partition("│")[2].strip(), "there is no empty row"
    if OLD in str(each_cli):
        await shows(nvim, "idle · Opus")
        assert OURS in await arguments(nvim)
    else:
        assert OURS not in await arguments(nvim)
        await shows(nvim, "idle")


def below_the_box(nvim: Neovim) -> str:
    """Return the first line below the prompt box."""
    lines = nvim.screen.text().splitlines()
    last = max(row for row, line in enumerate(lines) if "─" * 20 in line)
    return lines[last + 1]


async def arguments(nvim: Neovim) -> str:
    """Return the command line of the CLI."""
    pid = await nvim.eval("b:terminal_job_pid")
    return Path(f"/proc/{pid}/cmdline").read_text()
