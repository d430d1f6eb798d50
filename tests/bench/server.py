"""`:ClaudeStart`: how long it blocks, and the times until the port and a client's answers.

The floors are bare Python programs: one binds a port and prints it, the other imports the libraries
that such a server needs.
"""

import asyncio
import sys

from bench.editors import Editor, editor
from bench.measure import Effort, Table, figure, goal, median, now, percentile, ratio
from bench.wire import INITIALIZE, Wire, request
from support.neovim import until

START = """
local host = require('claude_ide.host')
local bound = host.bound
host.bound = function(port, token, lock)
  host.bound = bound
  bench.report('bound', { port, token })
  bound(port, token, lock)
end
local before = bench.now()
vim.cmd('ClaudeStart!')
return { before, bench.now() }
"""
BIND = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"
SETTLE = 500.0
"""Milliseconds after the first tool call in which the editor may still do something."""
IMPORT = "import asyncio, msgspec, pynvim, websockets.asyncio.server; print()"


async def run(effort: Effort) -> list[Table]:
    """Start servers, each in a new Neovim."""
    blocked: list[float] = []
    bound: list[float] = []
    accepting: list[float] = []
    listing: list[float] = []
    binding: list[float] = []
    importing: list[float] = []
    slices: list[float] = []
    for each in range(-1, effort.runs(31)):
        async with editor(plugin=True) as fresh:
            times = await _start(fresh)
        async with editor(plugin=True) as fresh:
            slice_ = await _slice(fresh)
        floors = [await _python(BIND), await _python(IMPORT)]
        # The first run compiles modules.
        if each >= 0:
            slices.append(slice_)
            for samples, time in zip(
                (blocked, bound, accepting, listing, binding, importing),
                (*times, *floors),
                strict=True,
            ):
                samples.append(time)
    table = Table(
        "`:ClaudeStart` (ms)",
        ["", "median", "least", "p90", "floor", "least", "ratio of medians", "goal for the median"],
    )
    for name, samples, floor, limit in (
        ("the editor is blocked", blocked, None, None),
        ("after that, by CPU, at a time", slices, None, 3),
        ("the port is known", bound, binding, 40),
        ("`initialize` is answered", accepting, importing, 150),
        ("`tools/list` is answered", listing, importing, round(1.1 * median(importing), 1)),
    ):
        here = median(samples)
        table.add(
            *[name, figure(here), figure(min(samples)), figure(percentile(samples, 90))],
            *(figure(median(floor)), figure(min(floor)), ratio(here, median(floor)))
            if floor
            else ("", "", ""),
            goal(here, limit, " ms") if limit else "",
        )
    return [table]


async def _start(fresh: Editor) -> tuple[float, float, float, float]:
    """Return how long `:ClaudeStart` blocks, and the times until the port and the answers."""
    before, after = await fresh.nvim.lua(START)
    bound, (port, token) = await fresh.report("bound")
    # The kernel queues connections until the listener runs.
    async with Wire.connected(port, token) as wire:
        await wire.connection.send(request(1, "initialize", INITIALIZE))
        await wire.connection.send(request(2, "tools/list"))
        answered, _ = await wire.answer(1)
        listed, _ = await wire.answer(2)
    return after - before, bound - before, answered - before, listed - before


async def _slice(fresh: Editor) -> float:
    """Return the most CPU of the editor between two keys while the server starts."""
    await fresh.nvim.lua(START)
    await fresh.ask("watch_loop")
    _, (port, token) = await fresh.report("bound")
    async with Wire.connected(port, token) as wire:
        await wire.introduce()
        began = now()
        await until(lambda: now() - began > SETTLE)
    await fresh.ask("longest_gap")
    return float(await fresh.ask("longest_work"))


async def _python(code: str) -> float:
    """Return how long a bare Python takes to print a line."""
    began = now()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", code, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    await process.stdout.readline()
    took = now() - began
    await process.wait()
    return took
