"""`mcp/server.py`: what a client hears of a tool that takes long, and how it cancels one."""

import asyncio
import gc
import itertools
import json
from typing import Any

import pytest

from claude_ide.base.errors import ToolError, TransportClosed
from claude_ide.editor.operations import Operations
from claude_ide.editor.port.events import Answered
from claude_ide.mcp import server as server_module
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import Server
from claude_ide.mcp.tool import MODEL_TOOLS, Content, Toolset, model_tool, text
from claude_ide.transport.jsonrpc import Peer
from support.neovim import until

LONG_REASON = "x" * 100_000


class Wire:
    """The client's side of a connection, in memory: the frames it receives."""

    def __init__(self, client: Client, tools: Toolset) -> None:
        self.frames: list[Any] = []
        self.is_cut = False
        server = Server(client, lambda: None, tools=tools)
        self.peer = server.peer = Peer(self, server)

    async def send(self, frame: bytes) -> None:
        if self.is_cut:
            raise TransportClosed("cut")
        self.frames.append(json.loads(frame))

    async def call(self, id_: int, tool: str, **meta: Any) -> None:
        params = {"name": tool, "arguments": {}, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}
        await self.peer.receive(json.dumps(message))

    async def cancel(self, id_: int) -> None:
        method, params = "notifications/cancelled", {"requestId": id_}
        await self.peer.receive(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def answers(self) -> list[Any]:
        return [frame["id"] for frame in self.frames if "id" in frame]


class Slow:
    """A tool that runs until it is finished or cancelled."""

    def __init__(self) -> None:
        self.finish = asyncio.Event()
        self.is_cancelled = False


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(server_module, "PROGRESS_SECONDS", 0.01)
    monkeypatch.setattr(MODEL_TOOLS, "data", dict(MODEL_TOOLS.data))
    slow = Slow()

    @model_tool("slow", "Slow")
    async def run(_client: Client) -> Content:
        """Wait."""
        try:
            await slow.finish.wait()
        except asyncio.CancelledError:
            slow.is_cancelled = True
            raise
        return text("done")

    @model_tool("wrong", "Wrong")
    async def fail(_client: Client) -> Content:
        """Fail."""
        raise ToolError(LONG_REASON)

    return slow


@pytest.fixture
def wire(client: Client, slow: Slow) -> Wire:
    return Wire(client, MODEL_TOOLS)


async def test_progress_comes_before_the_answer_in_order_and_never_after_it(
    wire: Wire, slow: Slow
) -> None:
    await wire.call(1, "slow", progressToken="here")
    await until(lambda: len(wire.frames) >= 3, "progress")

    slow.finish.set()
    await until(wire.answers, "the answer")
    await asyncio.sleep(0.05)

    *progress, answer = wire.frames
    assert answer["result"]["content"][0]["text"] == "done"
    assert {frame["method"] for frame in progress} == {"notifications/progress"}
    assert {frame["params"]["progressToken"] for frame in progress} == {"here"}
    values = [frame["params"]["progress"] for frame in progress]
    assert all(one < other for one, other in itertools.pairwise(values))


async def test_without_a_token_there_is_no_progress(wire: Wire, slow: Slow) -> None:
    await wire.call(1, "slow")
    await asyncio.sleep(0.05)
    slow.finish.set()

    await until(wire.answers, "the answer")
    assert len(wire.frames) == 1


async def test_a_cancelled_tool_is_stopped_without_an_answer(wire: Wire, slow: Slow) -> None:
    await wire.call(1, "slow", progressToken=1)
    await until(lambda: wire.frames, "progress")

    await wire.cancel(1)

    await until(lambda: slow.is_cancelled, "it is cancelled")
    count = len(wire.frames)
    await asyncio.sleep(0.05)
    assert len(wire.frames) == count
    assert not wire.answers()


async def test_a_lost_connection_ends_the_progress_quietly(
    wire: Wire, slow: Slow, caplog: pytest.LogCaptureFixture
) -> None:
    await wire.call(1, "slow", progressToken=1)
    await until(lambda: wire.frames, "progress")
    wire.is_cut = True
    await asyncio.sleep(0.05)
    slow.finish.set()
    await wire.peer.close()

    gc.collect()
    await asyncio.sleep(0)
    assert "never retrieved" not in caplog.text


async def test_a_reason_is_never_too_long_for_a_model(wire: Wire) -> None:
    await wire.call(1, "wrong")
    await until(wire.answers, "the answer")

    reason = wire.frames[0]["result"]["content"][0]["text"]
    assert len(reason) < 5_000
    assert reason.endswith("…")


async def test_progress_says_who_is_waited_for(
    wire: Wire, slow: Slow, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    @model_tool("asking", "Asking", asks_user=True)
    async def ask(client: Client) -> Content:
        """Ask the server, then the user."""
        await client.tools.edited_texts()
        begun.set()
        await slow.finish.wait()
        return text("done")

    answer = asyncio.Event()

    async def begin(operations: Operations, token: int, *_tool: object) -> None:
        await answer.wait()
        operations._ended(Answered({"token": token, "json": "{}"}))

    monkeypatch.setattr(Operations, "_begin", begin)
    await wire.call(1, "asking", progressToken=1)
    await until(lambda: wire.frames, "progress")
    assert wire.frames[-1]["params"]["message"] == "waiting for Neovim"

    answer.set()
    await begun.wait()
    wire.frames.clear()
    await until(lambda: wire.frames, "progress")
    assert wire.frames[-1]["params"]["message"] == "waiting for the user"
