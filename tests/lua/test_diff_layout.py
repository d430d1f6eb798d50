"""`diff/layout.lua`: a diff comes into sight, and goes without a trace."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs, everything
from support.neovim import Neovim, until

OLD = "".join(f"line {number}\n" for number in range(1, 101))
NEW = OLD.replace("line 50\n", "LINE 50\n").replace("line 9\n", "line 9\nline 9½\n")
LAYOUTS = ["tab", "vertical", "horizontal"]


@pytest.fixture
async def diffs(nvim: Neovim) -> Diffs:
    return await Diffs.start(nvim)


@pytest.fixture
def path(project: Path) -> Path:
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text(OLD)
    return project / "a.txt"


SCENES = {
    "an empty Neovim": [],
    "the file": ["edit a.txt", "normal! 40Gzt5l"],
    "the cursor on the last line of the screen": ["edit a.txt", "normal! 40GzbL$"],
    "a jump list": ["edit a.txt", "normal! 50G", "normal! 70G", "normal! 10G", "edit b.txt"],
    "an alternate file": ["edit b.txt", "edit c.txt", "edit a.txt"],
    "another file": ["edit b.txt", "normal! 30Gzz"],
    "two files beside each other": [
        "edit b.txt",
        "normal! 70Gzt",
        "rightbelow vsplit a.txt",
        "vertical resize 30",
        "normal! 20Gzt",
    ],
    "many windows of odd sizes": [
        "edit b.txt",
        "split a.txt",
        "resize 4",
        "vsplit c.txt",
        "vertical resize 20",
        "normal! 60Gzt",
        "wincmd b",
        "vsplit",
        "wincmd p",
        "vertical resize 15",
        "normal! 33Gzb",
    ],
    "windows that are not to be resized": [
        "set noequalalways",
        "edit a.txt",
        "botright split b.txt",
        "resize 3",
        "setlocal winfixheight",
        "topleft vsplit c.txt",
        "vertical resize 10",
        "setlocal winfixwidth winfixbuf",
    ],
    "the file in two windows": ["edit a.txt", "normal! 90Gzt", "split", "normal! 10Gzt"],
    "manual folds": [
        "edit a.txt",
        "setlocal foldmethod=manual foldcolumn=3 foldlevel=2",
        "10,20fold",
        "12,14fold",
        "30,40fold",
        "50,52fold",
        "50foldopen",
        "normal! 12Gzozv",
    ],
    "folds by indent": [
        "edit a.txt",
        "10,20>",
        "silent write",
        "setlocal foldmethod=indent foldenable",
        "10foldclose",
        "normal! 5G",
    ],
    "window options": [
        "edit a.txt",
        "setlocal number relativenumber nowrap list scrollbind cursorbind winbar=mine",
        "setlocal colorcolumn=80 signcolumn=yes cursorline scrolloff=3 winhighlight=Normal:Comment",
    ],
    "a tab line all the time": ["set showtabline=2", "edit a.txt", "normal! 40Gzb"],
    "one status line": ["set laststatus=3", "edit a.txt", "vsplit b.txt"],
    "no command line": ["set cmdheight=0", "edit a.txt"],
    "other tabpages": [
        "edit b.txt",
        "tabedit c.txt",
        "vsplit",
        "wincmd p",
        "tabedit a.txt",
        "tabnext 2",
    ],
    "the file in another tabpage": [
        "edit a.txt",
        "normal! 20Gzt",
        "tabnew",
        "tabnext",
        "tabnext",
    ],
    "a previous window": ["edit b.txt", "vsplit c.txt", "vsplit a.txt", "wincmd l", "wincmd h"],
    "a listed file that is not loaded": ["edit b.txt", "badd a.txt"],
    "a hidden file": ["edit a.txt", "normal! 40Gzt", "edit b.txt"],
    "a hidden file with manual folds": [
        "edit a.txt",
        "setlocal foldmethod=manual",
        "10,20fold",
        "30,40fold",
        "30foldopen",
        "edit b.txt",
    ],
    "an unlisted file": ["edit b.txt", "call bufload(bufadd('a.txt'))"],
    "a file with unsaved changes": ["edit a.txt", "normal! 5Gddp"],
    "marks": ["edit a.txt", "normal! 10Gma20GmB30G", "edit b.txt"],
    "a directory of its own": ["edit a.txt", "lcd .."],
    "a terminal": ["edit a.txt", "vsplit", "terminal cat"],
    "a list": ["edit a.txt", "normal! 40G", "vimgrep /line 5/ %", "copen"],
    "a float": [
        "edit a.txt",
        "call nvim_open_win(bufadd('b.txt'), v:true,"
        " {'relative': 'editor', 'row': 2, 'col': 2, 'width': 20, 'height': 5})",
    ],
    "a small screen": ["edit a.txt", "set lines=8 columns=30", "split b.txt"],
    "options": [
        "set scrollopt=ver,hor splitkeep=topline diffopt+=vertical switchbuf=usetab nohidden",
        "edit a.txt",
        "split b.txt",
    ],
}


async def prepare(nvim: Neovim, scene: list[str]) -> dict[str, Any]:
    await nvim.command("set noswapfile")
    for command in scene:
        await nvim.command(command)
    await nvim.command("redraw")
    return await everything(nvim)


async def assert_as_before(nvim: Neovim, before: dict[str, Any]) -> None:
    """Compare piece by piece, so that a failure names what differs."""
    await nvim.command("redraw")
    after = await everything(nvim)
    for key, value in before.items():
        if key == "tabpages":
            assert len(after[key]) == len(value)
            for tab_before, tab_after in zip(value, after[key], strict=True):
                assert tab_after["layout"] == tab_before["layout"]
                windows = zip(tab_before["windows"], tab_after["windows"], strict=True)
                for window_before, window_after in windows:
                    for name in window_before:
                        assert window_after[name] == window_before[name], name
        else:
            assert after[key] == value, key


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
async def test_nothing_is_left_of_a_rejected_diff(
    nvim: Neovim, diffs: Diffs, path: Path, scene: list[str], layout: str
) -> None:
    before = await prepare(nvim, scene)
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys("Gggjj:q<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "keys",
    [
        ":w<CR>",
        ":wq<CR>",
        ":x<CR>",
        "ZZ",
        "ZQ",
        "<C-w>c",
        ":bd<CR>",
        ":enew<CR>",
        "Gochanged<Esc>:q<CR>",
        "Gochanged<C-o>:w<CR>",
        "Gochanged<Cmd>w<CR>",
        "VG<Cmd>w<CR>",
        ":split<CR>:w<CR>",
        ":split<CR>:bd<CR>",
        "gg]cdogg:w<CR>",
    ],
)
async def test_nothing_is_left_however_it_ends(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str, keys: str
) -> None:
    before = await prepare(nvim, SCENES["two files beside each other"])
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(keys)

    await diffs.closed(id_)
    before["registers"].update((await everything(nvim))["registers"])
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_nothing_is_left_when_the_host_closes_it(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, SCENES["two files beside each other"])
    id_ = await diffs.open(path, NEW, layout)

    await diffs.close(id_)

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


async def test_nothing_is_left_when_its_tabpage_is_closed(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    """Also the way back, where Neovim itself would go to the next tabpage."""
    before = await prepare(nvim, SCENES["other tabpages"])
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":tabclose<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_nothing_is_left_when_the_user_closes_both_windows(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, SCENES["another file"])
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(f"<C-w>{'k' if layout == 'horizontal' else 'h'}:q<CR>:q<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_nothing_is_left_of_a_new_file(
    nvim: Neovim, diffs: Diffs, project: Path, layout: str
) -> None:
    before = await prepare(nvim, [])
    id_ = await diffs.open(project / "folder" / "new.txt", NEW, layout)
    assert (
        await nvim.eval(
            "len(filter(map(range(1, winnr('$')), 'getwinvar(v:val, \"&diff\")'), 'v:val'))"
        )
        == 2
    )

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


async def in_terminal_mode(nvim: Neovim) -> bool:
    return bool(await nvim.eval("mode() == 't'"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("end", [":w<CR>", ":q<CR>", None])
async def test_who_was_typing_into_a_terminal_does_so_again(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str, end: str | None
) -> None:
    await nvim.command("edit b.txt | vsplit")
    await nvim.command("terminal cat")
    await nvim.keys("i")
    await until(lambda: in_terminal_mode(nvim))
    id_ = await diffs.open(path, NEW, layout)
    assert await nvim.eval("mode()") == "n"

    if end:
        await nvim.keys(end)
    else:
        await diffs.close(id_)

    await diffs.closed(id_)
    await until(lambda: in_terminal_mode(nvim))
    await until(lambda: nvim.lua("return not next(vim.on_key and {} or {})"))


async def test_a_terminal_in_normal_mode_stays_in_it(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("terminal cat")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("mode(1)") == "nt"


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_terminal_is_not_resized_by_a_diff_in_a_tabpage(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit b.txt | rightbelow vsplit | vertical resize 30")
    await nvim.command("terminal")
    job = await nvim.eval("&channel")
    before = await nvim.lua("return vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].width")
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert job == await nvim.eval("&channel")
    assert before == await nvim.eval("winwidth(0)")


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_who_has_gone_elsewhere_is_not_pulled_back(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit b.txt")
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys(":tabnew<CR>:edit c.txt<CR>")
    await until(lambda: nvim.eval("bufname() ==# 'c.txt'"))
    win = await nvim.eval("win_getid()")

    await nvim.lua("require('claude_ide.diff').accept()")

    await diffs.closed(id_)
    assert await nvim.eval("win_getid()") == win
    assert await nvim.eval("tabpagenr('$')") == 2


async def test_who_has_gone_elsewhere_and_come_back_is_taken_back(
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


async def test_windows_that_the_user_has_opened_beside_it_stay(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys(":split c.txt<CR>")
    await until(lambda: nvim.eval("bufname() ==# 'c.txt'"))

    await nvim.lua("require('claude_ide.diff').reject()")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$'), winnr('$'), bufname()]") == [
        2,
        2,
        1,
        "c.txt",
    ]


async def test_windows_that_the_user_has_resized_meanwhile_keep_their_sizes(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["set noequalalways", "edit a.txt", "botright split b.txt", "resize 6"])
    await nvim.command("wincmd p")
    id_ = await diffs.open(path, NEW, "vertical")
    await nvim.keys("<C-w>b:resize 9<CR><C-w>t")
    await until(lambda: nvim.eval("winheight(winnr('$')) == 9 && winnr() == 1"))

    await nvim.lua("require('claude_ide.diff').reject()")

    await diffs.closed(id_)
    assert await nvim.eval("winheight(winnr('$'))") == 9


async def test_sizes_set_in_the_users_tabpage_meanwhile_are_kept(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["edit a.txt", "split b.txt", "resize 5"])
    id_ = await diffs.open(path, NEW)
    await nvim.keys("gt:resize 9<CR>gt")
    await until(lambda: nvim.eval("tabpagenr() == 2"))

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("winheight(1)") == 9


async def test_an_empty_buffer_of_the_users_is_not_taken_for_a_leftover(
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


async def test_the_screen_may_change_its_size_meanwhile(
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


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_diff_over_a_diff_goes_back_to_the_user(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path, layout: str
) -> None:
    """The first is decided first, from where the second is."""
    before = await prepare(nvim, ["edit b.txt", "split c.txt", "resize 4"])
    first = await diffs.open(path, NEW, layout)
    second = await diffs.open(project / "b.txt", NEW, layout)

    await nvim.lua("require('claude_ide.diff').reject(...)", first)
    await diffs.closed(first)
    await nvim.keys(":q<CR>")

    await diffs.closed(second)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_diffs_that_end_in_the_order_of_a_stack_leave_nothing(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, ["edit a.txt", "split c.txt", "resize 4"])
    first = await diffs.open(path, NEW, layout)
    second = await diffs.open(path, "other\n", layout)

    await nvim.keys(":q<CR>")
    await diffs.closed(second)
    assert await nvim.eval("bufname() =~ 'claude-ide://'")
    await nvim.keys(":q<CR>")

    await diffs.closed(first)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("scene", [["edit b.txt"], ["edit a.txt", "normal! 40Gzt", "edit b.txt"]])
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_the_file_is_shown_later_as_if_there_had_been_no_diff(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str, scene: list[str]
) -> None:
    await prepare(nvim, scene)
    await nvim.command("split | edit a.txt")
    expected = (await everything(nvim))["tabpages"][0]["windows"][0]
    await nvim.command("close")
    if len(scene) == 1:
        await nvim.command("bwipeout a.txt")
    id_ = await diffs.open(path, NEW, layout)
    await nvim.keys("Ggg:q<CR>")
    await diffs.closed(id_)

    await nvim.command("split | edit a.txt")

    got = (await everything(nvim))["tabpages"][0]["windows"][0]
    for name in ("options", "view", "folds"):
        assert got[name] == expected[name], name


async def test_autocommands_that_print_cause_no_prompt(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command(
        "autocmd TabNew,WinEnter,BufEnter,BufReadPost,WinClosed,TabClosed * echo 1 | echo 2"
    )
    await nvim.command("autocmd BufEnter,WinNew,BufWinEnter,WinLeave * call Nosuch()")

    id_ = await diffs.open(path, NEW)
    await nvim.lua("require('claude_ide.diff').reject()")

    await diffs.closed(id_)
    assert not (await nvim.mode())["blocking"]


TREE = """
vim.cmd('topleft 12vnew')
vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'hide', false
vim.cmd('wincmd p')
"""
BUFDELETE = """
local bufnr = vim.api.nvim_get_current_buf()
for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
  vim.api.nvim_win_call(win, function() vim.cmd.buffer('#') end)
