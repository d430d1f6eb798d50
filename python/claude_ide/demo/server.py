"""The IDE's server as a client sees it: found and connected to as the CLI does, then called."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from claude_ide import __version__
from claude_ide.errors import RpcError, ToolError, TransportClosed
from claude_ide.jsonrpc.message import Notification, Request
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp import lock_file

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"
LARGEST_MESSAGE = 64 * 2**20

Told = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Address:
    """What a lock file says of a server."""

    port: int
    token: str
    name: str


def find(environment: Mapping[str, str]) -> Address | None:
    """Return the server that `CLAUDE_CODE_SSE_PORT` names, if its lock file is there."""
    port = environment.get("CLAUDE_CODE_SSE_PORT", "")
    # A CLI with a configuration folder of its own looks at the usual one too.
    for folder in (lock_file.folder(environment), lock_file.folder({})):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            fields = json.loads(Path(folder, f"{port}.lock").read_text(encoding="utf-8"))
            return Address(int(port), fields["authToken"], fields["ideName"])
    return None


class Server:
    """One connection: tools to call, and `told` with whatever the server tells by itself."""

    def __init__(self, connection: ClientConnection, told: Told) -> None:
        self._connection = connection
        self._told = told
        self._peer = Peer(self, self)
        self.conversation = asyncio.create_task(self._converse())
        """Ends when the server leaves."""

    async def _converse(self) -> None:
        try:
            async for frame in self._connection:
                await self._peer.receive(frame)
        except ConnectionClosed:
            pass
        finally:
            await self._peer.close()

    async def initialize(self) -> None:
        """Introduce ourselves."""
        await self._peer.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "claude-ide-demo", "title": "Demo", "version": __version__},
            },
        )
        await self._peer.notify("notifications/initialized")
        await self._peer.notify("ide_connected", {"pid": os.getpid()})

    async def call(self, tool: str, arguments: dict[str, Any]) -> list[str]:
        """Call a tool and return its texts; raises `ToolError` with what it says of a failure."""
        result = await self._peer.request("tools/call", {"name": tool, "arguments": arguments})
        texts = [block["text"] for block in result["content"]]
        if result.get("isError"):
            raise ToolError(" ".join(texts))
        return texts

    async def send(self, frame: bytes) -> None:
        """Send a message (the `Transport` of the peer)."""
        try:
            await self._connection.send(frame, text=True)
        except ConnectionClosed as closed:
            raise TransportClosed(str(closed)) from None

    def on_request(self, request: Request) -> Any:
        """Answer the server (the `Dialect` of the peer)."""
        if request.method == "ping":
            return {}
        raise RpcError.method_not_found(request.method)

    def on_notification(self, notification: Notification) -> None:
        """Pass on what we are told."""
        self._told(notification.method, notification.params or {})

    def waits(self, _request: Request) -> bool:
        """Nothing that we answer waits for the user."""
        return False

    def oversized(self, _request: Request, _size: int) -> Any:
        """Nothing that we answer can be too large."""
        return {}


@contextlib.asynccontextmanager
async def connected(address: Address, told: Told) -> AsyncIterator[Server]:
    """Connect and introduce ourselves; raises `TransportClosed` when that cannot be done."""
    try:
        connection = await connect(
            f"ws://127.0.0.1:{address.port}/",
            additional_headers={AUTHORIZATION: address.token},
            subprotocols=[Subprotocol("mcp")],
            max_size=LARGEST_MESSAGE,
        )
    except (OSError, InvalidHandshake, TimeoutError) as error:
        raise TransportClosed(str(error)) from None
    async with connection:
        server = Server(connection, told)
        try:
            await server.initialize()
            yield server
        finally:
            server.conversation.cancel()
