"""After a diff in Vim everything is as it was before: windows, views, buffers, options."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import BUFFERS, answer, are_shown, ask
from support.vim_layouts import LAYOUTS, arrange, gone, state


@LAYOUTS
@pytest.mark.parametrize("target", ["b.txt", "c.txt", "new.txt"])
@pytest.mark.parametrize("keys", [":w<CR>", ":q<CR>", "<C-w>p:ClaudeAccept<CR>", ""])
async def test_all_is_as_before(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path, target: str, keys: str
) -> None:
    (project / "c.txt").write_text("".join(f"line {number}\n" for number in range(1, 100)))
    await arrange(vim)
    before = await state(vim)

    asked = ask(vim_client, project / target, "line 1\nnew\n")
    await are_shown(vim)
    during = await vim.eval("[tabpagenr('$'), winnr('$')]")
    if keys:
        await vim.keys(keys)
    else:
        await vim_client.call("closeAllDiffTabs")
    await answer(asked)
    await gone(vim)
    # The file may have been loaded to be checked, which lasts longer.
    await vim.call("claude_ide#diagnostics#unopened#Release")

    after = await state(vim)
    assert after == before
    assert during[0] == 3 or config == "horizontal"


@pytest.mark.parametrize("config", ["vertical", "horizontal"], indirect=True)
async def test_a_split_shows_the_diff_beside_the_file(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "b.txt"
    path.write_text("one\ntwo\n")
    await vim.command("edit b.txt")
    win = await vim.eval("win_getid()")

    asked = ask(vim_client, path, "one\nTWO\n")
    await are_shown(vim)

    kind, leaves = await vim.eval("winlayout()")
    assert kind == ("row" if config == "vertical" else "col")
    assert leaves[0] == ["leaf", win]
    assert await vim.eval("[tabpagenr('$'), line('.'), getwinvar(1, '&diff')]") == [1, 2, 1]
    await vim.keys(":w<CR>")
    await answer(asked)
    await until(lambda: vim.eval("winnr('$') == 1"))


@pytest.mark.parametrize("config", ["vertical"], indirect=True)
async def test_a_narrow_window_makes_it_a_tabpage(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("vsplit")

    ask(vim_client, project / "new.txt", "one\n")
    await are_shown(vim)

    assert await vim.eval("tabpagenr('$')") == 2


@pytest.mark.parametrize("config", ["vertical", "horizontal"], indirect=True)
async def test_a_window_gets_its_folds_and_options_back_while_the_user_is_in_another_tab(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await arrange(vim)
    before = await state(vim)
    asked = ask(vim_client, project / "b.txt", "line 1\nnew\n")
    await are_shown(vim)

    await vim.keys(":tabnext<CR>")
    await vim_client.call("closeAllDiffTabs")
    await answer(asked)
    await gone(vim)
    await vim.keys("gT")
    await vim.call("claude_ide#diagnostics#unopened#Release")

    # The window of CTRL-W p can be set in the current tabpage only.
    other = {"tabs": (), "windows": ()}
    assert await state(vim) | other == before | other


@LAYOUTS
async def test_q_in_the_users_only_window_leaves_them_there(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    path = project / "b.txt"
    path.write_text("one\n")
    await vim.command("edit b.txt")

    asked = ask(vim_client, path, "two\n")
    await are_shown(vim)
    await vim.keys("ZQ")

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && winnr('$') == 1 && !&diff"))
    assert await vim.eval("bufname()") == "b.txt"


@LAYOUTS
@pytest.mark.parametrize("bufhidden", ["", "delete"])
async def test_a_hidden_buffer_stays_loaded_with_its_undo_history(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path, bufhidden: str
) -> None:
    path = project / "b.txt"
    path.write_text("one\n")
    await vim.command("set nohidden | edit b.txt | call setline(1, 'two') | silent write")
    await vim.command("hide edit c.txt")
    await vim.command(f"call setbufvar('b.txt', '&bufhidden', '{bufhidden}')")

    asked = ask(vim_client, path, "three\n")
    await are_shown(vim)
    await vim.keys(":q<CR>")
    await answer(asked)
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && winnr('$') == 1"))

    assert await vim.eval("getbufvar('b.txt', '&bufhidden')") == bufhidden
    await vim.command("buffer b.txt | silent undo")
    assert await vim.eval("getline(1)") == "one"
