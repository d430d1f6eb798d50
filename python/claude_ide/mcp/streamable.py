"""MCP over HTTP ("Streamable HTTP"): the sessions of the clients that use one door.

The client sends each message in a POST and gets its answer, but no messages that it has not asked
for. Source: MCP 2025-06-18, basic/transports.
"""

import asyncio
import secrets
import time
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any

import msgspec

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import INVALID_REQUEST, PARSE_ERROR
from claude_ide.jsonrpc.message import LARGE
from claude_ide.mcp.in_process import InProcessServer
from claude_ide.mcp.server import PROTOCOL_VERSIONS
from claude_ide.mcp.tool import Toolset
from claude_ide.transport.admission import single
from claude_ide.transport.http import Request, Response, Service

PATH = "/mcp"
"""The usual one; some clients append it to every other."""
METHODS = ("POST", "DELETE")

SESSION = "Mcp-Session-Id"
VERSION = "MCP-Protocol-Version"
JSON = (("Content-Type", "application/json"),)
EVENTS = "text/event-stream"

QUICK_SECONDS = 5.0
"""An answer that takes longer is sent as an event: many clients wait only minutes for the beginning
of an answer, or for its next part."""
PULSE_SECONDS = 15.0
PULSE = b": waiting\n\n"
"""A comment, sent at this interval until there is an answer."""

IDLE_SECONDS = 24 * 3600.0
"""How long a session without requests lasts; a chat may be left open overnight."""
MOST_SESSIONS = 20
"""An agent needs one or a few; it may lose track of those of its earlier children."""


class Sessions:
    """The sessions at one door; `name` is the name of its agent in diffs."""

    def __init__(self, editor: Editor, config: Config, tools: Toolset, name: str) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._name = name
        self._open: dict[str, _Session] = {}

    def service(self, token: str) -> Service:
        """Return the service through which clients reach these sessions."""
        return Service((PATH,), token, METHODS, self.handle)

    async def handle(self, request: Request) -> Response:
        """Answer one request of HTTP. Cancelling this cancels the request of MCP in it."""
        version = single(request.headers, VERSION)
        if version and version not in PROTOCOL_VERSIONS:
            return _refusal(INVALID_REQUEST, f"the protocol version {version} is not supported")
        if request.method == "DELETE":
            return await self._end(request)
        try:
            message = _decoded(request.body)
        except msgspec.ValidationError:
            return _refusal(INVALID_REQUEST, "the body must be one message")
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return _refusal(PARSE_ERROR, f"Parse error: {error}")
        if message.get("method") == "initialize" and "id" in message:
            return await self._begin(message, _accepted(request))
        found = self._find(request)
        if isinstance(found, Response):
            return found
        return await found.answer(message, _accepted(request))

    async def close(self) -> None:
        """End all sessions."""
        ended = [*self._open.values()]
        self._open.clear()
        await asyncio.gather(*(session.server.close() for session in ended))

    async def _begin(self, message: dict[str, Any], accepted: str) -> Response:
        await self._make_room()
        session = _Session(InProcessServer(self._editor, self._config, self._tools, self._name))
        answer = await session.answer(message, accepted)
        id_ = secrets.token_urlsafe(32)
        self._open[id_] = session
        return answer._replace(headers=(*answer.headers, (SESSION, id_)))

    async def _end(self, request: Request) -> Response:
        found = self._find(request)
        if isinstance(found, Response):
            return found
        del self._open[single(request.headers, SESSION)]
        await found.server.close()
        return Response(HTTPStatus.NO_CONTENT)

    def _find(self, request: Request) -> "_Session | Response":
        """Return the session of a request, or the answer to one that names none."""
        id_ = single(request.headers, SESSION)
        if not id_:
            return _refusal(INVALID_REQUEST, f"the header {SESSION} is missing")
        if id_ not in self._open:
            # The client then begins another one.
            return _refusal(INVALID_REQUEST, "there is no such session", HTTPStatus.NOT_FOUND)
        return self._open[id_]

    async def _make_room(self) -> None:
        """End the sessions that have been idle for long, and the idlest ones of too many."""
        idle = sorted(
            (session.idle_since, id_) for id_, session in self._open.items() if session.is_idle
        )
        excess = len(self._open) - MOST_SESSIONS + 1
        latest = time.monotonic() - IDLE_SECONDS
        ended = [
            self._open.pop(id_)
            for number, (since, id_) in enumerate(idle)
            if number < excess or since < latest
        ]
        for session in ended:
            await session.server.close()


class _Session:
    """One client, from its `initialize` on."""

    def __init__(self, server: InProcessServer) -> None:
        self.server = server
        self.idle_since = time.monotonic()
        self._running = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request waits for its answer."""
        return not self._running

    async def answer(self, message: dict[str, Any], accepted: str) -> Response:
        """Answer one message; `accepted` are the types of content that the client accepts."""
        if "method" not in message:
            # We ask the client nothing, so it has nothing to answer.
            return Response(HTTPStatus.ACCEPTED)
        answer = _Answer(self._answered(message))
        try:
            await answer.wait(None if EVENTS not in accepted else QUICK_SECONDS)
        except asyncio.CancelledError:
            await answer.aclose()
            raise
        if answer.is_ready:
            return answer.whole()
        return Response(HTTPStatus.OK, answer, (("Content-Type", EVENTS),))

    async def _answered(self, message: dict[str, Any]) -> dict[str, Any] | None:
        self._running += 1
        try:
            return await self.server(message)
        finally:
            self._running -= 1
            self.idle_since = time.monotonic()


class _Answer:
    """The answer to one message; one that takes long is sent as an event (implements `Pieces`)."""

    def __init__(self, answering: Coroutine[Any, Any, dict[str, Any] | None]) -> None:
        self._task = asyncio.get_running_loop().create_task(answering)
        self._is_sent = False

    @property
    def is_ready(self) -> bool:
        """Whether there is nothing to wait for."""
        return self._task.done()

    async def wait(self, seconds: float | None) -> None:
        """Wait until it is ready, but not longer than this."""
        await asyncio.wait([self._task], timeout=seconds)

    def whole(self) -> Response:
        """Return an answer that is ready."""
        answer = self._task.result()
        if answer is None:
            return Response(HTTPStatus.ACCEPTED)
        return Response(HTTPStatus.OK, msgspec.json.encode(answer), JSON)

    def __aiter__(self) -> "_Answer":
        return self

    async def __anext__(self) -> bytes:
        if self._is_sent:
            raise StopAsyncIteration
        await self.wait(PULSE_SECONDS)
        if not self.is_ready:
            return PULSE
        self._is_sent = True
        return b"event: message\ndata: %s\n\n" % msgspec.json.encode(self._task.result())

    async def aclose(self) -> None:
        """Cancel the request if it is not answered."""
        self._task.cancel()
        await asyncio.wait([self._task])


def _decoded(body: bytes) -> dict[str, Any]:
    """Decode a message; its large parts stay JSON, as `jsonrpc/message.py` explains."""
    parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return {
        name: part if len(part) > LARGE else msgspec.json.decode(part)
        for name, part in parts.items()
    }


def _accepted(request: Request) -> str:
    return ",".join(request.headers.get_all("Accept")).lower()


def _refusal(code: int, reason: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
    answer = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return Response(status, msgspec.json.encode(answer), JSON)
