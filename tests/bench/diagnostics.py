"""Many diagnostics: many requests for them at once, and their publication."""

import asyncio

from bench.editors import Editor, editor, host_pid, serving
from bench.measure import Effort, Table, figure, goal, median, now
from bench.wire import Wire, call
from support.processes import cpu

FILE = "many.py"
COUNT = 5000
REQUESTS = 100
PUBLISHES = 20
AFTER = 0.3
"""Seconds after which clients have been notified of published diagnostics."""
# Like those of rust-analyzer, with all the fields that a language server adds.
INSTRUMENTS = """
local ns = vim.api.nvim_create_namespace('bench_diagnostics')

local function diagnostic(i)
  local related = {}
  for j = 1, 4 do
    local start, finish = { line = i, character = j }, { line = i, character = j + 1 }
    related[j] = {
      message = 'see here',
      location = { uri = 'file:///a', range = { start = start, ['end'] = finish } },
    }
  end
  return {
    lnum = i - 1, col = 3, end_lnum = i - 1, end_col = 8, severity = 1,
    message = 'name ' .. i .. ' is not defined', source = 'pyright', code = 'reportUndefined',
    user_data = { lsp = { message = 'x', data = { rendered = 'name ' .. i, related = related } } },
  }
end

-- As a language server does with each key.
function bench.publish(count)
  local diagnostics = {}
  for i = 1, count do
    diagnostics[i] = diagnostic(i)
  end
  vim.diagnostic.set(ns, 0, diagnostics)
end
"""


async def run(effort: Effort) -> list[Table]:
    """Send 100 requests for 5,000 diagnostics at once; publish them with and without the plugin."""
    return [await _pipelined(effort), await _published(effort)]


async def _prepare(served: Editor) -> None:
    path = served.project / FILE
    path.write_text("greet = undefined\n" * COUNT)
    await served.nvim.command(f"edit {path}")
    await served.nvim.lua(INSTRUMENTS)


async def _pipelined(effort: Effort) -> Table:
    requests = effort.runs(REQUESTS)
    table = Table(
        f"{requests} getDiagnostics of {COUNT:,} at once (ms)",
        [
            "",
            "longest stall",
            "goal",
            "first answer",
            "last answer",
            "CPU in Neovim",
            "in the host",
        ],
    )
    async with serving() as (served, wire):
        await _prepare(served)
        for name, fresh in (("just published", True), ("asked before", False)):
            if fresh:
                await served.ask("publish", COUNT)
                await asyncio.sleep(1)
            took = await _ask_at_once(served, wire, requests)
            stall, first, last, neovim, host = (figure(each) for each in took)
            table.add(name, stall, goal(took[0], 20, " ms"), first, last, neovim, host)
    return table


async def _ask_at_once(served: Editor, wire: Wire, requests: int) -> tuple[float, ...]:
    frames = [call(100 + number, "getDiagnostics") for number in range(requests)]
    pids = served.nvim.process.pid, await host_pid(served)
    await served.ask("watch_loop")
    used = [cpu(pid) for pid in pids]
    began = now()
    for frame in frames:
        await wire.connection.send(frame)
    times = [(await wire.answer(100 + number))[0] - began for number in range(requests)]
    neovim, host = (cpu(pid) - before for pid, before in zip(pids, used, strict=True))
    return await served.ask("longest_gap"), min(times), max(times), neovim, host


async def _published(effort: Effort) -> Table:
    table = Table(
        f"CPU in Neovim for {COUNT:,} diagnostics that are published (ms, medians)",
        ["with a client", "without the plugin", "added", "goal for what is added"],
    )
    async with serving() as (served, _), editor(plugin=False) as plain:
        both = served, plain
        for each in both:
            await _prepare(each)
        times: tuple[list[float], list[float]] = [], []
        for _ in range(effort.runs(PUBLISHES)):
            for each, samples in zip(both, times, strict=True):
                samples.append(await _cpu_of_publishing(each))
        ours, theirs = (median(samples) for samples in times)
        added = ours - theirs
        table.add(figure(ours), figure(theirs), figure(added), goal(added, 15, " ms"))
    return table


async def _cpu_of_publishing(each: Editor) -> float:
    pid = each.nvim.process.pid
    before = cpu(pid)
    await each.ask("publish", COUNT)
    await asyncio.sleep(AFTER)
    return cpu(pid) - before
