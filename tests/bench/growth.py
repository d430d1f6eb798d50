"""Costs that grow with the number of open files, and the cost of each event while a server runs.

The floor of the costs in Neovim is a Neovim without the plugin.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from bench.editors import Editor, editor, host_pid, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import INITIALIZE, Wire, call, connection, request
from support.claude_code import the_lock
from support.processes import cpu

FEW, MANY = 51, 1000
EVENTS = 10_000
SWITCHES = 20
SWITCH = """
local numbers = ...
local next = 0
local function switch()
  next = next + 1
  if numbers[next] then
    vim.cmd.buffer(numbers[next])
    vim.defer_fn(switch, 120)
  else
    bench.report('switched')
  end
end
vim.schedule(switch)
"""
OPEN = """
local folder, count = ...
for number = 1, count do
  vim.cmd.badd(('%s/file%d.txt'):format(folder, number))
end
"""
LIST = """
local numbers = vim.tbl_filter(function(bufnr)
  return vim.api.nvim_buf_get_name(bufnr) ~= ''
end, vim.api.nvim_list_bufs())
return vim.list_slice(numbers, #numbers - ... + 1)
"""
MOVED = """
local count = ...
local began = vim.uv.hrtime()
for _ = 1, count do
  vim.api.nvim_exec_autocmds('CursorMoved', {})
end
return (vim.uv.hrtime() - began) / 1e3 / count
"""
CALLS = ("getOpenEditors", "get_all_opened_file_paths", "checkDocumentDirty")


async def run(effort: Effort) -> list[Table]:
    """Measure requests, switches of buffers, cursor movements and the first selection."""
    return [await _asked(effort), await _switched(effort), await _moved(effort), await _first()]


@asynccontextmanager
async def _both(count: int) -> AsyncIterator[tuple[Editor, Wire, Editor]]:
    """Yield an editor with a server and one without the plugin, each with `count` files."""
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        for each in (served, plain):
            await each.nvim.lua(OPEN, str(each.project), count)
            await each.nvim.command("blast")
        yield served, wire, plain


async def _asked(effort: Effort) -> Table:
    table = Table(
        "Requests by the number of open files (ms, medians)",
        ["", *(f"{count:,} files" for count in (FEW, MANY)), "goal"],
    )
    columns: list[dict[str, float]] = []
    for count in (FEW, MANY):
        async with _both(count) as (served, wire, _):
            path = str(served.project / "none.txt")
            columns.append({tool: await _ask(wire, tool, path, effort.runs(200)) for tool in CALLS})
    for tool in CALLS:
        few, many = (column[tool] for column in columns)
        limit = goal(few, 1.9, " ms") if tool == "getOpenEditors" else ""
        table.add(tool, figure(few, 2), figure(many, 2), limit)
    return table


async def _ask(wire: Wire, tool: str, path: str, runs: int) -> float:
    times = []
    for _ in range(runs):
        number = next(wire.numbers)
        began = now()
        await wire.connection.send(call(number, tool, {"filePath": path}))
        times.append((await wire.answer(number))[0] - began)
    return median(times)


async def _switched(effort: Effort) -> Table:
    table = Table(
        "Another buffer, 120 ms for each (CPU in ms, medians)",
        ["files", "Neovim", "without the plugin", "added", "host", "goal for what is added"],
    )
    for count in (FEW, MANY):
        async with _both(count) as (served, _, plain):
            pid = await host_pid(served)
            ours, floor, host = [], [], []
            for _ in range(effort.runs(10)):
                before = cpu(pid)
                ours.append(await _switch(served))
                host.append((cpu(pid) - before) / SWITCHES)
                floor.append(await _switch(plain))
            added = median(ours) - median(floor)
            figures = (median(ours), median(floor), added, median(host))
            cells = (figure(each, 2) for each in figures)
            table.add(f"{count:,}", *cells, goal(added, 2, " ms"))
    return table


async def _switch(side: Editor) -> float:
    numbers = await side.nvim.lua(LIST, SWITCHES)
    before = await side.ask("cpu")
    await side.nvim.lua(SWITCH, numbers)
    await side.report("switched")
    return float(await side.ask("cpu") - before) / SWITCHES


async def _moved(effort: Effort) -> Table:
    ours: list[float] = []
    floor: list[float] = []
    async with _both(1) as (served, _, plain):
        for _ in range(effort.runs(21)):
            ours.append(await served.nvim.lua(MOVED, EVENTS))
            floor.append(await plain.nvim.lua(MOVED, EVENTS))
    table = Table(
        f"{EVENTS:,} times CursorMoved (µs, medians)",
        ["", "an event", "without the plugin", "added", "goal for what is added"],
    )
    here, there = median(ours), median(floor)
    cells = (figure(each) for each in (here, there, here - there))
    table.add("CursorMoved", *cells, goal(here - there, 5))
    return table


async def _first() -> Table:
    """Measure the wait for the first selection, with a client that answers pings and one not."""
    table = Table(
        "A new client, until its first `selection_changed` (ms)", ["", "after", "ratio", "goal"]
    )
    async with serving() as (served, _):
        path = served.project / "file.py"
        path.write_text("one\ntwo\n")
        await served.nvim.command(f"edit {path}")
        port, lock = await the_lock(served.config_folder)
        answering = await _time_event(port, lock["authToken"], answers=True)
        silent = await _time_event(port, lock["authToken"], answers=False)
    table.add("it answers pings", figure(answering), "", "")
    table.add("it answers none", figure(silent), ratio(silent, answering), goal(silent, 1000))
    return table


async def _time_event(port: int, token: str, *, answers: bool) -> float:
    async with connection(port, token) as connected:
        await connected.send(request(1, "initialize", INITIALIZE))
        await connected.recv()
        began = now()
        await connected.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        await connected.send(request(2, "tools/list"))
        async with asyncio.timeout(30):
            while True:
                message = msgspec.json.decode(await connected.recv(decode=False))
                if message.get("method") == "selection_changed":
                    return now() - began
                if message.get("method") == "ping" and answers:
                    pong = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
                    await connected.send(msgspec.json.encode(pong), text=True)