end
if vim.api.nvim_buf_is_valid(bufnr) then vim.cmd.bdelete(bufnr) end
"""


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keys", [":e #<CR>", "<C-^>", ":b a.txt<CR>", ":call Bufdelete()<CR>"])
async def test_the_file_in_the_proposals_window_rejects_and_leaves_nothing(
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


async def test_another_file_in_the_proposals_window_stays_with_the_user(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await prepare(nvim, ["edit c.txt", "edit b.txt"])
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":b c.txt<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$'), bufname(), &diff]") == [2, 1, "c.txt", 0]


@pytest.mark.parametrize("is_in_it", [True, False])
@pytest.mark.parametrize("float_", [True, False])
@pytest.mark.parametrize("decision", ["accept()", "close(...)"])
async def test_a_tree_beside_the_diff_goes_with_its_tabpage(
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
async def test_what_the_user_works_on_beside_the_diff_keeps_its_tabpage(
    nvim: Neovim, diffs: Diffs, path: Path, kept: str
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.lua(TREE)
    await nvim.command("split | set nodiff" if kept == "terminal" else "echo")
    await nvim.command(kept)
    tabs = await nvim.eval("tabpagenr('$')")

    await nvim.lua("require('claude_ide.diff').accept()")

    await diffs.closed(id_)
    assert await nvim.eval("tabpagenr('$')") == tabs - ("copen" in kept)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("leave", ["qall", "qall!", "tabfirst | qall"])
async def test_a_session_manager_that_writes_on_leaving_finds_no_diff(
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
    assert "claude-ide" not in session
    assert "setlocal fdm=diff" not in session and "foldmethod=diff" not in session
