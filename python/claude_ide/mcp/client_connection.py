"""A client's connection: its requests are answered, its notifications wait until it reads them."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from claude_ide.base.errors import TransportClosed
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.server import Server
from claude_ide.transport.websocket import Connection
from claude_ide.transport.wire import FROM, TO, Party


class ClientConnection:
    """The connection of one client, whose messages the user can watch under a name.

    Its own task sends the notifications in order, so that a slow client delays no other. Of those
    with the same key only the latest is kept.
    """

    def __init__(self, connection: Connection, server: Server, name: Callable[[], str]) -> None:
        self._connection = connection
        self._party = Party(name)
        self.peer = server.peer = Peer(self, server)
        self._waiting: OrderedDict[object, tuple[str, Any]] = OrderedDict()
        self._filled = asyncio.Event()

    async def serve(self) -> None:
        """Serve the client until it leaves; then cancel its requests."""
        sending = asyncio.get_running_loop().create_task(self._send_notifications())
        try:
            async for frame in self._connection.frames():
                self._party.note(FROM, frame)
                await self.peer.receive(frame)
        finally:
            sending.cancel()
            await self.peer.close()

    def notify(self, method: str, params: Any, key: object | None = None) -> None:
        """Queue a notification; it is sent as soon as the client reads."""
        self._waiting[key if key is not None else object()] = (method, params)
        self._filled.set()

    async def send(self, frame: bytes) -> None:
        """Send one message. Raises `TransportClosed` if the client is gone."""
        self._party.note(TO, frame)
        await self._connection.send(frame)

    async def close(self) -> None:
        """Disconnect the client."""
        await self._connection.close()

    async def _send_notifications(self) -> None:
        with contextlib.suppress(TransportClosed):
            while True:
                await self._filled.wait()
                while self._waiting:
                    _, (method, params) = self._waiting.popitem(last=False)
                    await self.peer.notify(method, params)
                self._filled.clear()
