"""`:ClaudeEdit` in Vim, from the key press to the CLI and into the buffer."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.fake_headless import FakeHeadless
from support.neovim import until
from support.vim import Vim
from support.vim_questions import answers_with, file_of, hidden, holds, lines, shown

TEXT = ["one", "two", "three", "four"]


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def editing(vim: Vim, claude: FakeHeadless, project: Path) -> Vim:
    """A Vim that starts that CLI, in a file of four lines."""
    await answers_with(vim, claude)
    await file_of(vim, project / "a.py", TEXT)
    return vim


async def diff(vim: Vim) -> None:
    """Wait until a diff is shown and accepts keys."""
    await until(lambda: vim.eval("get(claude_ide#diff#List(), 0, {'shown': 0}).shown"), "a diff")


async def accept(vim: Vim) -> None:
    """Wait for the diff, and accept it."""
    await diff(vim)
    await vim.keys(":w<CR>")
    await closed(vim)


async def closed(vim: Vim) -> None:
    """Wait until the diff is closed."""
    await until(lambda: vim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def test_the_prompt_marks_the_range_in_its_file(
    editing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await editing.keys(":2,3ClaudeEdit shout please<CR>")
    asked = await claude.asked()

    assert "<text>\none\n<rewrite>\ntwo\nthree\n</rewrite>\nfour\n</text>" in asked.prompt
    assert f"{project / 'a.py'} (python)" in asked.prompt
    assert "shout please" in asked.prompt
    await shown(editing, "Claude is rewriting")


async def test_a_proposed_rewrite_is_no_longer_being_written(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    asked = await claude.asked()
    await shown(editing, "Claude is rewriting")

    asked.fit({"replacement": "TWO\n"})
    await diff(editing)

    await hidden(editing, "Claude is rewriting")


async def test_an_accepted_rewrite_is_one_undoable_change(
    editing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>G")
    (await claude.asked()).fit({"replacement": "TWO\nand a half\n"})
    await accept(editing)

    await until(lambda: holds(editing, ["one", "TWO", "and a half", "three", "four"]))
    assert await editing.eval("[&modified, line('.')]") == [1, 5]
    assert (project / "a.py").read_text() == "one\ntwo\nthree\nfour\n"
    await hidden(editing, "rewriting")
    await editing.keys("u")
    await until(lambda: holds(editing, TEXT))


async def test_an_accepted_rewrite_is_written_when_the_user_saves(
    editing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    (await claude.asked()).fit({"replacement": "TWO"})
    await accept(editing)
    await until(lambda: holds(editing, ["one", "TWO", "three", "four"]))

    await editing.keys(":w<CR>")

    await until(lambda: (project / "a.py").read_text() == "one\nTWO\nthree\nfour\n")
    assert (await editing.mode()) == {"mode": "n", "blocking": False}


async def test_nuls_are_rewritten_as_they_are(editing: Vim, claude: FakeHeadless) -> None:
    await editing.call("setline", 2, "t\nwo")
    await editing.keys(":2ClaudeEdit shout<CR>")
    asked = await claude.asked()
    assert "<rewrite>\nt\x00wo\n</rewrite>" in asked.prompt
    asked.fit({"replacement": "T\x00WO"})

    await accept(editing)

    await until(lambda: holds(editing, ["one", "T\nWO", "three", "four"]))


async def test_lines_that_are_not_utf8_are_not_sent(editing: Vim) -> None:
    await editing.command(r'call setline(2, "t\xe4")')

    await editing.keys(":2ClaudeEdit shout<CR>")

    await shown(editing, "claude-ide: these lines are not UTF-8")


async def test_a_rejected_rewrite_changes_nothing(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    (await claude.asked()).fit({"replacement": "TWO"})
    await diff(editing)

    await editing.keys(":q<CR>")

    await closed(editing)
    assert await lines(editing) == TEXT
    assert await editing.eval("&modified") == 0
    await hidden(editing, "rewriting")


async def test_edits_of_the_proposed_text_are_applied(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    (await claude.asked()).fit({"replacement": "TWO"})
    await diff(editing)
    await editing.keys("ggOzero<Esc>Gofive<Esc>")

    await accept(editing)

    await until(lambda: holds(editing, ["zero", "one", "TWO", "three", "four", "five"]))


async def test_the_whole_file_is_rewritten_without_a_range(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":ClaudeEdit shorten<CR>")
    asked = await claude.asked()
    assert "<text>\n<rewrite>\none\n" in asked.prompt
    asked.fit({"replacement": "one\n"})
    await accept(editing)

    await until(lambda: holds(editing, ["one"]))


async def test_a_rewrite_is_applied_to_lines_that_have_moved(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":3ClaudeEdit shout<CR>")
    asked = await claude.asked()
    await editing.keys("ggOzero<Esc>Gofive<Esc>:2d<CR>")
    await until(lambda: holds(editing, ["zero", "two", "three", "four", "five"]))
    asked.fit({"replacement": "THREE"})
    await accept(editing)

    await until(lambda: holds(editing, ["zero", "two", "THREE", "four", "five"]))


async def test_a_rewrite_of_lines_that_have_changed_is_kept_in_a_buffer(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    asked = await claude.asked()
    await editing.keys(":2s/two/2/<CR>")
    asked.fit({"replacement": "TWO"})

    await shown(editing, "the lines have changed; the rewrite is kept in buffer")
    kept = await editing.eval("filter(getbufinfo(), 'v:val.name =~# \"Kept\"')[0].bufnr")
    assert await lines(editing, kept) == ["TWO"]
    assert await lines(editing) == ["one", "2", "three", "four"]


async def test_the_diff_waits_until_the_user_has_left_insert_mode(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>Go")
    (await claude.asked()).fit({"replacement": "TWO"})
    for letter in "five":
        await editing.keys(letter)
        await editing.idle(200)
    assert await editing.eval("tabpagenr('$')") == 1

    await editing.keys("<Esc>")
    await accept(editing)

    await until(lambda: holds(editing, ["one", "TWO", "three", "four", "five"]))


async def test_an_answer_without_changes_is_reported(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")

    (await claude.asked()).fit({"replacement": "two\n"})

    await shown(editing, "claude-ide: Claude suggests no changes")
    await hidden(editing, "rewriting")


async def test_an_error_is_reported(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")

    (await claude.asked()).fail("API Error: 500 overloaded")

    await shown(editing, "claude-ide: API Error: 500 overloaded")
    await hidden(editing, "rewriting")


async def test_claude_edit_with_a_bang_stops_claude(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    asked = await claude.asked()

    await editing.keys(":ClaudeEdit!<CR>")

    await asked.wait_for_end()
    await shown(editing, "claude-ide: stopped")
    await hidden(editing, "rewriting")


async def test_claude_edit_with_a_bang_withdraws_an_open_rewrite(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    (await claude.asked()).fit({"replacement": "TWO"})
    await diff(editing)

    await editing.keys(":ClaudeEdit!<CR>")

    await closed(editing)
    assert await lines(editing) == TEXT


@pytest.mark.parametrize("key", ["<Esc>", "<C-c>"])
async def test_a_cancelled_instruction_leaves_nothing_on_the_screen(editing: Vim, key: str) -> None:
    await editing.keys(":ClaudeEdit<CR>")
    await shown(editing, "Edit with Claude:")

    await editing.keys(f"x{key}")

    await hidden(editing, "Edit with Claude:")
    assert (await editing.mode()) == {"mode": "n", "blocking": False}


async def test_without_an_argument_the_command_asks_for_an_instruction(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys("jVj:ClaudeEdit<CR>")
    await shown(editing, "Edit with Claude:")
    await editing.keys("shout<CR>")

    asked = await claude.asked()
    assert "shout" in asked.prompt
    assert "<rewrite>\ntwo\nthree\n</rewrite>" in asked.prompt
