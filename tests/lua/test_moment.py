"""`timing/moment.lua`: when something can appear without interrupting the user."""

import pytest

from support.chunks import chunk
from support.moments import FLOAT, ask, called, entered, is_held
from support.neovim import Neovim, until

BUSY = {
    "Insert mode": ("i", "<Esc>"),
    "a popup menu": ("ofo<C-x><C-n>", "<Esc>"),
    "one command from Insert mode": ("i<C-o>", "<Esc><Esc>"),
    "Replace mode": ("R", "<Esc>"),
    "an operator": ("d", "<Esc>"),
    "an operator and a count": ("d3", "<Esc>"),
    "a count": ("3", "<Esc>"),
    "a register": ('"', "<Esc>"),
    "half of a command": ("g", "<Esc>"),
    "a find": ("f", "<Esc>"),
    "half of a mapping": (",", ",x"),
    "Visual mode": ("v", "<Esc>"),
    "Visual block mode": ("<C-v>", "<Esc>"),
    "Select mode": ("gh", "<Esc>"),
    "the command line": (":", "<Esc>"),
    "a search": ("/fo", "<Esc>"),
    "the command-line window": ("q:", ":q<CR>"),
    "getchar()": (":call getchar()<CR>", "x"),
    "input()": (":call input('')<CR>", "<CR>"),
    "confirm()": (":call confirm('really?', \"&Yes\\n&No\")<CR>", "y"),
    "a hit-enter prompt": (":echo 1 | echo 2 | echo 3<CR>", "<CR>"),
    "an expression mapping": ("Q", "x"),
    "a substitution that asks": (":s/f/F/c<CR>", "n"),
    "a recording": ("qa", "q"),
}


@pytest.mark.parametrize(("enter", "leave"), BUSY.values(), ids=BUSY)
async def test_nothing_appears_during(typing: Neovim, enter: str, leave: str) -> None:
    await entered(typing, enter)

    await ask(typing)

    assert await is_held(typing)
    await typing.keys(leave)
    await called(typing)


async def test_something_can_appear_in_normal_mode(typing: Neovim) -> None:
    await ask(typing)

    await called(typing)


async def test_something_can_appear_on_a_scrolled_screen_without_a_prompt(typing: Neovim) -> None:
    await typing.command("set cmdheight=0 | redraw")
    await typing.lua("vim.api.nvim_echo({ { 'one' } }, true, {})")
    assert await typing.eval("[mode(1), state()]") == ["n", "s"]

    await ask(typing)

    await called(typing)


async def test_the_callback_never_runs_before_the_call_has_returned(typing: Neovim) -> None:
    returned = await typing.lua(
        "local done = false;"
        "require('claude_ide.timing.moment').when_free(function() done = true end);"
        "return done"
    )

    assert returned is False


@pytest.mark.parametrize(("keys", "mode"), [("i", "t"), ("i<C-\\><C-n>", "nt")])
async def test_something_can_appear_in_a_terminal(typing: Neovim, keys: str, mode: str) -> None:
    await typing.command("terminal cat")
    await typing.keys(keys)
    await until(lambda: typing.lua("return vim.fn.mode(1) == ...", mode))

    await ask(typing)

    await called(typing)


async def test_nothing_appears_during_a_half_typed_command_in_a_terminal(typing: Neovim) -> None:
    await typing.command("terminal cat")
    await entered(typing, "g")

    await ask(typing)

    assert await is_held(typing)
    await typing.keys("<Esc>")
    await called(typing)


OBSTACLE = "return require('claude_ide.timing.moment').obstacle()"


REMEDIES = {
    "i": "leave Insert mode",
    "i<C-o>": "leave Insert mode",
    "R": "leave Replace mode",
    "v": "leave Visual mode",
    "V": "leave Visual mode",
    "<C-v>": "leave Visual mode",
    "gh": "leave Select mode",
    "d": "finish the command",
    "q:": "close the command-line window",
    "qa": "stop recording",
    ":": "answer the prompt",
}


@pytest.mark.parametrize(("keys", "remedy"), REMEDIES.items())
async def test_an_obstacle_is_reported_as_its_remedy(
    typing: Neovim, keys: str, remedy: str
) -> None:
    await entered(typing, keys)

    assert await typing.lua(OBSTACLE) == remedy


