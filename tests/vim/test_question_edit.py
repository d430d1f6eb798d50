"""`:ClaudeEdit` in Vim, from the key press to the CLI and into the buffer."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.either_editor import configure, hidden, on_screen
from support.fake_headless import FakeHeadless
from support.headless import TEXT, holds, lines
from support.neovim import until
from support.vim import Vim
from support.vim_questions import file_of


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
async def editing(vim: Vim, claude: FakeHeadless, project: Path) -> Vim:
    """A Vim that starts that CLI, in a file of four lines."""
    await configure(vim, cmd=claude.command)
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


async def test_a_proposed_rewrite_is_no_longer_being_written(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")
    asked = await claude.asked()
    await on_screen(editing, "Claude is rewriting")

    asked.fit({"replacement": "TWO\n"})
    await diff(editing)

    await hidden(editing, "Claude is rewriting")


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

    await on_screen(editing, "claude-ide: these lines are not UTF-8")


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


async def test_an_error_is_reported(editing: Vim, claude: FakeHeadless) -> None:
    await editing.keys(":2ClaudeEdit shout<CR>")

    (await claude.asked()).fail("API Error: 500 overloaded")

    await on_screen(editing, "claude-ide: API Error: 500 overloaded")
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
    await on_screen(editing, "Edit with Claude:")

    await editing.keys(f"x{key}")

    await hidden(editing, "Edit with Claude:")
    assert (await editing.mode()) == {"mode": "n", "blocking": False}


async def test_without_an_argument_the_command_asks_for_an_instruction(
    editing: Vim, claude: FakeHeadless
) -> None:
    await editing.keys("jVj:ClaudeEdit<CR>")
    await on_screen(editing, "Edit with Claude:")
    await editing.keys("shout<CR>")

    asked = await claude.asked()
    assert "shout" in asked.prompt
    assert "<rewrite>\ntwo\nthree\n</rewrite>" in asked.prompt
