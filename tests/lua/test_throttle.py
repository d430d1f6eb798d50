"""`timing/throttle.lua`: many calls cause few runs, one of them for the last call."""

from itertools import pairwise

from support.chunks import chunk
from support.neovim import Neovim, until

START = chunk("throttle/start")


async def test_the_function_runs_after_the_call_and_not_within_it(nvim: Neovim) -> None:
    await nvim.lua(START, 20)

    runs_so_far = await nvim.lua(
        "_G.state = 'before'; _G.call(); _G.state = 'after'; return #_G.runs"
    )

    assert runs_so_far == 0
    runs = await until(lambda: nvim.lua("return _G.runs"))
    assert [run["state"] for run in runs] == ["after"]


async def test_calls_without_a_pause_run_at_intervals_and_the_last_one_counts(
    nvim: Neovim,
) -> None:
    await nvim.lua(START, 40)

    await nvim.lua(chunk("throttle/call_often"))

    await until(lambda: nvim.lua("return _G.runs[#_G.runs].state == 0"))
    runs = await nvim.lua("return _G.runs")
    gaps = [later["at"] - earlier["at"] for earlier, later in pairwise(runs)]
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
    await nvim.lua(chunk("throttle/raise"))

    await nvim.lua("_G.call()")
    await until(lambda: "first line" in nvim.screen.text())
    assert await nvim.mode() == {"mode": "n", "blocking": False}

    await nvim.lua("_G.call()")
    await until(lambda: nvim.lua("return _G.tries == 2"))