async def test_the_remedy_for_a_picker_is_to_leave_its_window(typing: Neovim) -> None:
    await typing.lua(FLOAT, "nofile")
    await entered(typing, "i")

    assert await typing.lua(OBSTACLE) == "leave this window"


async def test_typing_alone_is_not_an_obstacle(typing: Neovim) -> None:
    await typing.lua("require('claude_ide.timing.moment').notice_typing(true)")
    await typing.keys("j")
    await until(lambda: typing.eval("line('.') == 2"))

    assert await typing.lua(OBSTACLE) is None


NOTIFIABLE = ["", "i", "R", "v", "<C-v>", "gh", "qa"]


NOT_NOTIFIABLE = [
    "d",
    ":",
    "/fo",
    "q:",
    ":call getchar()<CR>",
    ":call input('')<CR>",
    "ofo<C-x><C-n>",
]


@pytest.mark.parametrize("keys", NOTIFIABLE)
async def test_a_message_can_appear_in(typing: Neovim, keys: str) -> None:
    if keys:
        await entered(typing, keys)

    await ask(typing, "when_notifiable")

    await called(typing)


@pytest.mark.parametrize("keys", NOT_NOTIFIABLE)
async def test_no_message_appears_during(typing: Neovim, keys: str) -> None:
    await entered(typing, keys)

    await ask(typing, "when_notifiable")

    assert await is_held(typing)


async def test_a_cancelled_callback_never_runs(typing: Neovim) -> None:
    await entered(typing, "i")
    await ask(typing)
    await typing.lua("_G.cancel()")

    await typing.keys("<Esc>")

    assert await is_held(typing)


async def test_an_error_in_a_delayed_callback_reaches_the_caller(typing: Neovim) -> None:
    await entered(typing, "i")
    await typing.lua(
        "require('claude_ide.timing.moment').when_free(function() error('no such luck', 0) end,"
        "function(m) require('claude_ide.channel').emit('failed', { message = m }) end)"
    )

    await typing.keys("<Esc>")

    assert await until(lambda: typing.events("failed")) == [{"message": "no such luck"}]


async def test_the_callback_waits_until_the_user_stops_typing(typing: Neovim) -> None:
    await typing.lua("require('claude_ide.timing.moment').notice_typing(true)")
    await typing.keys("j")
    await until(lambda: typing.eval("line('.') == 2"))

    await ask(typing)
    for _ in range(5):
        assert await is_held(typing, 0.1)
        await typing.keys("k")
    await typing.lua("_G.last = vim.uv.hrtime()")

    await called(typing)
    assert await typing.lua("return (vim.uv.hrtime() - _G.last) / 1e6") >= 390


async def test_typing_delays_nothing_once_it_is_no_longer_tracked(typing: Neovim) -> None:
    await typing.lua("require('claude_ide.timing.moment').notice_typing(true)")
    await typing.lua("require('claude_ide.timing.moment').notice_typing(false)")
    await typing.keys("j")
    await until(lambda: typing.eval("line('.') == 2"))

    await ask(typing)

    assert (await called(typing))["after"] < 390


async def test_keys_that_a_plugin_feeds_do_not_count_as_typing(typing: Neovim) -> None:
    """A plugin that keeps feeding keys must not delay a diff forever."""
    await typing.lua("require('claude_ide.timing.moment').notice_typing(true)")
    await typing.lua(
        "_G.feeder = vim.uv.new_timer(); _G.feeder:start(0, 50, vim.schedule_wrap(function()"
        " vim.api.nvim_feedkeys('j', 'n', false) end))"
    )

    await ask(typing)

    await called(typing)


TIME_GUARD = chunk("moment/time_guard")


async def test_a_guard_discards_typed_keys(typing: Neovim) -> None:
    await typing.lua(TIME_GUARD)
    await typing.keys("dd:q!<CR>ix")

    await called(typing)

    assert await typing.eval("getline(1, '$')") == ["foo far", "foo", "foo"]
    assert (await typing.mode())["mode"] == "n"


async def test_a_guard_discards_the_keys_of_a_mapping(typing: Neovim) -> None:
    await typing.command("nnoremap x ddp")
    await typing.lua(TIME_GUARD)
    await typing.keys("x")

    await called(typing)

    assert await typing.eval("getline(1, '$')") == ["foo far", "foo", "foo"]


