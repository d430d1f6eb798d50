"""A client of the server, which finds and connects to it as the CLI does."""

import asyncio
import contextlib
import itertools
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
from claude_ide.base.errors import RpcError, ToolError, TransportClosed
from claude_ide.mcp import lock_file

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"
LARGEST_BYTES = 64 * 2**20
INTRODUCTION = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-ide-demo", "title": "Demo", "version": __version__},
}

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
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self.conversation = asyncio.create_task(self._converse())
        """The task that handles messages; it ends when the server closes the connection."""

    async def _converse(self) -> None:
        try:
            async for frame in self._connection:
                await self._receive(json.loads(frame))
        except ConnectionClosed:
            pass
        finally:
            for asked in self._asked.values():
                if not asked.done():
                    asked.set_exception(TransportClosed("the server has closed the connection"))

    async def _receive(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            asked = self._asked.pop(message["id"])
            if error := message.get("error"):
                asked.set_exception(RpcError(error["code"], error["message"]))
            else:
                asked.set_result(message["result"])
        elif "id" in message:
            # The server only asks whether the demo still answers.
            await self._send({"id": message["id"], "result": {}})
        else:
            self._on_notify(message["method"], message.get("params") or {})

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            await self._connection.send(json.dumps({"jsonrpc": "2.0"} | message))
        except ConnectionClosed as closed:
            raise TransportClosed(str(closed)) from None

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        id_ = next(self._ids)
        answer = self._asked[id_] = asyncio.get_running_loop().create_future()
        await self._send({"id": id_, "method": method, "params": params})
        return await answer

    async def initialize(self) -> None:
        """Send `initialize` and the notifications that follow it."""
        await self._request("initialize", INTRODUCTION)
        await self._send({"method": "notifications/initialized"})
        await self._send({"method": "ide_connected", "params": {"pid": os.getpid()}})

    async def call(self, tool: str, arguments: dict[str, Any]) -> list[str]:
        """Call a tool and return its texts. Raises `ToolError` with its message."""
        result = await self._request("tools/call", {"name": tool, "arguments": arguments})
        texts = [block["text"] for block in result["content"]]
        if result.get("isError"):
            raise ToolError(" ".join(texts))
        return texts


@contextlib.asynccontextmanager
async def connected(address: Address, on_notify: OnNotification) -> AsyncIterator[Server]:
    """Connect and initialize. Raises `TransportClosed` if that fails."""
    try:
        connection = await connect(
            f"ws://127.0.0.1:{address.port}/",
            additional_headers={AUTHORIZATION: address.token},
            subprotocols=[Subprotocol("mcp")],
            max_size=LARGEST_BYTES,
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
