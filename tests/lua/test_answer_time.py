"""`checking/answer_time.lua`: how long to wait for each publisher of diagnostics."""

import pytest

from support.neovim import Neovim

MODULE = "require('claude_ide.checking.answer_time')"
AS_LONG_AS_ALLOWED = 1e9


async def answered(nvim: Neovim, *times: int) -> None:
    for ms in times:
        await nvim.lua(f"{MODULE}.answered(1, ...)", ms)


async def timed_out(nvim: Neovim, times: int = 1) -> None:
    for _ in range(times):
        await nvim.lua(f"{MODULE}.timed_out(1)")


async def of_server(nvim: Neovim, *, reads_code: bool = True) -> float:
    found = await nvim.lua(f"return math.min(1e9, {MODULE}.of_server(1, ...))", reads_code)
    return float(found)


async def of(nvim: Neovim, kind: str) -> float:
    return float(await nvim.lua(f"return math.min(1e9, {MODULE}.of_{kind}(1))"))


async def test_an_unknown_server_gets_the_whole_wait(nvim: Neovim) -> None:
    assert await of_server(nvim) == AS_LONG_AS_ALLOWED
    assert await of(nvim, "pulled") == AS_LONG_AS_ALLOWED


async def test_a_server_that_answers_gets_twice_its_answer_time(nvim: Neovim) -> None:
    await answered(nvim, 300, 300, 600)
    assert await of_server(nvim) == 1200

    await answered(nvim, 10)  # a slow answer counts for a while
    assert await of_server(nvim) == pytest.approx(840)


async def test_one_quick_answer_shortens_the_wait_less_than_three_do(nvim: Neovim) -> None:
    await answered(nvim, 10)
    assert await of_server(nvim) == 1000

    await answered(nvim, 10, 10)
    assert await of_server(nvim) == 400


async def test_each_timeout_shortens_the_wait_for_a_server_down_to_a_minimum(
    nvim: Neovim,
) -> None:
    seen = []
    for _ in range(4):
        await timed_out(nvim)
        seen.append(await of_server(nvim))

    assert seen == [750, 500, 500, 500]


async def test_an_assistant_that_has_missed_one_write_is_not_waited_for(nvim: Neovim) -> None:
    await timed_out(nvim)
    assert await of_server(nvim, reads_code=False) == 0

    await nvim.lua(f"{MODULE}.published(1)")
    assert await of_server(nvim, reads_code=False) == AS_LONG_AS_ALLOWED


async def test_a_server_that_always_answers_too_late_costs_the_whole_wait_once(
    nvim: Neovim,
) -> None:
    await timed_out(nvim)
    await answered(nvim, 60_000)
    assert await of_server(nvim) == 750

    await answered(nvim, 100, 100)
    assert await of_server(nvim) == 2940  # it is in time again


async def test_a_pulled_server_that_hangs_gets_less_time_until_it_answers(nvim: Neovim) -> None:
    await timed_out(nvim)
    assert await of(nvim, "pulled") == 500

    await answered(nvim, 20)
    assert await of(nvim, "pulled") == AS_LONG_AS_ALLOWED


async def test_a_linter_is_waited_for_until_it_misses_a_write(nvim: Neovim) -> None:
    assert await of(nvim, "linter") == 750
    await timed_out(nvim)
    assert await of(nvim, "linter") == 0

    await nvim.lua(f"{MODULE}.published(1)")
    await answered(nvim, 50)
    assert await of(nvim, "linter") == 1000
