"""The notifications that wait until a client reads them."""

import asyncio
import contextlib
from collections import OrderedDict
from typing import Any

from claude_ide.errors import TransportClosed
from claude_ide.jsonrpc.peer import Peer


class Outbox:
    """The queue of notifications for one client; its own task sends them in order.

    A slow client therefore delays no other. Of notifications with the same key only the latest is
    kept.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._waiting: OrderedDict[object, tuple[str, Any]] = OrderedDict()
        self._filled = asyncio.Event()

    def put(self, method: str, params: Any, key: object | None = None) -> None:
        """Queue a notification; it is sent as soon as the client reads."""
        self._waiting[key if key is not None else object()] = (method, params)
        self._filled.set()

    async def drain(self) -> None:
        """Send the queued notifications, until the client leaves."""
        with contextlib.suppress(TransportClosed):
            while True:
                await self._filled.wait()
                while self._waiting:
                    _, (method, params) = self._waiting.popitem(last=False)
                    await self.peer.notify(method, params)
                self._filled.clear()
