"""Diffs and chats next to plugins that behave like real ones; `rules.py` has the invariants.

Every step of a world checks that Neovim has not crashed, that `:messages` contains no error of the
plugin, and that only the user has accepted a proposal. Once no window of the plugin is open, it
also checks that the windows, their sizes and the focus are unchanged.
"""

import pytest

from claude_ide.agents.requests import Choice, Question
from editors.conftest import Begin
from editors.rules import RESTLESS
from editors.sight import OBSERVE, Sight
from editors.world import PLUGINS, World, load
from support.answers import answer, listen, settled
from support.either_editor import noticed
from support.forms import host, outcome
from support.neovim import Neovim, until
from support.plans import ask

LAYOUTS = ("tab", "vertical")
STEADY = sorted(set(PLUGINS) - RESTLESS)
"""Plugins that leave sizes and windows alone."""
every_plugin = pytest.mark.parametrize("plugin", PLUGINS)


async def shown(world: World, file: str = "a.txt") -> None:
    """Make Claude propose a change, and wait until it is on the screen."""
    await world.do("open_diff", file, "small")
    await world.do("pause")
    assert (await world.look()).proposals


async def is_clear(world: World) -> None:
    """Wait until no window or diff of the plugin is open."""

    async def clear() -> bool:
        return (await world.look()).is_clear

    await world.until(clear, "no window or diff of the plugin is open")


@every_plugin
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_diffs_leave_no_trace_next_to_another_plugin(
    editor: Begin, plugin: str, layout: str
) -> None:
    world = await editor(plugin, layout=layout)
    await world.do("keys", ":split<CR>")

    for ending in (("keys", ":w<CR>"), ("keys", ":q<CR>"), ("close_all",)):
        await shown(world)
        await world.do(*ending)
        await is_clear(world)


@every_plugin
async def test_a_chat_leaves_no_trace_next_to_another_plugin(editor: Begin, plugin: str) -> None:
    world = await editor(plugin)
    await world.do("keys", ":vsplit<CR>")

    await world.do("chat")
    await world.do("keep_typing", "hello")
    await world.do("chat")
    await is_clear(world)
    await world.do("chat")
    await world.do("end_chat")

    await is_clear(world)


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_notification_shown_before_a_diff_can_close_during_it(
    editor: Begin, layout: str
) -> None:
    world = await editor("notifications", layout=layout)
    await world.do("notify", 1)
    await until(lambda: world.nvim.eval("len(nvim_list_wins()) > 1"), "the message is shown")
    await shown(world)
    await until(lambda: no_float(world), "the message is closed")

    await world.do("keys", ":w<CR>")

    await is_clear(world)


async def test_a_notification_can_appear_and_close_during_a_diff(editor: Begin) -> None:
    world = await editor("notifications")
    await shown(world)
    await world.do("notify", 1)

    await world.do("keys", "ZZ")

    await is_clear(world)


@pytest.mark.parametrize("plugin", ["autosave", "late_write"])
@pytest.mark.parametrize("layout", LAYOUTS)
async def test_an_autosave_does_not_accept_a_diff(editor: Begin, plugin: str, layout: str) -> None:
    world = await editor(plugin, layout=layout)
    await shown(world)

    await world.do("keys", "otyped by the user<Esc>")
    await until(lambda: world.nvim.eval("get(g:, 'autosaves')"), "the autosave has run")
    await world.nvim.command("doautocmd FocusLost")
    await world.do("keys", "<C-w>p")
    await world.do("keys", "<C-w>p")

    assert len((await world.look()).proposals) == 1
    assert world.pending
    await world.do("keys", ":w<CR>")
    await is_clear(world)


async def test_the_tab_page_of_a_diff_closes_even_if_a_tree_opened_in_it(editor: Begin) -> None:
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


async def test_deleting_a_proposal_with_a_plugin_closes_the_diff(editor: Begin) -> None:
    world = await editor("buffer_closer")
    await shown(world)

    await world.do("keys", "\\bd")

    await is_clear(world)
    assert await world.nvim.eval("tabpagenr('$')") == 1


async def test_a_diff_is_chosen_in_the_select_dialog_of_a_plugin(editor: Begin) -> None:
    world = await editor("prompts")
    await shown(world, "b.txt")
    await shown(world, "c.txt")
    await world.do("keys", ":tabfirst<CR>")
    await world.nvim.keys(":ClaudeReject<CR>")
    await until(lambda: world.nvim.eval("&filetype == 'prompts'"), "the choice is offered")
    await noticed(world.nvim)
    await world.nvim.keys("<CR>")

    async def one_remains() -> bool:
        return len((await world.look()).diffs) == 1

    await world.until(one_remains, "one of two diffs is rejected")
    world.rules.before("keys", (":ClaudeReject<CR>",), await world.look())
    await world.do("close_all")
    await is_clear(world)


