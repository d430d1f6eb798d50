"""The server for an agent that is our own child: its messages come over the agent's pipe.

No port, no token; it ends with the child. Same tools, same methods, same errors as over the socket.
"""

import asyncio
import itertools
from typing import Any

import msgspec

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import Server

READING = (
    *("getDiagnostics", "getOpenEditors", "getCurrentSelection", "getLatestSelection"),
    *("getWorkspaceFolders", "get_all_opened_file_paths", "checkDocumentDirty"),
)
"""The tools that change nothing, so that nobody has to be asked for permission."""

CANCELLED = "notifications/cancelled"
GIVEN_UP = {"code": -32800, "message": "the request was cancelled"}


class InProcessServer:
    """Serves one agent; call it with each message. `name` is who the user is told proposes."""

    def __init__(self, editor: Editor, config: Config, name: str) -> None:
        server = Server(Client(editor, config, name), lambda: None)
        self._peer = server.peer = Peer(self, server)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[Any, asyncio.Future[dict[str, Any]]]] = {}
        """What is being answered: the agent's id, and where the answer goes; by our own ids."""

    async def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Answer a JSON-RPC message; None if it is a notification.

        Cancelled, it gives up the request, and what the request has opened is closed.
        """
        if message.get("method") == CANCELLED:
            self._give_up(message.get("params"))
            return None
        if "id" not in message:
            await self._peer.receive(msgspec.json.encode(message))
            return None
        # Two messages may have the same id when one of them was given up.
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

    async def send(self, frame: bytes) -> None:
        """Take an answer of the peer."""
        answer = msgspec.json.decode(frame)
        _, waiting = self._waiting.get(answer["id"], (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _give_up(self, params: Any) -> None:
        """Give up a request that the agent wants no more; over a pipe it is answered all the same.

        The agent names it by its own id, which says nothing to the peer.
        """
        unwanted = params.get("requestId") if isinstance(params, dict) else None
        for number, (id_, waiting) in self._waiting.items():
            if id_ == unwanted and not waiting.done():
                self._peer.cancel(number)
                waiting.set_result({"jsonrpc": "2.0", "error": GIVEN_UP})
