"""`chat/window/init.lua`: the panel's windows, and the windows around them."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

SPLITS = ["botright split", "topleft split", "botright vsplit", "topleft vsplit"]


@pytest.fixture
async def chats(nvim: Neovim, project: Path) -> Chats:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    return await Chats.start(nvim)


async def sizes(chats: Chats) -> dict[str, tuple[int, int]]:
    """The width and height of the panel's windows."""
    return {
        kind: (window["width"], window["height"])
        for kind, window in (await chats.windows()).items()
    }


async def wait_for_sizes(chats: Chats, expected: dict[str, tuple[int, int]]) -> None:
    async def are_there() -> bool:
        return await sizes(chats) == expected

    await until(are_there, "the sizes")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("side", ["right", "left", "above", "below"])
async def test_the_panel_keeps_its_sizes_when_a_window_next_to_it_closes(
    nvim: Neovim, chats: Chats, side: str, split: str
) -> None:
    await chats.open(side=side)
    before = await sizes(chats)
    await nvim.command(f"stopinsert | {split} | set nowinfixbuf winbar= | enew")

    await nvim.command("close")

    await wait_for_sizes(chats, before)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("side", ["right", "left", "above", "below"])
async def test_the_panel_keeps_its_sizes_when_a_window_opens_and_closes_immediately(
    nvim: Neovim, chats: Chats, side: str, split: str
) -> None:
    await chats.open(side=side)
    before = await sizes(chats)

    await nvim.command(f"stopinsert | {split} | set nowinfixbuf winbar= | enew | close")

    await wait_for_sizes(chats, before)


async def test_a_short_lived_window_does_not_prevent_the_user_from_resizing(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.open()
    await nvim.command("stopinsert | topleft vsplit | set nowinfixbuf winbar= | enew | close")
    await nvim.command("redraw")

    await nvim.command("wincmd b | resize 9 | redraw")
    await nvim.command("doautocmd WinResized")

    assert (await sizes(chats))["prompt"] == (40, 9)


TREE = chunk("chat_window/tree")


@pytest.mark.parametrize("is_in_it", [True, False])
@pytest.mark.parametrize("how", ["hide", "close"])
async def test_a_tree_next_to_a_chat_closes_with_the_tabpage(
    nvim: Neovim, chats: Chats, how: str, is_in_it: bool
) -> None:
    win = await nvim.eval("win_getid()")
    await chats.open(side="tab")
    await nvim.command("stopinsert")
    await nvim.lua(TREE, is_in_it)

    await nvim.lua(f"require('claude_ide.chat.panel').{how}(1)")

    await chats.hidden()
    assert await nvim.eval("[tabpagenr('$'), win_getid()]") == [1, win]


@pytest.mark.parametrize("side", ["right", "left"])
async def test_all_windows_make_room_for_the_panel(nvim: Neovim, chats: Chats, side: str) -> None:
    await nvim.command("vsplit")
    files = await nvim.request("nvim_list_wins")

    await chats.open(side=side)

    assert [await nvim.eval(f"winwidth({win})") for win in files] == [29, 29]


async def test_with_noequalalways_other_windows_keep_their_sizes(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("set noequalalways | vsplit | vertical resize 11")

    await chats.open()

    assert await nvim.eval("winwidth(1)") == 11


async def test_a_prompt_height_set_by_the_user_is_kept(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await nvim.command("stopinsert | resize 9")
    await nvim.command("redraw")
    await nvim.command("botright split | set nowinfixbuf | enew")

    await nvim.command("close")

    async def is_kept() -> bool:
        return (await sizes(chats))["prompt"] == (40, 9)

    await until(is_kept, "the size that the user set")


@pytest.mark.parametrize("side", ["right", "left", "above", "below"])
@pytest.mark.parametrize("keys", ["<C-w>H", "<C-w>L", "<C-w>J", "<C-w>K"])
@pytest.mark.parametrize("kind", ["prompt", "transcript"])
async def test_a_window_of_the_panel_can_be_moved_to_any_edge(
    nvim: Neovim, chats: Chats, side: str, keys: str, kind: str
) -> None:
    await chats.open(side=side)
    await nvim.command("stopinsert")
    await until(lambda: nvim.eval("mode() ==# 'n'"))
    await nvim.request("nvim_set_current_win", (await chats.windows())[kind]["win"])

    await nvim.keys(keys)

    win = (await chats.windows())[kind]["win"]
    edge = {"<C-w>H": "h", "<C-w>L": "l", "<C-w>J": "j", "<C-w>K": "k"}[keys]
    await until(lambda: nvim.eval(f"win_getid(winnr('99{edge}')) == {win}"), "it is at the edge")
    await nvim.command("redraw")
    assert await nvim.eval("&cmdheight") == 1
    await nvim.lua("require('claude_ide.chat.panel').close(1)")
    await chats.hidden()
    assert await nvim.eval("[&cmdheight, winnr('$'), winheight(1)]") == [1, 1, 28]


async def _widths(nvim: Neovim, chats: Chats) -> tuple[int, int]:
    """Return the widths of the panel and of the window beside it."""
    windows = await chats.windows()
    width = int(await nvim.eval(f"winwidth({windows['transcript']['win']})"))
    return width, int(await nvim.eval("&columns")) - width - 1


@pytest.mark.parametrize("wanted", ["", "vertical resize 60"])
async def test_a_panel_keeps_its_share_of_a_screen_that_shrinks_and_grows(
    nvim: Neovim, chats: Chats, wanted: str
) -> None:
    await nvim.command("set columns=120 lines=40 | edit a.txt")
    await chats.open()
    await nvim.command(f"stopinsert | {wanted}")
    await nvim.idle(50)
    before = await _widths(nvim, chats)

    await nvim.command("set columns=60 lines=20")

    async def is_shared() -> bool:
        panel, beside = await _widths(nvim, chats)
        return abs(panel - before[0] / 2) <= 1 and beside >= 28

    await until(is_shared, "half of the columns")
    await nvim.command("set columns=120 lines=40")

    async def is_as_before() -> bool:
        return await _widths(nvim, chats) == before

    await until(is_as_before, "the width of before")


async def test_the_prompt_shrinks_and_grows_with_the_screen(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("set columns=120 lines=40 | edit a.txt")
    await chats.open()
    await nvim.command("stopinsert")

    await nvim.command("set lines=12")
    await until(lambda: nvim.eval("nvim_win_get_height(0) == 3"), "a third of ten rows")

    await nvim.command("set lines=40")
    await until(lambda: nvim.eval("nvim_win_get_height(0) == 6"), "the height of before")

    await nvim.command("resize 9")
    await nvim.idle(50)
    await nvim.command("set lines=30 | redraw")
    await nvim.idle(50)
    assert await nvim.eval("nvim_win_get_height(0)") == 9
