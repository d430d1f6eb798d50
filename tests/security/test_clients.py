"""Malicious or broken clients that have the token: the user and other clients do not suffer.

Each runs against a real host and a real Neovim, which must answer afterwards.
"""

import asyncio
import contextlib
import json
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from support.claude_code import AUTHORIZATION, ClaudeCode, claude_code, the_lock
from support.neovim import Neovim, until

MEGABYTE = 2**20
MOST_GROWTH = 120
"""MB: six times the largest message."""
PROMPT = 0.1
"""Seconds within which other clients get an answer while one of them floods the server."""
LONG = 60.0

EDITORS = {"name": "getOpenEditors", "arguments": {}}


@pytest.fixture
async def nvim(project: Path, tmp_path: Path) -> AsyncIterator[Neovim]:
    """A Neovim with a running server."""
    neovim = await Neovim.start(cwd=project, home=tmp_path / "home")
    await neovim.command("ClaudeStart")
    await the_lock(tmp_path / "home/claude")
    yield neovim
    await neovim.stop()


@pytest.fixture
def config(tmp_path: Path, nvim: Neovim) -> Path:
    """The folder in which clients find the server's lock file."""
    return tmp_path / "home/claude"


def resident(pid: int) -> float:
    """Resident memory in MB."""
    (line,) = (
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


class Watch:
    """The cost of a flood: memory growth of host and Neovim, and delays for other clients."""

    def __init__(self, nvim: Neovim, other: ClaudeCode, host: int) -> None:
        self._nvim, self._other = nvim, other
        self._pids = {"host": host, "Neovim": nvim.process.pid}
        self._before = {name: resident(pid) for name, pid in self._pids.items()}
        self.over = False
        self.growth = dict.fromkeys(self._pids, 0.0)
        self.delays: dict[str, list[float]] = {"client": [], "Neovim": []}

    async def look(self) -> None:
        """Ping the host as another client, and Neovim, until `over` is set."""
        while not self.over:
            await self._time("client", self._other.request("ping", seconds=LONG))
            await self._time("Neovim", self._nvim.eval("1"))
            self._measure()
            await asyncio.sleep(0.02)

    def assert_low(self) -> None:
        """Assert that memory and delays have stayed low."""
        self._measure()
        assert max(self.growth.values()) < MOST_GROWTH, self
        for delays in self.delays.values():
            # A few single delays may be caused by other processes on this machine.
            assert statistics.median(delays) < PROMPT, self

    def __repr__(self) -> str:
        longest = {
            name: f"{len(d)} max {max(d):.3f} p95 {sorted(d)[int(len(d) * 0.95)]:.3f}"
            for name, d in self.delays.items()
            if d
        }
        return f"growth in MB {self.growth}, delays in s {longest}"

    def _measure(self) -> None:
        for name, pid in self._pids.items():
            self.growth[name] = max(self.growth[name], resident(pid) - self._before[name])

    async def _time(self, name: str, asking: Awaitable[Any]) -> None:
        begun = asyncio.get_running_loop().time()
        await asking
        self.delays[name].append(asyncio.get_running_loop().time() - begun)


@asynccontextmanager
async def watching(nvim: Neovim, config: Path) -> AsyncIterator[Watch]:
    """Measure during the block; check afterwards that the server and Neovim still answer."""
    _, lock = await the_lock(config)
    async with claude_code(config) as other:
        watch = Watch(nvim, other, lock["hostPid"])
        looking = asyncio.create_task(watch.look())
        try:
            yield watch
        finally:
            # Not cancelled, because `wait_for` in Python 3.11 can swallow a cancellation.
            watch.over = True
            await looking
        print(watch)
        assert await other.json("getOpenEditors") is not None
    assert await nvim.eval("1 + 1") == 2


@asynccontextmanager
async def raw(config: Path) -> AsyncIterator[ClientConnection]:
    """A client that reads only on request."""
    port, lock = await the_lock(config)
    async with connect(
        f"ws://127.0.0.1:{port}/",
        additional_headers={AUTHORIZATION: lock["authToken"]},
        subprotocols=[websockets.Subprotocol("mcp")],
        max_size=None,
        max_queue=1,
        compression=None,
        ping_interval=None,
    ) as connection:
        yield connection
        connection.transport.abort()


def request(number: int, method: str, params: Any = None) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})


async def send_all(connection: ClientConnection, frames: list[str]) -> int:
    """Send frames until the server stops reading; return how many were sent."""
    for number, frame in enumerate(frames):
        try:
            await asyncio.wait_for(connection.send(frame), 3)
        except TimeoutError:
            return number
    return len(frames)


async def answered(connection: ClientConnection, ids: set[int]) -> list[Any]:
    """Read until all these requests are answered; return the answers."""
    answers = []
    async with asyncio.timeout(LONG * 2):
        while ids:
            message = json.loads(await connection.recv())
            for answer in message if isinstance(message, list) else [message]:
                if "method" not in answer:
                    ids.discard(answer["id"])
                    # Results can be large, so they are dropped.
                    answers.append(answer if "error" in answer else {**answer, "result": True})
    return answers


async def test_a_client_that_never_reads_is_throttled(nvim: Neovim, config: Path) -> None:
    frames = [request(number, "tools/call", EDITORS) for number in range(60_000)]
    async with watching(nvim, config) as watch, raw(config) as client:
        # The unread frames stay in the socket, whose buffers may hold them all.
        await send_all(client, frames)
        await until(lambda: len(watch.delays["Neovim"]) > 50, "a longer look")
    watch.assert_low()


