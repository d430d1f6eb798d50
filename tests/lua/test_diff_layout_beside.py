"""`diff/windows.lua`: the user's work next to a diff is kept."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.diffs import Diffs, everything
from support.layouts import prepare
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")


OLD = "".join(f"line {number}\n" for number in range(1, 101))


NEW = OLD.replace("line 50\n", "LINE 50\n").replace("line 9\n", "line 9\nline 9½\n")


LAYOUTS = ["tab", "vertical", "horizontal", "inline"]


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_user_in_another_window_stays_there_when_a_diff_closes(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit b.txt")
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":tabnew<CR>:edit c.txt<CR>")
    await until(lambda: nvim.eval("bufname() ==# 'c.txt'"))
    win = await nvim.eval("win_getid()")

    await nvim.lua("require('claude_ide.diff').accept(1)")

    await diffs.closed(id_)
    assert await nvim.eval("win_getid()") == win
    assert await nvim.eval("tabpagenr('$')") == 2


async def test_a_user_who_left_a_diff_and_returned_ends_up_where_they_began(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("edit b.txt")
    win = await nvim.eval("win_getid()")
    await nvim.command("vsplit")
    await nvim.command("wincmd p")
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gtgt")
    await until(lambda: nvim.eval("tabpagenr() == 2"))

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("win_getid()") == win or await nvim.eval("tabpagenr()") == 1


async def test_windows_that_the_user_opens_next_to_a_diff_stay(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys(":split c.txt<CR>")
    await until(lambda: nvim.eval("bufname() ==# 'c.txt'"))

    await nvim.lua("require('claude_ide.diff').decide(false)")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$'), winnr('$'), bufname()]") == [
        2,
        2,
        1,
        "c.txt",
    ]


async def test_windows_resized_during_a_diff_keep_their_sizes(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["set noequalalways", "edit a.txt", "botright split b.txt", "resize 6"])
    await nvim.command("wincmd p")
    id_ = await diffs.open(path, NEW, "vertical")
    await nvim.keys("<C-w>b:resize 9<CR><C-w>t")
    await until(lambda: nvim.eval("winheight(winnr('$')) == 9 && winnr() == 1"))

    await nvim.lua("require('claude_ide.diff').decide(false)")

    await diffs.closed(id_)
    assert await nvim.eval("winheight(winnr('$'))") == 9


async def test_windows_resized_in_the_original_tabpage_keep_their_sizes(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["edit a.txt", "split b.txt", "resize 5"])
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gt:resize 9<CR>gt")
    await until(lambda: nvim.eval("tabpagenr() == 2"))

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("winheight(1)") == 9


async def test_an_empty_buffer_of_the_user_is_not_removed_as_a_leftover(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    before = await prepare(nvim, [])
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":1buffer<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), bufexists(1), bufnr()]") == [2, 1, 1]
    await nvim.keys(":tabclose<CR>")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    assert (await everything(nvim))["tabpages"][0]["layout"] == before["tabpages"][0]["layout"]


async def test_resizing_the_screen_during_a_diff_leaves_a_valid_layout(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["edit a.txt", "split b.txt", "resize 20"])
    id_ = await diffs.open(path, NEW)
    await nvim.request("nvim_ui_try_resize", 60, 15)
    await until(lambda: nvim.eval("&columns == 60"))

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    rows = await nvim.eval("map(range(1, winnr('$')), 'winheight(v:val)')")
    assert sum(rows) == 15 - 1 - 2
    assert await nvim.eval("&cmdheight") == 1


TREE = """
vim.cmd('topleft 12vnew')
vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'hide', false
vim.cmd('wincmd p')
"""


BUFDELETE = chunk("diff_layout_beside/bufdelete")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keys", [":e #<CR>", "<C-^>", ":b a.txt<CR>", ":call Bufdelete()<CR>"])
async def test_opening_the_file_in_the_proposal_window_rejects_without_a_trace(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str, keys: str
) -> None:
    await nvim.lua("_G.bufdelete = loadstring(...)", BUFDELETE)
    await nvim.command("function! Bufdelete() abort\nlua _G.bufdelete()\nendfunction")
    await prepare(nvim, ["edit b.txt", "edit a.txt", "split b.txt"])
    before = await nvim.eval("[winlayout(), win_getid(), &diff]")
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(keys)

    assert not (await diffs.decision(id_))["accepted"]
    await diffs.closed(id_)
    assert await nvim.eval("[winlayout(), win_getid(), &diff]") == before
    assert await nvim.eval("tabpagenr('$')") == 1
    assert not await nvim.eval("getwinvar(2, '&diff') || getwinvar(2, '&scrollbind')")


async def test_another_file_opened_in_the_proposal_window_stays_open(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["edit c.txt", "edit b.txt"])
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":b c.txt<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$'), bufname(), &diff]") == [2, 1, "c.txt", 0]


@pytest.mark.parametrize("is_in_it", [True, False])
@pytest.mark.parametrize("float_", [True, False])
@pytest.mark.parametrize("decision", ["accept(1)", "close(...)"])
async def test_a_tree_next_to_the_diff_closes_with_the_tabpage(
    nvim: Neovim, diffs: Diffs, path: Path, is_in_it: bool, float_: bool, decision: str
) -> None:
    await prepare(nvim, ["edit b.txt"])
    win = await nvim.eval("win_getid()")
    id_ = await diffs.open(path, NEW)
    await nvim.lua(TREE)
    if float_:
        await nvim.lua(
            "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false,"
            " { relative = 'editor', row = 1, col = 1, width = 9, height = 1 })"
        )
    if is_in_it:
        await nvim.keys("<C-w>t")
        await until(lambda: nvim.eval("winnr() == 1"))

    await nvim.lua(f"require('claude_ide.diff').{decision}", id_)

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), win_getid()]") == [1, win]


@pytest.mark.parametrize(
    "kept", ["split c.txt", "terminal", "help", "tabnew | tabprevious | copen"]
)
async def test_a_tabpage_with_other_work_of_the_user_stays_open(
    nvim: Neovim, diffs: Diffs, path: Path, kept: str
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.lua(TREE)
    await nvim.command("split | set nodiff" if kept == "terminal" else "echo")
    await nvim.command(kept)
    tabs = await nvim.eval("tabpagenr('$')")

    await nvim.lua("require('claude_ide.diff').accept(1)")

    await diffs.closed(id_)
    assert await nvim.eval("tabpagenr('$')") == tabs - ("copen" in kept)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("leave", ["qall", "qall!", "tabfirst | qall"])
async def test_a_session_saved_on_exit_contains_no_diff(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path, layout: str, leave: str
) -> None:
    await nvim.command("autocmd VimLeavePre * mksession! session.vim")
    await prepare(nvim, ["edit a.txt", "split b.txt"])
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(f":{leave}<CR>")

    assert not (await diffs.decision(id_))["accepted"]
    await until(lambda: (project / "session.vim").exists())
    await nvim.process.wait()
    session = (project / "session.vim").read_text()
    assert "tabnew" not in session
    assert "Claude" not in session
    assert "setlocal fdm=diff" not in session and "foldmethod=diff" not in session
