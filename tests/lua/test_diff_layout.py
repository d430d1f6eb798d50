"""`diff/windows.lua`: a diff appears, and disappears without a trace."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs, everything
from support.layouts import prepare, with_successors
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")


OLD = "".join(f"line {number}\n" for number in range(1, 101))


NEW = OLD.replace("line 50\n", "LINE 50\n").replace("line 9\n", "line 9\nline 9½\n")


BESIDE = ["tab", "vertical", "horizontal"]
LAYOUTS = [*BESIDE, "inline"]


SCENES = {
    "an empty Neovim": [],
    "the file": ["edit a.txt", "normal! 40Gzt5l"],
    "the cursor on the last line of the screen": ["edit a.txt", "normal! 40GzbL$"],
    "a jump list": ["edit a.txt", "normal! 50G", "normal! 70G", "normal! 10G", "edit b.txt"],
    "an alternate file": ["edit b.txt", "edit c.txt", "edit a.txt"],
    "another file": ["edit b.txt", "normal! 30Gzz"],
    "two files side by side": [
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
    "a permanent tab line": ["set showtabline=2", "edit a.txt", "normal! 40Gzb"],
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
    "the file in another tabpage": ["edit a.txt", "normal! 20Gzt", "tabnew", "tabnext", "tabnext"],
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
        "set splitkeep=topline diffopt+=vertical switchbuf=usetab nohidden",
        "edit a.txt",
        "split b.txt",
    ],
}


async def assert_as_before(nvim: Neovim, before: dict[str, Any], *, replaced: bool = False) -> None:
    """Compare piece by piece, so that a failure names what differs."""
    await nvim.command("redraw")
    after = await everything(nvim)
    if replaced:
        before = with_successors(before, after)
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
async def test_a_rejected_diff_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path, scene: list[str], layout: str
) -> None:
    before = await prepare(nvim, scene)
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys("Gggjj:q<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before, replaced=layout == "inline")


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
async def test_a_diff_leaves_no_trace_however_it_ends(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str, keys: str
) -> None:
    before = await prepare(nvim, SCENES["two files side by side"])
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(keys)

    await diffs.closed(id_)
    before["registers"].update((await everything(nvim))["registers"])
    await assert_as_before(nvim, before, replaced=layout == "inline")


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_diff_closed_by_the_host_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, SCENES["two files side by side"])
    id_ = await diffs.open(path, NEW, layout)

    await diffs.close(id_)

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


async def test_closing_the_tabpage_of_a_diff_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    """The user returns to their tabpage, while Neovim itself would enter the next one."""
    before = await prepare(nvim, SCENES["other tabpages"])
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":tabclose<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", BESIDE)
async def test_closing_both_windows_of_a_diff_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, SCENES["another file"])
    id_ = await diffs.open(path, NEW, layout)

    await nvim.keys(f"<C-w>{'k' if layout == 'horizontal' else 'h'}:q<CR>:q<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_diff_of_a_new_file_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, project: Path, layout: str
) -> None:
    before = await prepare(nvim, [])
    id_ = await diffs.open(project / "folder" / "new.txt", NEW, layout)
    assert await nvim.eval(
        "len(filter(map(range(1, winnr('$')), 'getwinvar(v:val, \"&diff\")'), 'v:val'))"
    ) == (0 if layout == "inline" else 2)

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


async def in_terminal_mode(nvim: Neovim) -> bool:
    return bool(await nvim.eval("mode() == 't'"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("end", [":w<CR>", ":q<CR>", None])
async def test_terminal_mode_resumes_after_a_diff(
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
    await nvim.idle(500)  # keys typed right after a diff are discarded
    await nvim.keys("meow")
    await until(lambda: "meow" in nvim.screen.text(), "the terminal receives keys")


async def test_a_terminal_in_normal_mode_stays_in_it(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("terminal cat")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("mode(1)") == "nt"


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_terminal_keeps_its_width_after_a_diff(
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
async def test_deciding_the_first_of_two_diffs_first_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path, project: Path, layout: str
) -> None:
    """It is decided from the tabpage or windows of the second."""
    before = await prepare(nvim, ["edit b.txt", "split c.txt", "resize 4"])
    first = await diffs.open(path, NEW, layout)
    second = await diffs.open(project / "b.txt", NEW, layout)

    await nvim.lua("require('claude_ide.diff').close(...)", first)
    await diffs.closed(first)
    await nvim.keys(":q<CR>")

    await diffs.closed(second)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_deciding_the_second_of_two_diffs_first_leaves_no_trace(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    before = await prepare(nvim, ["edit a.txt", "split c.txt", "resize 4"])
    first = await diffs.open(path, NEW, layout)
    second = await diffs.open(path, "other\n", layout)

    await nvim.keys(":q<CR>")
    await diffs.closed(second)
    assert await nvim.eval("bufname() =~ '^Claude ('")
    await nvim.keys(":q<CR>")

    await diffs.closed(first)
    await assert_as_before(nvim, before, replaced=layout == "inline")


@pytest.mark.parametrize("scene", [["edit b.txt"], ["edit a.txt", "normal! 40Gzt", "edit b.txt"]])
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_file_opened_after_a_diff_looks_as_it_would_without_one(
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


async def test_autocommands_that_print_or_fail_cause_no_prompt(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command(
        "autocmd TabNew,WinEnter,BufEnter,BufReadPost,WinClosed,TabClosed * echo 1 | echo 2"
    )
    await nvim.command("autocmd BufEnter,WinNew,BufWinEnter,WinLeave * call Nosuch()")

    id_ = await diffs.open(path, NEW)
    await nvim.lua("require('claude_ide.diff').decide(false)")

    await diffs.closed(id_)
    assert not (await nvim.mode())["blocking"]
