"""`headless/rewrite.lua`: lines are marked, found again, and replaced as one change."""

import pytest

from support.either_editor import on_screen
from support.neovim import Neovim, until
from support.refining import with_end

LINES = ["same", "x", "same", "y"]


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim whose host is this test."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.request("nvim_buf_set_lines", 0, 0, -1, True, LINES)
    return nvim


async def begin(nvim: Neovim, command: str) -> int:
    """Run a command; return the id of its question."""
    count = len(nvim.events("question_asked"))
    await nvim.command(command)
    asked = await until(lambda: nvim.events("question_asked")[count:])
    return int(asked[0]["id"])


async def propose(nvim: Neovim, id_: int, text: str) -> str:
    """Show the lines of Claude's answer; return the proposed text of the whole buffer."""
    proposal = {"text": with_end(text), "title": "Claude", "layout": "tab"}
    show = "return require('claude_ide.headless.rewrite').show(7, ...)"
    assert await nvim.lua(show, id_, proposal) is None
    await until(lambda: nvim.events("diff_shown"))
    return "".join(f"{line}\n" for line in await nvim.eval("getline(1, '$')"))


async def accept(nvim: Neovim) -> None:
    await nvim.keys(":w<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def lines(nvim: Neovim) -> list[str]:
    got: list[str] = await nvim.eval("getline(1, '$')")
    return got


@pytest.mark.parametrize(
    ("command", "first", "last"),
    [("ClaudeEdit x", 0, 4), ("2,3ClaudeEdit x", 1, 3), ("%ClaudeEdit x", 0, 4)],
)
async def test_the_range_is_sent_with_the_question(
    nvim: Neovim, command: str, first: int, last: int
) -> None:
    await begin(nvim, command)

    [asked] = nvim.events("question_asked")
    assert (asked["first"], asked["last"], asked["text"]) == (first, last, "\n".join(LINES))
    assert asked["instruction"] == "x"
    assert asked["name"] == "[No Name]"


async def test_the_mark_shows_progress_and_disappears_at_the_end(nvim: Neovim) -> None:
    id_ = await begin(nvim, "2ClaudeEdit x")
    await nvim.lua("require('claude_ide.headless').update(...)", id_, {"progress": "thinking…"})

    await on_screen(nvim, "x  Claude is rewriting (thinking…)")
    await nvim.lua("require('claude_ide.headless').finish(...)", id_, {})
    await until(lambda: "rewriting" not in nvim.screen.text())


async def test_the_marked_lines_are_replaced_rather_than_equal_ones(nvim: Neovim) -> None:
    id_ = await begin(nvim, "3ClaudeEdit x")
    await nvim.command("1copy 0")
    await nvim.command("2delete")
    await nvim.command("2copy 2")

    proposed = await propose(nvim, id_, "other")

    assert proposed == "same\nx\nx\nother\ny\n"


async def test_lines_are_found_after_the_whole_text_was_set_again(nvim: Neovim) -> None:
    """A formatter replaces the text like this, which removes all marks."""
    id_ = await begin(nvim, "2ClaudeEdit x")
    await nvim.request("nvim_buf_set_lines", 0, 0, -1, True, ["new", *LINES])

    assert await propose(nvim, id_, "z") == "new\nsame\nz\nsame\ny\n"


async def test_a_line_that_was_added_below_the_range_is_kept(nvim: Neovim) -> None:
    id_ = await begin(nvim, "2,3ClaudeEdit x")
    await nvim.command("call append(3, 'below') | call append(1, 'above')")

    assert await propose(nvim, id_, "z\n") == "same\nabove\nz\nbelow\ny\n"


async def test_a_change_to_other_lines_while_the_diff_is_shown_is_kept(nvim: Neovim) -> None:
    id_ = await begin(nvim, "2ClaudeEdit x")
    await propose(nvim, id_, "z")
    await nvim.command("call setbufline(1, 4, 'mine')")

    await accept(nvim)

    assert await lines(nvim) == ["same", "z", "same", "mine"]


async def test_a_change_to_the_same_lines_while_the_diff_is_shown_is_not_overwritten(
    nvim: Neovim,
) -> None:
    id_ = await begin(nvim, "2ClaudeEdit x")
    await propose(nvim, id_, "z")
    await nvim.command("call setbufline(1, 2, 'mine')")

    await accept(nvim)

    await on_screen(nvim, "the lines have changed")
    assert await lines(nvim) == ["same", "mine", "same", "y"]
    assert await nvim.eval("getbufline(bufnr('$'), 1, '$')") == ["same", "z", "same", "y"]


async def test_a_buffer_that_has_become_nomodifiable_is_not_changed(nvim: Neovim) -> None:
    id_ = await begin(nvim, "2ClaudeEdit x")
    await propose(nvim, id_, "z")
    await nvim.command("call setbufvar(1, '&modifiable', 0)")

    await accept(nvim)

    await on_screen(nvim, "this buffer is read-only")
    assert await lines(nvim) == LINES


async def test_a_readonly_buffer_is_changed_without_a_prompt(nvim: Neovim) -> None:
    await nvim.command("set readonly")
    id_ = await begin(nvim, "2ClaudeEdit x")
    await propose(nvim, id_, "z")

    await accept(nvim)

    assert await lines(nvim) == ["same", "z", "same", "y"]
    assert (await nvim.mode()) == {"mode": "n", "blocking": False}


async def test_the_cursor_and_marks_below_stay_on_their_lines(nvim: Neovim) -> None:
    await nvim.command("4mark a | 4")
    id_ = await begin(nvim, "2ClaudeEdit x")
    await propose(nvim, id_, "z\nz\nz")

    await accept(nvim)

    assert await nvim.eval("[line(\"'a\"), line('.')]") == [6, 6]


async def test_a_rewrite_without_an_instruction_asks_for_one(nvim: Neovim) -> None:
    await nvim.keys(":2ClaudeEdit<CR>")
    await until(lambda: "Edit with Claude:" in nvim.screen.text())
    await nvim.keys("shout<CR>")

    [asked] = await until(lambda: nvim.events("question_asked"))
    assert (asked["instruction"], asked["first"], asked["last"]) == ("shout", 1, 2)
