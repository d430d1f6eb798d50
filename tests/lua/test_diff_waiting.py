"""`waiting.vim`: a waiting request is announced without interrupting the user."""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

WAIT = chunk("diff_waiting/wait")
FORWARD = chunk("diff_waiting/forward")
CLOCK = """
local now = vim.uv.now
_G.passed = 0
vim.uv.now = function() return now() + _G.passed end
"""


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim whose clock the test controls."""
    await nvim.lua(FORWARD, await nvim.channel())
    await nvim.lua(CLOCK)
    return nvim


async def wait(nvim: Neovim, name: str = "a.lua") -> None:
    await nvim.lua(WAIT, name)


async def let_time_pass(nvim: Neovim) -> None:
    await nvim.lua("_G.passed = _G.passed + 3000")


async def notified(nvim: Neovim) -> list[str]:
    found: list[str] = await nvim.lua("return _G.notified")
    return found


async def wait_for_notifications(nvim: Neovim, *texts: str) -> None:
    async def has_notified() -> bool:
        return await notified(nvim) == [*texts]

    await until(has_notified, f"notified {texts}")


def counts(nvim: Neovim) -> list[Any]:
    return [event["count"] for event in nvim.events("ClaudeWaiting")]


async def insert(nvim: Neovim) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))


async def test_a_request_that_can_appear_immediately_is_not_announced_as_waiting(
    nvim: Neovim,
) -> None:
    await wait(nvim)

    await until(lambda: nvim.events("shown"))
    assert counts(nvim) == []


async def test_a_delayed_request_is_announced(nvim: Neovim) -> None:
    await insert(nvim)
    await wait(nvim)

    await until(lambda: counts(nvim) == [1])

    await nvim.keys("<Esc>")
    await until(lambda: nvim.events("shown"))
    assert counts(nvim) == [1, 0]


async def test_after_three_seconds_one_message_says_what_to_do(nvim: Neovim) -> None:
    await insert(nvim)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])
    assert await notified(nvim) == []

    await let_time_pass(nvim)

    await wait_for_notifications(nvim, "edit of a.lua waits: leave Insert mode")
    await nvim.keys("hello")
    await let_time_pass(nvim)
    await until(lambda: nvim.eval("getline(1) == 'hello'"))
    await nvim.keys("<Esc>")
    await until(lambda: nvim.events("shown"))
    await wait_for_notifications(nvim, "edit of a.lua waits: leave Insert mode")


REMEDY = {"i": "leave Insert mode", "v": "leave Visual mode", "gh": "leave Select mode"}


@pytest.mark.parametrize(("keys", "remedy"), REMEDY.items())
async def test_the_message_is_shown_instead_of_the_name_of_the_mode(
    nvim: Neovim, keys: str, remedy: str
) -> None:
    await nvim.keys(keys)
    await until(lambda: nvim.eval("mode() != 'n'"))
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])

    await let_time_pass(nvim)

    message = f"claude-ide: edit of a.lua waits: {remedy}"
    await until(lambda: nvim.screen.lines()[-1].startswith(message))
    assert await nvim.eval("&showmode")
    await nvim.keys("<Esc>")
    await until(lambda: nvim.events("shown"))


async def test_one_message_gives_the_number_of_waiting_requests(nvim: Neovim) -> None:
    await insert(nvim)
    for name in ("a.lua", "b.lua", "c.lua"):
        await wait(nvim, name)
    await until(lambda: counts(nvim)[-1:] == [3])

    await let_time_pass(nvim)

    await wait_for_notifications(nvim, "edit of a.lua and 2 more wait: leave Insert mode")


async def test_a_later_request_has_a_message_of_its_own(nvim: Neovim) -> None:
    await insert(nvim)
    await wait(nvim)
    await let_time_pass(nvim)
    await wait_for_notifications(nvim, "edit of a.lua waits: leave Insert mode")

    await wait(nvim, "b.lua")
    await let_time_pass(nvim)

    await wait_for_notifications(
        nvim,
        "edit of a.lua waits: leave Insert mode",
        "edit of b.lua and 1 more wait: leave Insert mode",
    )


async def test_a_withdrawn_request_no_longer_waits(nvim: Neovim) -> None:
    await insert(nvim)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])

    await nvim.lua("_G.cancel['a.lua']()")

    await until(lambda: counts(nvim) == [1, 0])
    await let_time_pass(nvim)
    await wait(nvim, "b.lua")
    await until(lambda: counts(nvim) == [1, 0, 1])
    assert await notified(nvim) == []


@pytest.mark.parametrize(
    ("keys", "leave"),
    [(":call input('name: ')<CR>", "<CR>"), ("d", "<Esc>"), (":let g:x = 12", "<CR>")],
)
async def test_no_message_appears_during_a_prompt_or_a_half_typed_command(
    nvim: Neovim, keys: str, leave: str
) -> None:
    await nvim.keys(keys)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])
    await let_time_pass(nvim)
    await nvim.lua(
        "_G.looks = 0; local now = vim.uv.now; vim.uv.now = function()"
        " _G.looks = _G.looks + 1; return now() end"
    )
    await until(lambda: nvim.lua("return _G.looks >= 3"))

    assert await notified(nvim) == []
    await nvim.keys(leave)
    await until(lambda: nvim.events("shown"))
    assert await notified(nvim) == []


@pytest.mark.parametrize("cmdheight", [0, 1])
@pytest.mark.parametrize("columns", [40, 100])
async def test_the_message_never_causes_a_prompt(
    nvim: Neovim, cmdheight: int, columns: int
) -> None:
    await nvim.command(f"set columns={columns} cmdheight={cmdheight}")
    await insert(nvim)
    await wait(nvim, "a_file_with_a_name_that_is_much_too_long_for_a_narrow_screen.lua")
    await until(lambda: counts(nvim) == [1])

    await let_time_pass(nvim)
    await until(lambda: notified(nvim))
    await nvim.keys("hello")

    await until(lambda: nvim.eval("getline(1) == 'hello'"))
    assert await nvim.mode() == {"mode": "i", "blocking": False}
    assert "Press ENTER" not in nvim.screen.text()


async def test_no_timer_keeps_running_once_nothing_waits(nvim: Neovim) -> None:
    timers = "local n = 0; vim.uv.walk(function() n = n + 1 end); return n"
    before = await nvim.lua(timers)
    await insert(nvim)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])

    await nvim.keys("<Esc>")
    await until(lambda: nvim.events("shown"))

    async def is_over() -> bool:
        return bool(await nvim.lua(timers) <= before)

    await until(is_over)


async def test_a_failing_autocommand_delays_no_request(nvim: Neovim) -> None:
    await nvim.command("autocmd User ClaudeWaiting throw 'no thanks'")
    await insert(nvim)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])

    await nvim.keys("<Esc>")

    await until(lambda: nvim.events("shown"))


async def test_scheduled_callbacks_do_not_pile_up_while_neovim_is_busy(nvim: Neovim) -> None:
    """A prompt can last for hours, during which Neovim runs no scheduled callback."""
    await insert(nvim)
    await wait(nvim)
    await until(lambda: counts(nvim) == [1])

    await nvim.lua(chunk("diff_waiting/count_looks"))

    await until(lambda: nvim.lua("return _G.looks ~= nil"))
    assert await nvim.lua("return _G.looks") <= 3
