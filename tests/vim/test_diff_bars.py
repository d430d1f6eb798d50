"""The status lines of a diff in Vim, which show the file and the keys."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import BUFFERS, propose

LIKE_LIGHTLINE = (
    "autocmd WinEnter,BufEnter * for n in range(1, winnr('$'))"
    " | call setwinvar(n, '&statusline', '[of a plugin]') | endfor"
)
LINES = "range(1, winnr('$'))->map({_, n -> getwinvar(n, '&statusline')})"


@pytest.fixture
async def user(vim: Vim, project: Path) -> Vim:
    """A user with a status line, who edits a file."""
    (project / "a.txt").write_text("one\n")
    for command in (
        "set laststatus=2 statusline=[of\\ the\\ user]",
        "let g:claude_ide.diff = {'layout': 'horizontal'}",
        "edit a.txt",
    ):
        await vim.command(command)
    return vim


async def test_a_plugin_does_not_replace_the_bars(
    user: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await user.command(LIKE_LIGHTLINE)
    await propose(user, vim_client, project / "a.txt", "two\n")
    await user.keys("<C-w>k")
    assert await user.eval("winnr()") == 1

    await until(lambda: ":w accept" in user.screen.text(), "the keys are shown")
    assert "[of a plugin]" not in user.screen.text()
    await user.keys("<C-w>j:q<CR>")
    await until(lambda: user.eval(f"{BUFFERS} == 0 && winnr('$') == 1"))
    await user.keys(":split<CR>")
    assert await user.eval(LINES) == ["[of a plugin]"] * 2
    assert not await user.eval("exists('#claude_ide_diff_bars#SafeState')")


async def test_a_window_split_off_a_diff_has_the_users_status_line(
    user: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await propose(user, vim_client, project / "a.txt", "two\n")
    await user.keys("<C-w>k:split<CR>")
    await until(lambda: user.eval("winnr('$') == 3"))
    await until(lambda: "[of the user]" in user.screen.text(), "the status line of the split")
    await user.keys("<C-w>b:q<CR>")
    await until(lambda: user.eval(f"{BUFFERS} == 0 && winnr('$') == 2"))

    assert await user.eval(LINES) == ["[of the user]"] * 2
