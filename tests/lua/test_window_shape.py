"""`window/shape.lua`: sizes and views of a tabpage's windows are held and restored."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.diffs import Diffs
from support.neovim import Neovim, until

HOLD = "_G.shape = require('claude_ide.window.shape').hold('test')"
SETTLE = "require('claude_ide.window.shape').settle(_G.shape)"
RELEASE = "_G.restore = require('claude_ide.window.shape').release(_G.shape)"
SIZES = "map(range(1, winnr('$')), '[winwidth(v:val), winheight(v:val)]')"
VIEW = "[line('.'), col('.'), line('w0'), &scroll]"


@pytest.fixture
async def windows(nvim: Neovim, project: Path) -> Neovim:
    """Three windows of odd sizes, with a file."""
    (project / "a.txt").write_text("".join(f"line {number}\n" for number in range(100)))
    for command in ("edit a.txt", "split", "resize 5", "vsplit", "vertical resize 20", "wincmd b"):
        await nvim.command(command)
    await nvim.command("set scrolloff=0 | setlocal scroll=3 | normal! 50Gzb3l")
    return nvim


async def disturb(nvim: Neovim) -> None:
    await nvim.command("botright split | resize 3 | wincmd =")


async def undisturb(nvim: Neovim) -> None:
    await nvim.command("execute winnr('$') .. 'close'")
    await nvim.command("3wincmd w")


async def test_sizes_and_views_are_restored(windows: Neovim) -> None:
    before = await windows.eval(f"[{SIZES}, {VIEW}]")
    await windows.lua(HOLD)
    await disturb(windows)
    await windows.lua(f"{SETTLE}; {RELEASE}")
    await undisturb(windows)
    assert await windows.eval(f"[{SIZES}, {VIEW}]") != before

    await windows.lua("_G.restore()")

    assert await windows.eval(f"[{SIZES}, {VIEW}]") == before


async def test_a_shape_is_restored_when_every_holder_has_released_it(windows: Neovim) -> None:
    before = await windows.eval(SIZES)
    await windows.lua(f"{HOLD}; {HOLD}")
    await disturb(windows)
    await undisturb(windows)

    await windows.lua(f"{RELEASE}; _G.restore()")
    assert await windows.eval(SIZES) != before
    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(SIZES) == before


async def test_sizes_that_the_user_has_changed_since_are_kept(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await disturb(windows)
    await windows.lua(SETTLE)
    await windows.command("1resize 12")
    await windows.lua(RELEASE)
    await undisturb(windows)
    sizes = await windows.eval(SIZES)

    await windows.lua("_G.restore()")

    assert await windows.eval(SIZES) == sizes


async def test_sizes_that_the_user_has_changed_before_a_window_closes_are_kept(
    windows: Neovim,
) -> None:
    """The change is noticed as it happens: afterwards the windows cannot be compared."""
    await windows.lua(HOLD)
    await disturb(windows)
    await windows.lua(SETTLE)
    await windows.keys(":1resize 12<CR>")
    await until(lambda: windows.lua("return _G.shape.resized"))
    await undisturb(windows)
    sizes = await windows.eval(SIZES)

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(SIZES) == sizes


async def test_a_new_arrangement_of_windows_is_kept(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await windows.command("1close")
    sizes = await windows.eval(SIZES)

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(SIZES) == sizes


@pytest.mark.parametrize("change", ["set lines=20", "set cmdheight=4", "set showtabline=2"])
async def test_sizes_are_kept_after_a_change_of_the_available_space(
    windows: Neovim, change: str
) -> None:
    await windows.lua(HOLD)
    await windows.command(change)
    sizes = await windows.eval(f"[{SIZES}, &cmdheight]")

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(f"[{SIZES}, &cmdheight]") == sizes


async def test_the_restored_scroll_option_fits_a_window_with_a_winbar(windows: Neovim) -> None:
    await windows.command("only | set winbar=bar | setlocal scroll=8")
    await windows.lua(HOLD)
    await windows.command("botright split | 1resize 8 | 1wincmd w")

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval("[winheight(1), &scroll <= 7]") == [7, 1]


async def test_a_cursor_that_the_user_has_moved_is_not_moved_back(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await windows.command("normal! 80Gzb")
    view = await windows.eval(VIEW)

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(VIEW) == view


async def test_a_tabpage_that_the_user_has_returned_to_keeps_its_views(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await windows.command("tabnew | tabprevious")
    await windows.command("normal! zt")

    await windows.command("tabonly")
    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval("line('w0')") == 50


async def test_nothing_is_restored_while_another_tabpage_is_current(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await windows.command("tabnew | split | resize 3")
    sizes = await windows.eval(SIZES)

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval(SIZES) == sizes


async def test_restoring_a_closed_tabpage_changes_nothing(windows: Neovim) -> None:
    await windows.lua(HOLD)
    await windows.command("tabnew | tabonly")

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.eval("winnr('$')") == 1


async def test_no_autocommand_remains_once_a_shape_is_released(windows: Neovim) -> None:
    listening = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_window_shape' })"
    await windows.lua(HOLD)
    assert await windows.lua(listening) == 2

    await windows.lua(f"{RELEASE}; _G.restore()")

    assert await windows.lua(listening) == 0


FLOAT = """
return vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
  relative = 'editor', row = 1, col = 1, width = 9, height = 1,
})
"""


@pytest.fixture(params=["one window", "three windows"])
async def arranged(windows: Neovim, request: pytest.FixtureRequest) -> Neovim:
    if request.param == "one window":
        await windows.command("only")
    return windows


async def sizes(nvim: Neovim) -> list[object]:
    tiled = (
        "local r = {} for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do"
        " if vim.api.nvim_win_get_config(win).relative == '' then"
        " r[#r + 1] = { win, vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) }"
        " end end return r"
    )
    return [await nvim.lua(tiled), await nvim.eval("[&cmdheight, tabpagenr('$')]")]


@pytest.mark.parametrize("decision", ["accept(1)", "decide(false)", "close(...)"])
@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
@pytest.mark.parametrize("opens", [True, False])
async def test_a_float_that_opens_or_closes_during_a_diff_resizes_no_window(
    arranged: Neovim, project: Path, layout: str, decision: str, opens: bool
) -> None:
    nvim = arranged
    await nvim.command("set columns=180 lines=50")
    before = await sizes(nvim)
    diffs = await Diffs.start(nvim)
    float_ = None if opens else await nvim.lua(FLOAT)
    id_ = await diffs.open(project / "a.txt", "changed\n", layout)
    if float_:
        await nvim.request("nvim_win_close", float_, True)
    else:
        await nvim.lua(FLOAT)

    await nvim.lua(f"require('claude_ide.diff').{decision}", id_)

    await diffs.closed(id_)
    await nvim.command("redraw")
    assert await sizes(nvim) == before


@pytest.mark.parametrize("way", ["hide", "close"])
@pytest.mark.parametrize("side", ["right", "above", "tab", "float"])
@pytest.mark.parametrize("opens", [True, False])
async def test_a_float_that_opens_or_closes_while_a_chat_is_shown_resizes_no_window(
    arranged: Neovim, side: str, way: str, opens: bool
) -> None:
    nvim = arranged
    before = await sizes(nvim)
    chats = await Chats.start(nvim)
    float_ = None if opens else await nvim.lua(FLOAT)
    await chats.open(side=side)
    if float_:
        await nvim.request("nvim_win_close", float_, True)
    else:
        await nvim.lua(FLOAT)

    await nvim.lua(f"require('claude_ide.chat.panel').{way}(1)")

    await chats.hidden()
    await nvim.command("redraw")
    assert await sizes(nvim) == before
