"""The server for an agent that runs as our child: it gets messages through the agent's pipe.

It needs no port and no token, and ends with the child. Methods and errors are the same as over the
socket.
"""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import msgspec

from claude_ide.base.names import EXECUTE_CODE
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import Server
from claude_ide.mcp.tool import Toolset

CANCELLED = "notifications/cancelled"
GIVEN_UP = {"code": -32800, "message": "the request was cancelled"}


class InProcessServer:
    """Serves tools to one client; call it with each message."""

    def __init__(self, client: Client, tools: Toolset) -> None:
        self._tools = tools
        self._client = client
        server = Server(client, tools=tools)
        self._peer = server.peer = Peer(self, server)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[Any, asyncio.Future[dict[str, Any]]]] = {}
        """By our own request ids: the agent's id, and the future of the answer."""

    async def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a JSON-RPC message; None if it is a notification.

        Cancelling this cancels the request, which then closes anything it has opened.
        """
        if message.get("method") == CANCELLED:
            self._cancel(message.get("params"))
            return None
        if "id" not in message:
            await self._peer.receive(msgspec.json.encode(message))
            return None
        # Two messages may have the same id if one of them was cancelled.
        number = next(self._numbers)
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = message["id"], waiting
        try:
            await self._peer.receive(msgspec.json.encode(message | {"id": number}))
            answer = await waiting
            return {**answer, "id": message["id"]}
        except asyncio.CancelledError:
            self._peer.cancel(number)
            raise
        finally:
            del self._waiting[number]

    def allowed(self, tool: str, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        """Note that the user has allowed a use of a tool, and perhaps all further ones."""
        if tool == EXECUTE_CODE:
            self._client.allowed_code.allow_use(use, arguments, for_good=for_good)

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self._client.reading.add(path)

    def watch(self, changed: Callable[[], object]) -> Callable[[], object]:
        """Have `changed` called when there are other tools; return what ends this."""
        return self._tools.subscribe(changed)

    async def close(self) -> None:
        """Cancel all requests, and take no more."""
        self.cancel_all()
        await self._peer.close()

    def cancel_all(self) -> None:
        """Cancel all requests."""
        for number in self._waiting:
            self._give_up(number)

    async def send(self, frame: bytes) -> None:
        """Settle a request with the peer's answer; over this pipe there are no notifications."""
        answer = msgspec.json.decode(frame)
        _, waiting = self._waiting.get(answer.get("id"), (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _cancel(self, params: Any) -> None:
        """Cancel a request, which the agent names by its own id.

        Over a pipe a cancelled request is answered, too.
        """
        unwanted = params.get("requestId") if isinstance(params, dict) else None
        for number, (id_, _) in self._waiting.items():
            if id_ == unwanted:
                self._give_up(number)

    def _give_up(self, number: int) -> None:
        _, waiting = self._waiting[number]
        if not waiting.done():
            self._peer.cancel(number)
            waiting.set_result({"jsonrpc": "2.0", "error": GIVEN_UP})
