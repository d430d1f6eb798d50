"""`chat/transcript/init.lua`: paragraphs that are taller than the window."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.chats import Chats, edit, numbered
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("open_chat")


async def test_no_parser_is_attached_to_the_buffer(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, ["return 1"]), code=[[0, 1, "lua"]])

    assert await nvim.lua(
        "return vim.treesitter.highlighter.active[vim.fn.bufnr('/claude-chat/')] == nil"
    )


def words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(1, count + 1))


async def rows(chats: Chats) -> list[str]:
    """The rows that the transcript's window shows, without the blank ones."""
    await chats.nvim.command("redraw")
    height = (await chats.windows())["transcript"]["height"]
    shown = [line[59:].strip(" │") for line in chats.nvim.screen.lines()[1:height]]
    return [row for row in shown if row]


@pytest.fixture
async def low(project: Path, tmp_path: Path) -> AsyncIterator[Chats]:
    """A chat in 24 lines, whose transcript is 40 columns wide."""
    neovim = await Neovim.start(cwd=project, home=tmp_path / "low", rows=24)
    chats = await Chats.start(neovim)
    await chats.open()
    yield chats
    await neovim.stop()


async def test_the_end_of_a_paragraph_taller_than_the_window_stays_visible(low: Chats) -> None:
    await low.draw(edit(0, 0, ["» question", "", words(160)]))
    shown = await rows(low)
    assert len(shown) == 14
    assert shown[-1].endswith("word160")

    await low.draw(edit(3, 3, ["", "The end of it."]))

    shown = await rows(low)
    assert shown[-1] == "The end of it."
    assert len(shown) == 13
    assert shown[-2].endswith("word160")


async def test_the_end_of_a_growing_answer_stays_visible(low: Chats) -> None:
    await low.draw(edit(0, 0, [words(160), ""]))
    for count in range(10, 131, 10):
        await low.draw(edit(2, 2 if count == 10 else 3, [words(count)]))
        shown = await rows(low)
        assert shown[-1].endswith(f"word{count}")
        assert len(shown) >= 13
    await low.draw(edit(3, 3, ["", "── 3 s"]))

    shown = await rows(low)

    assert shown[-1] == "── 3 s"
    assert len(shown) == 13


async def test_removing_lines_below_a_long_paragraph_leaves_no_gap(low: Chats) -> None:
    await low.draw(edit(0, 0, [words(160), *numbered(6)]))
    assert (await rows(low))[-1] == "line 6"

    await low.draw(edit(2, 7, []))

    shown = await rows(low)
    assert shown[-1] == "line 1"
    assert len(shown) == 14


async def test_a_user_at_the_start_of_a_long_paragraph_is_not_moved(low: Chats) -> None:
    await low.draw(edit(0, 0, [words(160), "", "more"]))
    await low.enter_transcript(1)
    await low.nvim.keys("gg0<C-e><C-e>")
    await until(lambda: low.nvim.eval("winsaveview().skipcol > 0"))
    view = await low.nvim.eval("winsaveview()")

    await low.draw(edit(3, 3, numbered(30)))

    assert await low.nvim.eval("winsaveview()") == view
    await low.nvim.keys("G")
    await until(lambda: low.nvim.eval("line('.') == 33"))
    await low.draw(edit(33, 33, ["the end"]))
    assert (await rows(low))[-1] == "the end"


async def test_a_request_whose_first_rows_are_scrolled_away_counts_as_unseen(low: Chats) -> None:
    await low.draw(edit(0, 0, [words(40), "y n"], parts=[[0, 3, "request"]]))
    await low.enter_transcript(2)
    seen = "return require('claude_ide.chat.transcript').seen(1, 3)"
    await until(lambda: low.nvim.lua(seen), "the whole request is seen")

    await low.nvim.keys("<C-e>")

    await until(lambda: low.nvim.eval("winsaveview().skipcol > 0"))
    assert await low.nvim.lua(seen) == ""
