"""What the user sees of the review in a file, beside what else is on the screen."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor
from support.neovim import until
from support.reviews import Agent, make_repository, put, start_cli
from support.vim import Vim

pytestmark = BOTH

LINES = [f"line {number}" for number in range(1, 101)]


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
async def agent(nvim: Editor, path: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in the file, in a repository."""
    put(path, text_of(LINES))
    make_repository(path.parent)
    return Agent(await start_cli(nvim, tmp_path, review={"keys": {"show": "gs"}}), path.parent)


def hunk(nvim: Editor, old: list[str], new: list[str], sign: str = "▎") -> str:
    """Return the rows of a hunk: Vim draws the sign of a line beside what stands above it."""
    rows = [f"  {each}" for each in old] + [f"{sign} {each}" for each in new]
    if isinstance(nvim, Vim) and old:
        rows[0], rows[len(old)] = f"{sign} {old[0]}", f"  {new[0]}"
    return "\n".join(rows)


async def rows(nvim: Editor, *expected: str) -> None:
    """Wait until these rows are on the screen, one below the other."""

    def text() -> str:
        return "\n".join(line.rstrip() for line in nvim.screen.text().split("\n"))

    try:
        await until(lambda: "\n".join(expected) in text(), f"{expected}")
    except AssertionError as error:
        error.add_note(text())
        raise


async def test_the_cursor_stays_visible_when_removed_lines_are_unfolded(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: text_of([*LINES[:10], "changed", *LINES[40:]])})
    folded = hunk(nvim, ["▸ 30 removed lines"], ["changed"])
    await rows(nvim, folded)

    await nvim.keys("gg:11\rgs")
    sign = "  " if isinstance(nvim, Vim) else "▎ "
    await rows(nvim, "  line 40", f"{sign}changed")
    await nvim.keys("gs")
    await rows(nvim, folded)
    assert await nvim.eval("line('.')") == 11


async def test_each_line_of_a_hunk_has_one_sign(nvim: Editor, path: Path, agent: Agent) -> None:
    await nvim.command("silent! set signcolumn=auto:3")
    await agent.write({path: text_of(["1", "line 2", "3", "4", "5", *LINES[5:]])})

    await rows(nvim, hunk(nvim, LINES[:1], ["1"]), "  line 2")
    await rows(nvim, hunk(nvim, LINES[2:5], ["3", "4", "5"]), "  line 6")


async def test_tabs_of_removed_lines_are_as_wide_as_in_the_file(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    put(path, "\ta\tb\nc\n")
    await nvim.command("edit | set tabstop=4")
    await agent.write({path: "A\nc\n"})

    await rows(nvim, hunk(nvim, ["    a   b"], ["A"]), "  c")


async def test_what_stood_above_the_first_line_is_visible(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await nvim.keys("<C-w>sgg8G<C-w>jgg5G")
    await agent.write({path: text_of(LINES[2:])})
    gone = hunk(nvim, LINES[:2], ["line 3"], "▔")
    await rows(nvim, gone)

    await nvim.command("only | enew | edit #")
    await rows(nvim, gone)
