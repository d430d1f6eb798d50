"""A client of the server, which finds and connects to it as the CLI does."""

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

OnNotification = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Address:
    """The fields of a lock file that are needed to connect."""

    port: int
    token: str
    name: str


def find(environment: Mapping[str, str]) -> Address | None:
    """Return the server on the port in `CLAUDE_CODE_SSE_PORT`, if its lock file exists."""
    port = environment.get("CLAUDE_CODE_SSE_PORT", "")
    # A CLI with another configuration folder also looks in the usual one.
    for folder in (lock_file.folder(environment), lock_file.folder({})):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            fields = json.loads(Path(folder, f"{port}.lock").read_text(encoding="utf-8"))
            return Address(int(port), fields["authToken"], fields["ideName"])
    return None


class Server:
    """A connection to the server: calls tools, and passes notifications to `on_notify`."""

    def __init__(self, connection: ClientConnection, on_notify: OnNotification) -> None:
        self._connection = connection
        self._on_notify = on_notify
        self._peer = Peer(self, self)
        self.conversation = asyncio.create_task(self._converse())
        """The task that handles messages; it ends when the server closes the connection."""

    async def _converse(self) -> None:
        try:
            async for frame in self._connection:
                await self._peer.receive(frame)
        except ConnectionClosed:
            pass
        finally:
            await self._peer.close()

    async def initialize(self) -> None:
        """Send `initialize` and the notifications that follow it."""
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
        """Call a tool and return its texts. Raises `ToolError` with its message."""
        result = await self._peer.request("tools/call", {"name": tool, "arguments": arguments})
        texts = [block["text"] for block in result["content"]]
        if result.get("isError"):
            raise ToolError(" ".join(texts))
        return texts

    async def send(self, frame: bytes) -> None:
        """Send a message (as the `Transport` of the peer)."""
        try:
            await self._connection.send(frame, text=True)
        except ConnectionClosed as closed:
            raise TransportClosed(str(closed)) from None

    def on_request(self, request: Request) -> Any:
        """Answer the server (as the `Dialect` of the peer)."""
        if request.method == "ping":
            return {}
        raise RpcError.method_not_found(request.method)

    def on_notification(self, notification: Notification) -> None:
        """Pass on a notification."""
        self._on_notify(notification.method, notification.params or {})

    def oversized(self, _request: Request, _size: int) -> Any:
        """Return an empty result; no answer to the server is ever too large."""
        return {}


@contextlib.asynccontextmanager
async def connected(address: Address, on_notify: OnNotification) -> AsyncIterator[Server]:
    """Connect and initialize. Raises `TransportClosed` if that fails."""
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
        server = Server(connection, on_notify)
        try:
            await server.initialize()
            yield server
        finally:
            server.conversation.cancel()
