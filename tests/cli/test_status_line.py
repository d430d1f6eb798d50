"""The real CLI in a terminal: the status line shows what it does, and the user's own stays."""

import json
import re
from pathlib import Path

import pytest

from support.claude_cli import CARET
from support.either_editor import BOTH_WITH_CLI, Editor, status_line
from support.fake_api import FakeApi, edit, text, tool_use
from support.happenings import follow, happened, names
from support.neovim import until
from support.vim import Vim

from .conftest import diff_opened

OURS = "statusLine"
REPORTING = "set laststatus=2 statusline=%{%claude_ide#statusline()%}"

pytestmark = BOTH_WITH_CLI


@pytest.fixture
async def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor that shows `path` and its status line."""
    await nvim_with_cli.command(REPORTING)
    return nvim_with_cli


async def begin(nvim: Editor) -> None:
    """Open a CLI in a terminal that asks before it edits."""
    await nvim.keys(":Claude --permission-mode default<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")


async def shows(nvim: Editor, words: str) -> None:
    """Wait until the status line on the screen begins with these words."""
    await until(lambda: f"Claude: {words}" in nvim.screen.text(), f"{words!r} is shown")


async def wants_the_user(nvim: Editor) -> None:
    """Wait until the status line says so; in Vim, a diff covers those of its windows."""
    if not isinstance(nvim, Vim):
        await shows(nvim, "wants you · Opus")
        return

    async def is_told() -> bool:
        return (await status_line(nvim)).startswith("Claude: wants you · Opus")

    await until(is_told, "it says so")


async def test_the_states_and_figures_of_a_turn_are_shown(
    nvim: Editor, api: FakeApi, path: Path, config_folder: Path
) -> None:
    own = "sed 's/.*\"session_id\".*/the own line/'"
    line = {"type": "command", "command": own, "padding": 3}
    (config_folder / "settings.json").write_text(json.dumps({"statusLine": line}))
    api.script(*edit(path, "two", "TWO", then="All done."))
    await shows(nvim, "ready")
    await begin(nvim)
    await until(lambda: "   the own line" in nvim.screen.text(), "the user's own")
    await shows(nvim, "idle · Opus")

    await nvim.keys("Shout")
    await until(lambda: "Shout" in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")
    await shows(nvim, "working · Opus")
    await diff_opened(nvim)
    await wants_the_user(nvim)
    await nvim.keys(":write<CR>")

    await shows(nvim, "idle · Opus")
    await until(lambda: path.read_text() == "one\nTWO\n", "the CLI writes the file")
    await until(lambda: "%%" in nvim.screen.text() or "% · $" in nvim.screen.text(), "")
    await until(lambda: "the own line" in nvim.screen.text(), "the user's own")


async def test_an_interrupted_turn_is_over(nvim: Editor, api: FakeApi) -> None:
    await follow(nvim)
    for number in (1, 2):
        api.script([tool_use("Bash", command="sleep 20", description="Wait")])
        if number == 1:
            await begin(nvim)
        await nvim.keys(f"Wait {number}")
        await until(lambda: f"Wait {number}" in nvim.screen.text(), "typed")  # noqa: B023
        await nvim.keys("<CR>")
        await until(lambda: names(nvim).count("ClaudeToolStart") == number, "")  # noqa: B023
        await shows(nvim, "working")
        await until(lambda: "sleep 20" in nvim.screen.text(), "the command runs")

        await nvim.keys("<Esc>")

        await shows(nvim, "idle")
        await until(lambda: names(nvim).count("ClaudeTurnEnd") == number, "")  # noqa: B023
    assert {data["reason"] for _, data in happened(nvim) if "reason" in data} == {"interrupted"}


async def test_without_an_own_line_a_row_shows_the_figures(
    nvim: Editor, each_cli: Path, api: FakeApi
) -> None:
    api.script([text("Hello.")])
    await begin(nvim)

    await until(lambda: row(nvim).startswith("Opus"), "the model is below the box")
    await shows(nvim, "idle · Opus")

    await nvim.keys("Greet")
    await until(lambda: "Greet" in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")
    figures = re.compile(r"Opus [^·]+ · \d+% · \$\d")
    await until(lambda: figures.match(row(nvim)), "the figures follow")


@pytest.mark.parametrize("options", [{"terminal": {"status_line": False}}])
async def test_without_a_row_the_terminal_shows_what_it_did_before(nvim: Editor) -> None:
    await begin(nvim)

    assert row(nvim), "there is no empty row"
    assert OURS not in await arguments(nvim)
    await shows(nvim, "idle")


def row(nvim: Editor) -> str:
    """Return what the CLI shows in the first line below the prompt box."""
    separator = "|" if isinstance(nvim, Vim) else "│"
    return below_the_box(nvim).partition(separator)[2].strip()


def below_the_box(nvim: Editor) -> str:
    """Return the first line below the prompt box."""
    lines = nvim.screen.text().splitlines()
    last = max(row for row, line in enumerate(lines) if "─" * 20 in line)
    return lines[last + 1]


async def arguments(nvim: Editor) -> str:
    """Return the command line of the CLI."""
    job = "job_info(term_getjob(bufnr())).process"
    pid = await nvim.eval(job if isinstance(nvim, Vim) else "b:terminal_job_pid")
    return Path(f"/proc/{pid}/cmdline").read_text()
