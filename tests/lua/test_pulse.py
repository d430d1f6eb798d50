"""`timing/pulse.lua`: looks immediately, then at a limited rate, and always at the last state."""

import itertools
from typing import Any

from support.chunks import chunk
from support.neovim import Neovim, until

PERIOD = 40

SETUP = chunk("pulse/setup")

# Makes the given number of changes, one every 3 ms.
CHANGES = chunk("pulse/changes")


async def looks(nvim: Neovim) -> list[dict[str, Any]]:
    seen: list[dict[str, Any]] = await nvim.lua("return LOOKS")
    return seen


async def test_the_first_look_follows_right_after_the_current_code(nvim: Neovim) -> None:
    await nvim.lua(SETUP, 60000)

    await nvim.lua("STATE = 1 PULSE.soon() STATE = 2")

    assert [look["state"] for look in await looks(nvim)] == [2]


async def test_looks_are_a_period_apart_and_the_last_one_sees_the_last_state(
    nvim: Neovim,
) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua(CHANGES, 100)

    async def at_rest() -> bool:
        states = [look["state"] for look in await looks(nvim)]
        return states[-2:] == [100, 100]

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
        return states[-2:] == [100, 100]

    await until(at_rest)
    assert [look["state"] for look in await looks(nvim)] == [1, 100, 100]


async def test_after_a_quiet_period_the_next_look_is_immediate_again(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)
    await nvim.lua("STATE = 1 PULSE.soon()")
    await until(lambda: nvim.lua("return #LOOKS == 2"))

    await nvim.lua("STATE = 2 PULSE.soon()")

    assert [look["state"] for look in await looks(nvim)][:3] == [1, 1, 2]


async def test_an_overdue_look_does_not_wait_for_the_event_loop(nvim: Neovim) -> None:
    """Neither timers nor scheduled functions run while Lua runs or keys wait."""
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua(chunk("pulse/call_overdue"))

    assert 2 <= await nvim.lua("return DURING") <= 6


async def test_events_that_change_nothing_cause_one_look_per_period(nvim: Neovim) -> None:
    await nvim.lua(SETUP, 60000)

    await nvim.lua("for _ = 1, 100 do PULSE.overdue() end")

    assert len(await looks(nvim)) == 1


async def test_a_look_by_the_caller_delays_the_next_one_by_a_period(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua("BEGAN = vim.uv.hrtime() / 1e6 PULSE.rest() STATE = 1 PULSE.soon()")

    first = (await until(lambda: looks(nvim)))[0]
    assert first["at"] - await nvim.lua("return BEGAN") >= PERIOD


async def test_a_stopped_pulse_no_longer_looks(nvim: Neovim) -> None:
    await nvim.lua(SETUP, PERIOD)

    await nvim.lua("PULSE.soon() PULSE.stop() PULSE.stop() vim.wait(2 * 40)")

    assert await looks(nvim) == []
