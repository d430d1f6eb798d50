"""The start of the MCP server that agents start, and the answers through it.

The floors are a Python that does nothing, and the same requests over the socket itself.
"""

import asyncio
import sys
from pathlib import Path

from bench.editors import serving
from bench.measure import Effort, Samples, Table, figure, goal, median, now, ratio
from bench.wire import INITIALIZE, call, connection, request
from support.claude_code import the_lock
from support.mcp_stdio import address, mcp_stdio

STARTS = 51
REQUESTS = 1_000
Answers = tuple[Samples, Samples]
"""The times through the process, and over the socket."""


async def run(effort: Effort) -> list[Table]:
    """Measure in turns with the floors."""
    async with serving() as (served, _):
        port, lock = await the_lock(served.config_folder)
        token = lock["authToken"]
        starts, bare = list[float](), list[float]()
        for _ in range(effort.runs(STARTS)):
            starts.append(await _start(port, token, served.project))
            bare.append(await _nothing())
        through, over = await _compare(port, token, served.project, effort.runs(REQUESTS))
    table = Table("Tools over stdio (ms, medians)", ["", "here", "floor", "ratio", "goal"])
    table.add(*_row("start until `initialize` is answered", starts, bare, 100))
    table.add(*_row("working_folders", through, over, 1))
    return [table]


def _row(name: str, here: Samples, floor: Samples, limit: float) -> list[str]:
    ours, theirs = median(here), median(floor)
    return [name, figure(ours, 2), figure(theirs, 2), ratio(ours, theirs), goal(ours, limit, " ms")]


async def _start(port: int, token: str, folder: Path) -> float:
    began = now()
    async with mcp_stdio(address(port, token), folder) as client:
        await client.write(request(1, "initialize", INITIALIZE).encode())
        await client.read()
        return now() - began


async def _nothing() -> float:
    began = now()
    process = await asyncio.create_subprocess_exec(sys.executable, "-I", "-c", "pass")
    await process.wait()
    return now() - began


async def _compare(port: int, token: str, folder: Path, count: int) -> Answers:
    through, over = list[float](), list[float]()
    async with (
        mcp_stdio(address(port, token), folder) as client,
        connection(port, token, "/neovim") as wire,
    ):
        for number in range(count):
            asked = call(number, "working_folders")
            began = now()
            await client.write(asked.encode())
            await client.read()
            answered = now()
            through.append(answered - began)
            await wire.send(asked)
            await wire.recv()
            over.append(now() - answered)
    return through, over