async def test_a_guard_ends_soon_and_keys_work_again(typing: Neovim) -> None:
    async def is_in_time() -> bool:
        typing.notifications.clear()
        await typing.lua(TIME_GUARD)
        after = (await called(typing))["after"]
        assert after >= 190
        return bool(after < 400)

    # A busy machine may make one of them late.
    await until(is_in_time, "a guard that ends soon")

    await typing.keys("dd")
    await until(lambda: typing.eval("line('$') == 2"))


async def test_a_guard_lasts_while_the_user_keeps_typing(typing: Neovim) -> None:
    async def is_kept_up() -> bool:
        typing.notifications.clear()
        await typing.command("1")
        await typing.lua(chunk("diff/type_on") + TIME_GUARD, "j", 4)
        after = (await called(typing))["after"]
        await until(lambda: typing.lua("return #_G.tabpages == 4"), "the end of typing")
        return bool(after > 4 * 100 + 190 and await typing.eval("line('.')") == 1)

    # A pause of a busy machine ends the guard, too.
    await until(is_kept_up, "a guard that lasts")


async def test_a_guard_lasts_a_second_at_most(typing: Neovim) -> None:
    await typing.lua(TIME_GUARD)

    async def is_over() -> bool:
        await typing.keys("j")
        return bool(typing.events("called"))

    await until(is_over)
    assert (await called(typing))["after"] < 1500


async def test_a_guard_does_not_lock_the_user_into_a_prompt(typing: Neovim) -> None:
    """Where Neovim waits for a key, no timer can end the guard."""
    echo = "vim.api.nvim_echo({ { 'one\\ntwo\\nthree' } }, true, {})"
    typing.send_request("nvim_exec_lua", TIME_GUARD + echo, [])
    await until(lambda: "Press ENTER" in typing.screen.text())

    async def is_out() -> bool:
        await typing.keys("<CR>")
        await is_held(typing, 0.3)
        return not (await typing.mode())["blocking"]

    await until(is_out)
    await called(typing)


async def test_nothing_else_appears_during_a_guard(typing: Neovim) -> None:
    await typing.lua(
        "require('claude_ide.timing.moment').guard(function() _G.over = vim.uv.hrtime() end)"
    )
    await ask(typing)

    await called(typing)

    assert await typing.lua("return _G.over ~= nil")


async def test_the_end_of_one_guard_does_not_end_another(typing: Neovim) -> None:
    await typing.lua(
        """local moment = require('claude_ide.timing.moment')
        moment.guard()
        vim.defer_fn(function()
          moment.guard(function() _G.over = true end)
          _G.second = true
        end, 150)"""
    )
    await until(lambda: typing.lua("return _G.second"), "the second guard")
    await ask(typing)

    await called(typing)

    assert await typing.lua("return _G.over")


async def test_other_windows_can_change_in_insert_mode(typing: Neovim) -> None:
    await entered(typing, "i")

    await ask(typing, "when_harmless")

    await called(typing)


@pytest.mark.parametrize(
    "state", ["an operator", "Visual mode", "the command line", "the command-line window"]
)
async def test_other_windows_do_not_change_during(typing: Neovim, state: str) -> None:
    enter, leave = BUSY[state]
    await entered(typing, enter)

    await ask(typing, "when_harmless")

    assert await is_held(typing)
    await typing.keys(leave)
    await called(typing)


@pytest.mark.parametrize("state", ["the command-line window", "an expression mapping"])
async def test_a_requested_action_waits_during(typing: Neovim, state: str) -> None:
    enter, leave = BUSY[state]
    await entered(typing, enter)

    await ask(typing, "when_possible")

    assert await is_held(typing)
    await typing.keys(leave)
    await called(typing)


async def test_a_requested_action_runs_in_insert_mode(typing: Neovim) -> None:
    await entered(typing, "i")

    await ask(typing, "when_possible")

    await called(typing)


async def test_a_window_that_cannot_close_yet_holds_up_nothing_for_good(typing: Neovim) -> None:
    """In an expression mapping, Neovim refuses to end Visual mode."""
    await typing.command("vnoremap <expr> s getcharstr()")
    await entered(typing, "vs")

    await typing.lua("require('claude_ide.timing.moment').when_ended(print, error)")
    assert await is_held(typing)
    await typing.keys("x<Esc>")
    await ask(typing)

    await called(typing)
