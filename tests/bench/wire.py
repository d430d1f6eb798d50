"""A minimal client: sends frames, and records the time of each received one."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import websockets
from websockets.asyncio.client import ClientConnection, connect

from bench.measure import now
from support.claude_code import AUTHORIZATION
from support.neovim import until

LONGEST = 30.0
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def request(number: int, method: str, params: Any = None) -> str:
    """Encode a request in advance, so that encoding is not measured."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
    return msgspec.json.encode(message).decode()


def call(number: int, tool: str, arguments: Any = None) -> str:
    """Encode the call of a tool."""
    return request(number, "tools/call", {"name": tool, "arguments": arguments or {}})


@asynccontextmanager
async def connection(port: int, token: str = "", path: str = "") -> AsyncIterator[ClientConnection]:
    """Connect as the CLI does, uncompressed."""
    async with connect(
        f"ws://127.0.0.1:{port}{path}",
        additional_headers={AUTHORIZATION: token},
        subprotocols=[websockets.Subprotocol("mcp")],
        compression=None,
        max_size=None,
        ping_interval=None,
    ) as connected:
        yield connected


class Wire:
    """One connection; `notifications` and `answers` have times (see `measure.now`)."""

    def __init__(self, connected: ClientConnection) -> None:
        self.connection = connected
        self.notifications: list[tuple[float, str, Any]] = []
        self.answers: dict[int, tuple[float, Any]] = {}
        self.numbers = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def connected(cls, port: int, token: str, path: str = "") -> AsyncIterator["Wire"]:
        """Connect and read until the end."""
        async with connection(port, token, path) as connected:
            wire = cls(connected)
            reading = asyncio.create_task(wire._read())
            yield wire
        await reading

    async def introduce(self) -> None:
        """Initialize, and wait until notifications arrive, which takes a while (`Ide._welcome`)."""
        await self.ask("initialize", INITIALIZE)
        await self.connection.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        await self.ask("tools/list")

    async def ask(self, method: str, params: Any = None) -> tuple[float, Any]:
        """Send a request; return the time of its answer, and the answer."""
        number = next(self.numbers)
        await self.connection.send(request(number, method, params))
        return await self.answer(number)

    async def answer(self, number: int) -> tuple[float, Any]:
        """Wait for the answer with this id."""
        await until(lambda: number in self.answers, f"answer {number}", LONGEST)
        return self.answers.pop(number)

    async def _read(self) -> None:
        try:
            while True:
                frame = await self.connection.recv(decode=False)
                at = now()
                await self._handle(at, msgspec.json.decode(frame))
        except websockets.ConnectionClosed:
            pass

    async def _handle(self, at: float, message: Any) -> None:
        if message.get("method") == "ping":
            pong = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
            await self.connection.send(msgspec.json.encode(pong), text=True)
        elif "method" in message:
            self.notifications.append((at, message["method"], message.get("params")))
        else:
            self.answers[message["id"]] = (at, message.get("result"))
