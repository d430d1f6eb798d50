"""Diffs and chats beside plugins with the habits of real ones; `rules.py` says what has to hold.

Every step of a world checks that Neovim lives, that no error of ours is in `:messages`, that nothing
was accepted by anybody but the user, and, once nothing of ours is there any more, that the windows,
their sizes and the focus are as they were.
"""

import re

import pytest

from editors.conftest import Begin
from editors.rules import Fault
from editors.world import PLUGINS, World
from support.neovim import until

TYPING = {"layout": "tab"}
LAYOUTS = ("tab", "vertical")
every_plugin = pytest.mark.parametrize("plugin", PLUGINS)


async def shown(world: World, file: str = "a.txt") -> None:
    """Have Claude propose a change, and wait until it is on the screen."""
    await world.do("open_diff", file, "small")
    await world.do("pause")
    assert (await world.look()).proposals


async def is_clear(world: World) -> None:
    """Wait until nothing of the plugin's is left."""

    async def clear() -> bool:
        return (await world.look()).is_clear

    await world.until(clear, "nothing of it is left")


@every_plugin
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_diffs_leave_no_trace(editor: Begin, plugin: str, layout: str) -> None:
    world = await editor(plugin, layout=layout)
    await world.do("keys", ":split<CR>")

    for ending in (("keys", ":w<CR>"), ("keys", ":q<CR>"), ("close_all",)):
        await shown(world)
        await world.do(*ending)
        await is_clear(world)


@every_plugin
async def test_a_chat_leaves_no_trace(editor: Begin, plugin: str) -> None:
    world = await editor(plugin)
    await world.do("keys", ":vsplit<CR>")

    await world.do("chat")
    await world.do("go_on", "hello")
    await world.do("chat")
    await is_clear(world)
    await world.do("chat")
    await world.do("end_chat")

    await is_clear(world)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_message_that_comes_before_a_diff_may_go_while_it_is_open(
    editor: Begin, layout: str
) -> None:
    world = await editor("notifications", layout=layout)
    await world.do("notify", 1)
    await until(lambda: world.nvim.eval("winnr('$') > 1"), "the message is shown")
    await shown(world)
    await until(lambda: no_float(world), "the message is gone")

    await world.do("keys", ":w<CR>")

    await is_clear(world)


async def test_a_message_may_come_while_a_diff_is_open(editor: Begin) -> None:
    world = await editor("notifications")
    await shown(world)
    await world.do("notify", 1)

    await world.do("keys", "ZZ")

    await is_clear(world)


@pytest.mark.parametrize("plugin", ["autosave", "late_write"])
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_an_autosave_accepts_nothing(editor: Begin, plugin: str, layout: str) -> None:
    world = await editor(plugin, layout=layout)
    await shown(world)

    await world.do("keys", "otyped by the user<Esc>")
    if plugin == "late_write":
        await until(lambda: world.nvim.eval("get(g:, 'late_writes')"), "it has written")
    else:
        await world.nvim.lua("vim.wait(100)")
    await world.nvim.command("doautocmd FocusLost")
    await world.do("keys", "<C-w>p")
    await world.do("keys", "<C-w>p")

    assert len((await world.look()).proposals) == 1
    assert world.pending
    await world.do("keys", ":w<CR>")
    await is_clear(world)


async def test_a_tree_that_opens_in_a_tab_page_by_itself_does_not_keep_it(editor: Begin) -> None:
    world = await editor("tree")
    await shown(world)
    await until(lambda: world.nvim.eval("winnr('$') == 3"), "the tree is in the diff's tab page")

    await world.do("keys", ":w<CR>")

    await is_clear(world)
    assert await world.nvim.eval("tabpagenr('$')") == 1


async def test_a_tree_keeps_its_width(editor: Begin) -> None:
    world = await editor("tree", layout="vertical")
    width = "winwidth(bufwinid('NvimTree_1'))"
    assert await world.nvim.eval(width) == 24
    await shown(world)
    await world.do("keys", ":q<CR>")
    await world.do("chat")
    await world.do("chat")

    assert await world.nvim.eval(width) == 24


async def test_a_buffer_that_is_deleted_by_a_plugin_rejects_and_leaves_nothing(
    editor: Begin,
) -> None:
    world = await editor("buffer_closer")
    await shown(world)

    await world.do("keys", "\\bd")

    await is_clear(world)
    assert await world.nvim.eval("tabpagenr('$')") == 1


async def test_a_diff_is_chosen_in_the_select_of_a_plugin(editor: Begin) -> None:
    world = await editor("prompts")
    await shown(world, "b.txt")
    await shown(world, "c.txt")
    await world.do("keys", ":tabfirst<CR>")
    await world.nvim.keys(":ClaudeReject<CR>")
    await until(lambda: world.nvim.eval("&filetype == 'prompts'"), "the choice is offered")
    await world.nvim.keys("<CR>")

    async def one_left() -> bool:
        return len((await world.look()).diffs) == 1

    await world.until(one_left, "one of two is rejected")
    world.rules.before("keys", (":ClaudeReject<CR>",), await world.look())
    await world.do("close_all")
    await is_clear(world)


async def test_keys_of_a_completion_menu_stay_what_they_are_in_a_proposal(editor: Begin) -> None:
    world = await editor("completion_menu")
    await shown(world)
    await world.do("keys", "oon")
    await until(lambda: world.nvim.eval("winnr('$') > 2"), "the menu is shown")

    await world.do("go_on", "<C-y><Esc>")
    await world.do("keys", ":w<CR>")

    await is_clear(world)


async def test_a_session_that_is_written_beside_a_diff_and_a_chat_loads(editor: Begin) -> None:
    world = await editor("sessions")
    await world.do("chat")
    await shown(world)
    session = world.folder / "home/state/nvim/session.vim"
    await until(lambda: session.exists() and b"claude" not in session.read_bytes(), "it is written")


async def no_float(world: World) -> bool:
    return not any(window["is_float"] for window in (await world.look()).windows)


def test_a_fault_says_what_is_wrong() -> None:
    with pytest.raises(Fault, match=re.escape("'cmdheight' has become 3")):
        raise Fault("'cmdheight' has become 3")
