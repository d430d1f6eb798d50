"""`diff/windows.lua`: which windows a diff gets, and how they close."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.diffs import Diffs
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")

OLD = "".join(f"line {number}\n" for number in range(1, 101))
NEW = OLD.replace("line 50\n", "LINE 50\n").replace("line 9\n", "line 9\nline 9½\n")


async def test_the_last_tabpage_stays_open_with_the_file(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW)
    await nvim.keys(":tabonly<CR>:q<CR>")

    await diffs.closed(id_)

    assert await nvim.eval("[bufname(), &diff, &scrollbind, &winbar]") == [str(path), 0, 0, ""]
    assert await nvim.eval("buflisted('a.txt')")
    assert nvim.process.returncode is None


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_unsaved_text_is_compared_in_its_own_window(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("set columns=160 lines=60 | edit a.txt")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    before = await nvim.eval("[win_getid(), bufnr(), winsaveview()]")

    id_ = await diffs.open(path, NEW, layout, is_unsaved=True)

    assert await nvim.eval("[winnr('$'), getbufline(winbufnr(1), 1)]") == [2, ["mine"]]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[win_getid(), bufnr(), winsaveview()]") == before
    assert await nvim.eval("[winnr('$'), &diff, getline(1), &modified]") == [1, 0, "mine", 1]


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_unsaved_changes_stay_in_their_window_next_to_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("set columns=160 lines=60 | edit a.txt | set filetype=python")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    before = await nvim.eval("[win_getid(), bufnr(), winsaveview()]")

    id_ = await diffs.open(path, NEW, layout)

    shown = [await nvim.eval(f"getbufline(winbufnr({number}), 1)") for number in (1, 2, 3)]
    assert sorted(shown) == [["line 1"], ["line 1"], ["mine"]]
    filetypes = "map(range(1, 3), 'getbufvar(winbufnr(v:val), \"&filetype\")')"
    assert await nvim.eval(filetypes) == ["python"] * 3
    in_diff = "map(range(1, 3), 'getwinvar(v:val, \"&diff\") .. getbufline(winbufnr(v:val), 1)[0]')"
    assert sorted(await nvim.eval(in_diff)) == ["0mine", "1line 1", "1line 1"]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[win_getid(), bufnr(), winsaveview()]") == before
    assert await nvim.eval("[winnr('$'), &diff, getline(1)]") == [1, 0, "mine"]
    assert len(await nvim.eval("getbufinfo()")) == 1


async def test_the_last_tabpage_is_empty_after_a_diff_of_a_new_file(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    id_ = await diffs.open(project / "new.txt", NEW)
    await nvim.keys(":tabonly<CR>:q<CR>")

    await diffs.closed(id_)

    assert await nvim.eval("[bufname(), &buftype, &modifiable, &winbar]") == ["", "", 1, ""]


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_the_window_that_shows_the_file_joins_the_diff(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("set columns=180 | edit b.txt | botright vsplit a.txt | wincmd p")

    await diffs.open(path, NEW, layout)

    names = await nvim.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")
    assert [name.rpartition("/")[2] for name in names] == [*("b.txt", "a.txt", "Claude (a.txt)")]
    (row, column), (other_row, other_column) = [
        await nvim.eval(f"win_screenpos({number})") for number in (2, 3)
    ]
    if layout == "vertical":
        assert (row, column) < (other_row, other_column) == (row, other_column)
    else:
        assert (row, column) < (other_row, other_column) == (other_row, column)
    assert await nvim.eval("tabpagenr('$')") == 1


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_a_file_that_is_not_shown_gets_a_window(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit b.txt")

    await diffs.open(path, NEW, layout)

    assert await nvim.eval("[tabpagenr('$'), winnr('$')]") == [1, 3]


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_a_diff_without_enough_room_opens_in_a_tabpage(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("set lines=7 columns=12 winminheight=1 winminwidth=5 | edit b.txt")
    for _ in range(6):
        await nvim.command("silent! split")
    for _ in range(2):
        await nvim.command("silent! vsplit")
    before = await nvim.eval("[winlayout(), winrestcmd(), len(getbufinfo())]")

    id_ = await diffs.open(path, NEW, layout)

    assert await nvim.eval("[tabpagenr('$'), winnr('$')]") == [2, 2]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[winlayout(), winrestcmd(), len(getbufinfo())]") == before


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_a_diff_opens_in_a_tabpage_when_windows_are_already_in_diff_mode(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    await nvim.command("edit a.txt | diffsplit b.txt")
    before = await nvim.eval("[winlayout(), winrestcmd(), len(getbufinfo())]")

    id_ = await diffs.open(path, NEW, layout)

    assert await nvim.eval("[tabpagenr('$'), winnr('$')]") == [2, 2]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[winlayout(), winrestcmd(), len(getbufinfo())]") == before


async def test_the_cursor_is_on_the_first_change(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, OLD.replace("line 70\n", "LINE 70\n"))

    assert await nvim.eval("line('.')") == 70
    await until(lambda: "LINE 70" in nvim.screen.text(), "the text")


async def test_the_cursor_is_on_a_change_of_the_first_line(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await diffs.open(path, "changed\n" + OLD.replace("line 70\n", "LINE 70\n"))

    assert await nvim.eval("line('.')") == 1


async def test_jumping_back_does_not_leave_the_proposal(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("edit a.txt | normal! 50G70G10G")
    await nvim.command("edit b.txt")
    id_ = await diffs.open(path, NEW)

    await nvim.keys("<C-o><C-o><C-o>:let g:typed = 1<CR>")
    await until(lambda: nvim.eval("get(g:, 'typed')"))

    assert not diffs.of("diff_decided", id_)


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
async def test_neither_a_terminal_nor_a_float_is_split(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    """The CLI's own window keeps its size, wherever the user is."""
    await nvim.command("set columns=140 | edit b.txt | rightbelow vsplit | vertical resize 40")
    await nvim.command("terminal cat")
    terminal = await nvim.eval("win_getid()")
    await nvim.lua(
        "vim.api.nvim_open_win(vim.fn.bufadd('c.txt'), true,"
        " { relative = 'editor', row = 1, col = 1, width = 9, height = 3 })"
    )

    await diffs.open(path, NEW, layout)

    assert await nvim.eval("tabpagenr('$')") == 1
    assert await nvim.eval(f"winheight(win_id2win({terminal}))") == 28


