"""A session of the real CLI that is longer than a transcript."""

from pathlib import Path

import pytest

from support.claude_cli import wait_until_saved
from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel
from support.session_files import lengthen, session_file

TURNS = 2_200
EARLIER = "… earlier"


@pytest.fixture
async def long(nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path) -> Panel:
    """A resumed session with 2,200 turns."""
    api.script([text("The first answer.")])
    await panel.send("The first question")
    await panel.shows("── ")
    await wait_until_saved("The first answer.", config_folder)
    await panel.end()
    lengthen(session_file(config_folder, "The first answer."), TURNS)
    await nvim.command("ClaudeChat continue")
    await panel.shows(f"Answer {TURNS}")
    await panel.wait_until_ready()
    return panel


async def _first_question(panel: Panel) -> int:
    """Return the number of the first question; 0 for the one that was really asked."""
    lines = (await panel.look())["lines"]
    first = next(line for line in lines if line.startswith("» "))
    return 0 if first == "» The first question" else int(first.removeprefix("» Question "))


async def test_the_conversation_above_is_shown_in_portions_until_its_beginning(
    nvim: Neovim, long: Panel
) -> None:
    first = await _first_question(long)
    assert first > 500

    while first:
        assert (await long.look())["lines"][0] == EARLIER
        assert await long.go_to(EARLIER)
        await nvim.keys("<CR>")

        async def is_shown(before: int = first) -> bool:
            return await _first_question(long) < before

        await until(is_shown, "an earlier question")
        first = await _first_question(long)

    async def is_whole() -> bool:
        lines = (await long.look())["lines"]
        questions = [line for line in lines if line.startswith("» ")]
        asked = ["» The first question", *(f"» Question {n}" for n in range(1, TURNS + 1))]
        return questions == asked and EARLIER not in lines

    await until(is_whole, "every question once")


async def test_the_lines_on_screen_stay_when_earlier_ones_are_shown(
    nvim: Neovim, long: Panel
) -> None:
    first = await _first_question(long)
    assert await long.go_to(EARLIER)
    row: int = await until(lambda: _row(nvim, f"» Question {first}"), "the first one")

    await nvim.keys("<CR>")

    await until(lambda: _row(nvim, f"{first - 1}.9") == row - 2, "a line replaces it")
    assert _row(nvim, f"» Question {first}") == row
    assert await nvim.eval("line('.') == line('w0')"), "the cursor stays in its row"


def _row(nvim: Neovim, words: str) -> int | None:
    """Return the row of the screen that shows `words`."""
    rows = nvim.screen.text().splitlines()
    return next((number for number, row in enumerate(rows) if words in row), None)


async def test_an_export_has_the_whole_conversation(
    nvim: Neovim, long: Panel, project: Path
) -> None:
    await nvim.command("stopinsert | ClaudeChat export all.md")

    await until((project / "all.md").exists, "the file")
    await until(lambda: "wrote all.md" in nvim.screen.text(), "the message")
    lines = (project / "all.md").read_text().splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    questions = [f"## Question {number}" for number in range(1, TURNS + 1)]
    assert headings == ["## The first question", *questions]
    assert f"Answer {TURNS}" in lines
