"""`timing/debounce.lua`: many calls cause few runs, one of them for the last call."""

import itertools
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

PERIOD = 40

SETUP = chunk("debounce/setup")
START = chunk("debounce/start")

# Makes the given number of changes, one every 3 ms.
CHANGES = chunk("debounce/changes")


async def looks(nvim: Neovim) -> list[dict[str, Any]]:
    seen: list[dict[str, Any]] = await nvim.lua("return LOOKS")
    return seen


async def test_the_first_look_follows_right_after_the_current_code(nvim: Neovim) -> None:
    await nvim.lua(SETUP, 60000)

    await nvim.lua("STATE = 1 LIMITED.soon() STATE = 2")

    assert [look["state"] for look in await looks(nvim)] == [2]


async def test_looks_are_a_period_apart_and_the_last_one_sees_the_last_state(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua(CHANGES, 100)

    async def at_rest() -> bool:
        states = [look["state"] for look in await looks(nvim)]
        return states[-1:] == [100]

    await until(at_rest)
    times = [look["at"] for look in await looks(nvim)]
    assert len(times) > 3
    assert all(later - earlier >= PERIOD for earlier, later in itertools.pairwise(times))


async def test_while_each_change_follows_within_a_period_looks_are_further_apart(
    nvim: Neovim,
) -> None:
    await nvim.lua(SETUP, 10 * PERIOD, 60000)

    await nvim.lua(CHANGES, 100)

    async def at_rest() -> bool:
        states = [look["state"] for look in await looks(nvim)]
        return states[-1:] == [100]

    await until(at_rest)
    assert [look["state"] for look in await looks(nvim)] == [1, 100]


async def test_after_a_quiet_period_the_next_look_is_immediate_again(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)
    await nvim.lua("STATE = 1 LIMITED.soon()")
    await until(lambda: nvim.lua("return #LOOKS == 1"))
    await nvim.idle(2 * PERIOD)

    await nvim.lua("STATE = 2 LIMITED.soon()")

    assert [look["state"] for look in await looks(nvim)] == [1, 2]


async def test_an_overdue_look_does_not_wait_for_the_event_loop(nvim: Neovim) -> None:
    """Neither timers nor scheduled functions run while Lua runs or keys wait."""
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua(chunk("debounce/call_overdue"))

    assert 2 <= await nvim.lua("return DURING") <= 6


async def test_events_that_change_nothing_cause_one_look_per_period(nvim: Neovim) -> None:
    await nvim.lua(SETUP, 60000)

    await nvim.lua("for _ = 1, 100 do LIMITED.overdue() end")

    assert len(await looks(nvim)) == 1


async def test_a_look_by_the_caller_delays_the_next_one_by_a_period(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua("BEGAN = vim.uv.hrtime() / 1e6 LIMITED.rest() STATE = 1 LIMITED.soon()")

    first = (await until(lambda: looks(nvim)))[0]
    assert first["at"] - await nvim.lua("return BEGAN") >= PERIOD


async def test_after_a_stop_nothing_runs(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua("LIMITED.soon() LIMITED.stop() LIMITED.stop() vim.wait(2 * 40)")

    assert await looks(nvim) == []


async def test_the_function_runs_after_the_call_and_not_within_it(nvim: Neovim) -> None:
    await nvim.lua(START, 20)

    runs_so_far = await nvim.lua(
        "_G.state = 'before'; _G.call(); _G.state = 'after'; return #_G.runs"
    )

    assert runs_so_far == 0
    runs = await until(lambda: nvim.lua("return _G.runs"))
    assert [run["state"] for run in runs] == ["after"]


async def test_calls_without_a_pause_run_at_intervals_and_the_last_one_counts(nvim: Neovim) -> None:
    await nvim.lua(START, 40)

    await nvim.lua(chunk("debounce/call_often"))

    await until(lambda: nvim.lua("return _G.runs[#_G.runs].state == 0"))
    runs = await nvim.lua("return _G.runs")
    gaps = [later["at"] - earlier["at"] for earlier, later in itertools.pairwise(runs)]
    assert len(runs) >= 3
    assert min(gaps) >= 35


async def test_after_a_pause_the_next_call_runs_immediately(nvim: Neovim) -> None:
    await nvim.lua(START, 10)
    await nvim.lua("_G.call()")
    await until(lambda: nvim.lua("return #_G.runs == 1"))
    await nvim.idle(50)

    called = await nvim.lua("_G.call(); return vim.uv.hrtime() / 1e6")

    await until(lambda: nvim.lua("return #_G.runs == 2"))
    assert await nvim.lua("return _G.runs[2].at") - called < 1000


async def test_an_error_is_shown_in_one_line_and_the_function_runs_again(nvim: Neovim) -> None:
    await nvim.lua(chunk("debounce/raise"))

    await nvim.lua("_G.call()")
    await until(lambda: "first line" in nvim.screen.text())
    assert await nvim.mode() == {"mode": "n", "blocking": False}

    await nvim.lua("_G.call()")
    await until(lambda: nvim.lua("return _G.tries == 2"))