async def test_local_options_of_the_user_window_are_not_inherited(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("edit b.txt | setlocal winfixbuf winfixwidth winhighlight=Normal:Comment")

    await diffs.open(path, NEW)

    for number in (1, 2):
        for option in ("winfixbuf", "winfixwidth", "winhighlight"):
            assert not await nvim.eval(f"getwinvar({number}, '&{option}')")


@pytest.mark.parametrize("columns", [80, 81])
async def test_a_vertical_diff_needs_forty_columns_on_each_side(
    nvim: Neovim, diffs: Diffs, path: Path, columns: int
) -> None:
    await nvim.command(f"edit a.txt | botright vsplit b.txt | vertical resize {99 - columns}")
    await nvim.command("wincmd p")
    assert await nvim.eval("winwidth(0)") == columns

    await diffs.open(path, NEW, "vertical")

    assert await nvim.eval("tabpagenr('$')") == (2 if columns < 81 else 1)
    assert await nvim.eval("winwidth(0) >= 40")


LOOKS = "[&number, &relativenumber, &signcolumn, &list, &cursorline]"


@pytest.mark.parametrize("is_shown", [True, False])
@pytest.mark.parametrize("set_", ["set", "setlocal"])
async def test_both_sides_look_like_windows_of_files(
    nvim: Neovim, diffs: Diffs, path: Path, is_shown: bool, set_: str
) -> None:
    """Several diffs in a row do not inherit the options of the terminal that the user was in."""
    await nvim.command("set number relativenumber signcolumn=yes list")
    await nvim.command("edit a.txt" if is_shown else "edit b.txt")
    await nvim.command("rightbelow vsplit | terminal cat")
    await nvim.command(f"{set_} nonumber norelativenumber signcolumn=no nolist cursorline")
    for _ in range(3):
        id_ = await diffs.open(path, NEW)

        for win in await nvim.eval("map(range(1, 2), 'win_getid(v:val)')"):
            looks = await nvim.lua(f"return vim.fn.win_execute({win}, 'echo {LOOKS}')")
            assert looks.strip() == "[1, 1, 'yes', 1, 0]"
        await nvim.keys(":w<CR>")
        await diffs.closed(id_)
    assert await nvim.eval(LOOKS) == [0, 0, "no", 0, 1]


ENTER_FLOAT = chunk("diff_windows/enter_float")


@pytest.mark.parametrize("event", ["TabNew", "TabNewEntered", "TabEnter", "WinNew", "WinEnter"])
async def test_a_float_entered_by_an_autocommand_does_not_become_a_diff_window(
    nvim: Neovim, diffs: Diffs, path: Path, event: str
) -> None:
    await nvim.command("edit b.txt")
    await nvim.lua(ENTER_FLOAT, event)

    id_ = await diffs.open(path, NEW)

    assert await nvim.lua("return _G.entered") == 1
    names = await nvim.eval("map(range(1, 2), 'bufname(winbufnr(v:val))')")
    assert [name.rpartition("/")[2] for name in names] == ["a.txt", "Claude (a.txt)"]
    assert await nvim.eval("map(range(1, 2), 'getwinvar(v:val, \"&diff\")')") == [1, 1]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), bufname()]") == [1, "b.txt"]


CLOSE_FLOAT = chunk("diff_windows/close_float")


@pytest.mark.parametrize("event", ["TabNew", "TabNewEntered", "WinNew", "BufEnter"])
async def test_a_float_closed_by_an_autocommand_does_not_prevent_a_diff(
    nvim: Neovim, diffs: Diffs, path: Path, event: str
) -> None:
    await nvim.command("enew | setlocal buftype=nofile")
    await nvim.lua(CLOSE_FLOAT, event)

    await diffs.open(path, NEW)

    assert await nvim.eval("winnr('$')") == 2


ENTER_FLOAT_FROM_BLANK = chunk("diff_windows/enter_float_from_blank")


@pytest.mark.parametrize("layout", ["tab", "vertical"])
@pytest.mark.parametrize("event", ["BufLeave", "BufWinLeave", "BufUnload", "BufWipeout"])
async def test_the_file_gets_its_window_when_an_autocommand_enters_a_float(
    nvim: Neovim, diffs: Diffs, path: Path, event: str, layout: str
) -> None:
    await nvim.command("edit b.txt")
    await nvim.lua(ENTER_FLOAT_FROM_BLANK, event)

    id_ = await diffs.open(path, NEW, layout)

    names = await nvim.eval("map(range(1, winnr('$')), 'bufname(winbufnr(v:val))')")
    shown = [name.rpartition("/")[2] for name in names]
    assert shown == ["a.txt", "Claude (a.txt)", "b.txt"][: len(shown)]
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), bufname()]") == [1, "b.txt"]
