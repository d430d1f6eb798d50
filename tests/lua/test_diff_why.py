"""`diff/winbar.lua`: the window bar says why the agent wants an edit."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.neovim import Neovim

BAR = "nvim_eval_statusline(&winbar, {'winid': win_getid(), 'use_winbar': v:true}).str"
WORDS = "I use a constant, so that the price is in one place."
TELL = "require('claude_ide.diff.winbar').tell(...)"
PID = 77
FIND = f"""
local pane = {{ id = '%1', pid = vim.fn.getpid() }}
vim.fn['claude_ide#terminals#Add']({{ pane = pane, place = {{ side = 'tmux' }}, launch = 'mine' }})
vim.fn['claude_ide#terminals#Connected']({{ {{ {PID}, vim.fn.getpid() }} }})
"""


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim that knows the terminal of one process."""
    await nvim.lua(FIND)
    return nvim


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (280, f"Claude Code a.txt hunk 1/1 {WORDS} :w accept · :q reject · g? keys"),
        (160, "a.txt hunk 1/1 I use a constant, so that the price is… :w accept · :q reject"),
        (120, "Claude Code a.txt I use a constan… :w accept · :q reject"),
        (90, "a.txt I use a const… :w accept · :q reject"),
        (80, "a.txt hunk 1/1 :w accept · :q reject"),
    ],
)
async def test_the_words_get_the_room_that_is_left(
    nvim: Neovim, diffs: Diffs, path: Path, columns: int, shown: str
) -> None:
    await nvim.command(f"set columns={columns}")
    await diffs.open(path, "two\n", pid=PID)

    await nvim.lua(TELL, "mine", str(path), WORDS)

    assert " ".join((await nvim.eval(BAR)).split()) == shown


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (200, "Claude Code a.txt hunk 1/1 It adds. :w accept · gA always · :q reject · g? keys"),
        (150, "Claude Code a.txt hunk 1/1 It adds. :w accept · gA always · :q reject"),
        (120, "Claude Code a.txt It adds. :w yes · gA always · :q no"),
        (108, "Claude Code a.txt It adds. :w accept · :q reject"),
        (60, "a.txt :w accept · :q reject"),
    ],
)
async def test_the_key_for_further_edits_is_shorter_beside_the_words(
    nvim: Neovim, diffs: Diffs, path: Path, columns: int, shown: str
) -> None:
    await nvim.command(f"set columns={columns}")
    id_ = await diffs.open(path, "two\n", pid=PID)
    await nvim.lua(TELL, "mine", str(path), "It adds.")

    await nvim.lua("require('claude_ide.diff').offer(...)", id_, "accept edits")

    assert " ".join((await nvim.eval(BAR)).split()) == shown


async def test_words_on_another_file_or_of_another_cli_are_not_shown(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path
) -> None:
    await nvim.command("set columns=280")
    await nvim.lua(TELL, "mine", str(project / "other.txt"), WORDS)
    await nvim.lua(TELL, "another", str(path), WORDS)
    await diffs.open(path, "two\n", pid=PID)
    assert WORDS not in await nvim.eval(BAR)

    await nvim.lua(TELL, "mine", str(path), "100%{1+1} odd\nwords")
    assert "100%{1+1} odd" in await nvim.eval(BAR)
    await nvim.lua(TELL, "mine", str(path), "")

    assert "odd" not in await nvim.eval(BAR)


@pytest.mark.parametrize("pid", [None, PID + 1])
async def test_an_edit_from_outside_the_terminals_has_no_words(
    nvim: Neovim, diffs: Diffs, path: Path, pid: int | None
) -> None:
    await nvim.command("set columns=280")
    await nvim.lua(TELL, "mine", str(path), WORDS)

    await diffs.open(path, "two\n", pid=pid)

    assert "a.txt hunk 1/1" in " ".join((await nvim.eval(BAR)).split())
    assert WORDS not in await nvim.eval(BAR)
