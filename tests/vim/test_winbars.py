"""The status lines of our windows in Vim, which show what a window is and its keys."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import BUFFERS, answer, propose

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
    assert not await user.eval("exists('#claude_ide_winbar#SafeState')")


@pytest.mark.parametrize("keys", ["", "A"])
async def test_a_callback_of_a_plugin_does_not_replace_the_bars(
    user: Vim, vim_client: ClaudeCode, project: Path, keys: str
) -> None:
    asked = await propose(user, vim_client, project / "a.txt", "two\n")
    await user.keys(keys or "l")
    replace = LIKE_LIGHTLINE.partition("* ")[2].replace("'", "''")
    # At once, because the bars may be back soon.
    assert await user.eval(f"[execute('{replace}'), {LINES}][1]") == ["[of a plugin]"] * 2

    await until(lambda: user.eval(f"index({LINES}, '[of a plugin]') < 0"), "the bars are back")

    await until(lambda: ":w accept" in user.screen.text(), "the keys are shown")
    await user.keys("<Esc>:q<CR>")
    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: user.eval(f"{BUFFERS} == 0 && winnr('$') == 1"))
    assert await user.eval("timer_info()->filter('v:val.time == 300')->len()") == 0


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


async def test_a_plugin_does_not_replace_the_bar_of_another_window_of_ours(
    user: Vim, vim_client: ClaudeCode
) -> None:
    await user.command(LIKE_LIGHTLINE)
    await user.keys(":ClaudeWire<CR>")
    await until(lambda: user.eval("winnr('$') == 2"))
    await user.keys("<C-w>j")
    await until(lambda: user.eval("winnr() == 2"))
    await until(lambda: "zR all" in user.screen.text(), "the keys are shown")

    await user.keys(":enew<CR>")

    await until(lambda: "zR all" not in user.screen.text(), "the window shows something else")