async def test_the_keys_of_a_completion_menu_work_in_a_proposal(editor: Begin) -> None:
    world = await editor("completion_menu")
    await shown(world)
    await world.do("keys", "oon")
    await until(lambda: world.nvim.eval("len(nvim_list_wins()) > 3"), "the menu is shown")

    await world.do("keep_typing", "<C-y><Esc>")
    await world.do("keys", ":w<CR>")

    await is_clear(world)


TEXT = "# The plan\n\n1. change a.txt\n"
QUESTION = Question("Which library?", "Library", (Choice("httpx"), Choice("urllib")))


async def quiet_editor(nvim: Neovim, plugin: str) -> Sight:
    """Open two windows, load a plugin without a host, and return a snapshot."""
    await listen(nvim)
    await nvim.command("split")
    await load(nvim, plugin)
    await settled(nvim)
    return Sight(await nvim.lua(OBSERVE))


async def is_as_before(nvim: Neovim, before: Sight) -> None:
    """Wait until windows, sizes and focus are as in the snapshot."""

    async def alike() -> bool:
        seen = Sight(await nvim.lua(OBSERVE))
        is_alike = all(seen.fields[name] == before.fields[name] for name in ("win", "cmdheight"))
        return is_alike and seen.shape == before.shape and seen.is_clear

    try:
        await until(alike, "everything is as before")
    except AssertionError as error:
        seen = Sight(await nvim.lua(OBSERVE))
        raise AssertionError(f"{error}\n{before.summary}\nhas become\n{seen.summary}") from None


# When the user closes windows, the failing plugin causes a prompt in any case.
@pytest.mark.parametrize("plugin", sorted(set(STEADY) - {"failing"}))
@pytest.mark.parametrize("keys", [":w<CR>", ":q<CR>"])
async def test_a_plan_leaves_no_trace_next_to_another_plugin(
    nvim: Neovim, plugin: str, keys: str
) -> None:
    before = await quiet_editor(nvim, plugin)
    await nvim.lua("vim.ui.input = function(_, done) done('shorter') end")
    await ask(nvim, TEXT)
    ready = "bufname() =~# '^Claude plan' && &modifiable"
    await until(lambda: nvim.eval(ready), "the plan accepts keys")

    await nvim.keys(keys)

    decision = "approve" if "w" in keys else "reject"
    assert (await answer(nvim, 1))["decision"] == decision
    await is_as_before(nvim, before)


@pytest.mark.parametrize("plugin", STEADY)
@pytest.mark.parametrize("keys", ["2<C-s>", "q"])
async def test_a_form_leaves_no_trace_next_to_another_plugin(
    nvim: Neovim, plugin: str, keys: str
) -> None:
    before = await quiet_editor(nvim, plugin)
    host(nvim).ask((QUESTION,), 1)
    is_in_form = "getline('.') =~# 'httpx' && mode() ==# 'n'"
    await until(lambda: nvim.eval(is_in_form), "the form is shown")

    await nvim.keys(keys)

    assert await outcome(nvim) == ({"Which library?": "urllib"} if "2" in keys else "closed")
    await is_as_before(nvim, before)


WINDOWS = {
    "float": "require('claude_ide.window.float').show({ 'hello' }, { title = 'Words' })",
    "text": "require('claude_ide.window.scratch').open('Claude', 'Words', 'hello')",
    "answer": "require('claude_ide.headless.answer_window').open('Words', 'float', handlers)",
    "answer in a split": (
        "require('claude_ide.headless.answer_window').open('Words', 'split', handlers)"
    ),
}


@pytest.mark.parametrize("opening", WINDOWS.values(), ids=WINDOWS)
async def test_an_error_in_another_plugin_causes_no_prompt_when_a_window_opens(
    nvim: Neovim, opening: str
) -> None:
    await load(nvim, "failing")
    nothing = "local handlers = { stop = function() end, closed = function() end }"

    await nvim.lua(f"{nothing} {opening}")

    assert await nvim.mode() == {"mode": "n", "blocking": False}
    assert await nvim.eval("winnr('$') == 2 && winnr() == 2")


async def no_float(world: World) -> bool:
    return not any(window["is_float"] for window in (await world.look()).windows)
