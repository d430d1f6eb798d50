"""The time of sequential requests from a client in its own process.

The floor is a bare `websockets` server that sends the same answer without any work.
"""

import asyncio
import multiprocessing
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection

import msgspec
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection, serve

from bench.editors import Editor, host_pid, serving
from bench.measure import Effort, Samples, Table, figure, goal, now, percentile, ratio
from bench.wire import INITIALIZE, call, connection, request
from support.claude_code import the_lock
from support.processes import cpu

REQUESTS = 2000
TURNS = 20
"""The number of turns in which requests alternate between the servers."""
QUIET = 0.5
"""Seconds without a message after which a new client has all its notifications."""
FILES = 5
DIAGNOSTICS = """
local items = {}
for lnum = 0, 19 do
  items[#items + 1] = { lnum = lnum, col = 0, end_lnum = lnum, end_col = 4, message = 'a message' }
end
vim.diagnostic.set(vim.api.nvim_create_namespace('bench_diagnostics'), 0, items)
"""
Address = tuple[int, str]
Result = tuple[Samples, Samples, float, float]
"""The times of our server and of the floor; the CPU of the host and of Neovim."""


async def run(effort: Effort) -> list[Table]:
    """Measure with five open files and twenty diagnostics in one of them."""
    spawn = multiprocessing.get_context("spawn")
    ready, port_of_floor = spawn.Pipe(duplex=False)
    floor = spawn.Process(target=_serve_floor, args=(port_of_floor,), daemon=True)
    floor.start()
    async with serving() as (served, _):
        await _work(served)
        port, lock = await the_lock(served.config_folder)
        with ProcessPoolExecutor(1, mp_context=spawn) as elsewhere:
            results = await asyncio.get_running_loop().run_in_executor(
                elsewhere,
                _compare,
                (port, lock["authToken"]),
                (ready.recv(), ""),
                (await host_pid(served), served.nvim.process.pid),
                _frames(served),
                max(1, effort.runs(REQUESTS) // TURNS),
            )
    floor.terminate()
    table = Table(
        f"Requests, {effort.runs(REQUESTS):,} of each, one after the other (ms)",
        [
            *["", "p50", "p99", "floor p50", "floor p99", "ratio of p50", "goal for p50"],
            *["CPU in the host", "CPU in Neovim"],
        ],
    )
    for name, (ours, theirs, *used) in results.items():
        here, there = percentile(ours, 50), percentile(theirs, 50)
        table.add(
            *[name, figure(here, 2), figure(percentile(ours, 99), 2)],
            *[figure(there, 2), figure(percentile(theirs, 99), 2), ratio(here, there)],
            goal(here, 0.3 if name == "tools/list" else 0.8, " ms"),
            *(figure(each / len(ours), 2) for each in used),
        )
    return [table]


async def _work(served: Editor) -> None:
    for number in range(FILES):
        path = served.project / f"file{number}.py"
        path.write_text("def greet(name):\n    return name\n" * 50)
        await served.nvim.command(f"edit {path}")
    await served.nvim.lua(DIAGNOSTICS)


def _frames(served: Editor) -> dict[str, str]:
    path = str(served.project / f"file{FILES - 1}.py")
    return {
        "tools/list": request(1, "tools/list"),
        "getCurrentSelection": call(1, "getCurrentSelection"),
        "getLatestSelection": call(1, "getLatestSelection"),
        "getOpenEditors": call(1, "getOpenEditors"),
        "get_all_opened_file_paths": call(1, "get_all_opened_file_paths"),
        "getWorkspaceFolders": call(1, "getWorkspaceFolders"),
        "checkDocumentDirty": call(1, "checkDocumentDirty", {"filePath": path}),
        "getDiagnostics, one file": call(1, "getDiagnostics", {"uri": f"file://{path}"}),
        "getDiagnostics, all files": call(1, "getDiagnostics"),
    }


def _compare(
    server: Address, floor: Address, pids: tuple[int, int], frames: Mapping[str, str], turn: int
) -> dict[str, Result]:
    """Measure in this process; `turn` is the number of requests between changes of server."""

    async def measure() -> dict[str, Result]:
        results: dict[str, Result] = {}
        async with connection(*server) as ours, connection(*floor) as theirs:
            await _introduce(ours)
            for name, frame in frames.items():
                # The floor answers with the last binary message that it has received.
                await theirs.send((await _answer(ours, frame))[1])
                times: tuple[list[float], list[float]] = [], []
                before = [cpu(pid) for pid in pids]
                for _ in range(TURNS):
                    for side, samples in zip((ours, theirs), times, strict=True):
                        samples += [(await _answer(side, frame))[0] for _ in range(turn)]
                host, neovim = (cpu(pid) - used for pid, used in zip(pids, before, strict=True))
                results[name] = (*times, host, neovim)
        return results

    return asyncio.run(measure())


async def _introduce(connected: ClientConnection) -> None:
    """Initialize a client, and read the notifications for a new one."""
    await _answer(connected, request(1, "initialize", INITIALIZE))
    await connected.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    await _answer(connected, request(1, "tools/list"))
    while True:
        try:
            frame = await asyncio.wait_for(connected.recv(decode=False), QUIET)
        except TimeoutError:
            return
        await _pong(connected, frame)


async def _answer(connected: ClientConnection, frame: str) -> tuple[float, bytes]:
    """Send a request; return the time until its answer, and the answer."""
    began = now()
    await connected.send(frame)
    while True:
        answer = await connected.recv(decode=False)
        took = now() - began
        if b'"method"' not in answer[:60]:
            return took, answer
        await _pong(connected, answer)


async def _pong(connected: ClientConnection, frame: bytes) -> None:
    message = msgspec.json.decode(frame)
    if message["method"] == "ping":
        pong = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
        await connected.send(msgspec.json.encode(pong), text=True)


def _serve_floor(port: Connection) -> None:
    async def answer(client: ServerConnection) -> None:
        reply = b""
        async for frame in client:
            if isinstance(frame, bytes):
                reply = frame
            else:
                await client.send(reply, text=True)

    async def forever() -> None:
        listening = serve(
            answer,
            "127.0.0.1",
            0,
            subprotocols=[websockets.Subprotocol("mcp")],
            compression=None,
            ping_interval=None,
        )
        async with listening as server:
            port.send(next(iter(server.sockets)).getsockname()[1])
            await server.serve_forever()

    asyncio.run(forever())