async def test_a_client_that_sends_without_a_pause_gets_all_its_answers(
    nvim: Neovim, config: Path
) -> None:
    count = 10_000
    frames = [request(number, "tools/call", EDITORS) for number in range(count)]
    async with watching(nvim, config) as watch, raw(config) as client:
        reading = asyncio.create_task(answered(client, set(range(count))))
        for frame in frames:
            await client.send(frame)

        answers = await reading
    assert not [answer for answer in answers if "result" not in answer]
    watch.assert_low()


async def test_a_client_that_sends_and_never_reads_is_throttled(nvim: Neovim, config: Path) -> None:
    frames = [request(number, "tools/list", {"more": "x" * 10_000}) for number in range(5_000)]
    async with watching(nvim, config) as watch, raw(config) as client:
        sent = await send_all(client, frames)

        assert sent < len(frames)
    watch.assert_low()


@pytest.mark.parametrize("reads", [True, False], ids=["reads", "never reads"])
@pytest.mark.parametrize("method", ["readFile", "getOpenFiles"])
async def test_large_answers_do_not_accumulate_in_memory(
    nvim: Neovim, config: Path, project: Path, method: str, reads: bool
) -> None:
    (project / "large.txt").write_text("a line of a usual length\n" * 200_000)
    await nvim.command("edit large.txt")
    frames = [request(number, method, {"path": "large.txt"}) for number in range(40)]
    async with watching(nvim, config) as watch, raw(config) as client:
        reading = asyncio.create_task(answered(client, set(range(40)))) if reads else None
        await send_all(client, frames)
        if reading:
            answers = await reading
            assert not [answer for answer in answers if "result" not in answer]
        else:
            await until(lambda: len(watch.delays["Neovim"]) > 50)

    assert max(watch.growth.values()) < MOST_GROWTH, watch


NESTED = "[" * 200 + "]" * 200
HUGE = {
    "a text": '"' + "x" * 20 * MEGABYTE + '"',
    "objects": "[" + "{}," * (7 * MEGABYTE) + "0]",
    "names": "{" + ",".join(f'"{number}":0' for number in range(7 * MEGABYTE // 4)) + "}",
    "numbers": "[" + "1," * (10 * MEGABYTE) + "0]",
    "nested": "[" + f"{NESTED}," * 50_000 + "0]",
}


@pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize(
    "message",
    [
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":'
        '{"name":"getOpenEditors","arguments":{"a":VALUE}}}',
        '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"a":VALUE}}',
        '{"jsonrpc":"2.0","id":7,"method":"getWorkspaceInfo","params":VALUE}',
        '{"jsonrpc":"2.0","id":7,"result":VALUE}',
        '[{"jsonrpc":"2.0","id":7,"method":"ping","params":[VALUE]}]',
    ],
    ids=["arguments", "params", "instead of params", "result", "batch"],
)
async def test_a_huge_message_costs_little_more_memory_than_its_size(
    nvim: Neovim, config: Path, message: str, value: str
) -> None:
    async with watching(nvim, config) as watch, raw(config) as client:
        for _ in range(3):
            await client.send(message.replace("VALUE", value))
        await client.send(request(8, "ping"))
        await answered(client, {8})

    assert max(watch.growth.values()) < MOST_GROWTH, watch


def diff(number: int, path: Path, text: str) -> dict[str, Any]:
    arguments = {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": text,
        "tab_name": f"proposal {number}",
    }
    return {"name": "openDiff", "arguments": arguments}


async def test_fifty_waiting_diffs_block_no_other_request(
    nvim: Neovim, config: Path, project: Path
) -> None:
    async with watching(nvim, config), claude_code(config) as client:
        waiting = [
            client.start_call("openDiff", diff(number, project / "a.py", "x\n")["arguments"])[1]
            for number in range(50)
        ]

        assert await client.request("ping") == {}
        assert await client.json("getOpenEditors") is not None
        assert await client.texts("close_tab", {"tab_name": "proposal 49"})
        await client.call("closeAllDiffTabs")
        for answer in waiting:
            assert (await answer)["content"][0]["text"] == "DIFF_REJECTED"


async def test_excess_diffs_are_refused_and_all_of_them_can_be_cancelled(
    nvim: Neovim, config: Path, project: Path
) -> None:
    count = 600
    async with watching(nvim, config), raw(config) as client:
        refused: list[Any] = []

        async def read() -> None:
            async for message in client:
                if "error" in (answer := json.loads(message)):
                    refused.append(answer)

        reading = asyncio.create_task(read())
        for number in range(count):
            params = diff(number, project / "a.py", f"{number}\n")
            await client.send(request(number, "tools/call", params))
        await until(lambda: len(refused) >= count - 250, "the rest is refused", LONG)

        assert {answer["error"]["code"] for answer in refused} == {-32000}
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        for number in range(count):
            await client.send(json.dumps({**cancelled, "params": {"requestId": number}}))
        await client.send(request(count, "tools/call", EDITORS))
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        assert "result" in (await answered(client, {count}))[0]


async def test_a_cancellation_overtakes_queued_requests(
    nvim: Neovim, config: Path, project: Path
) -> None:
    async with watching(nvim, config), raw(config) as client:
        await client.send(request(0, "tools/call", diff(0, project / "a.py", "x\n")))
        tabs: Callable[[], Awaitable[Any]] = lambda: nvim.eval("tabpagenr('$')")  # noqa: E731
        await until(lambda: shown(tabs, 2), "the diff")
        for number in range(900):
            await client.send(request(number + 1, "tools/call", EDITORS))

        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        await client.send(json.dumps({**cancelled, "params": {"requestId": 0}}))

        await until(lambda: shown(tabs, 1), "the diff is closed")


async def shown(tabs: Callable[[], Awaitable[Any]], count: int) -> bool:
    return bool(await tabs() == count)
