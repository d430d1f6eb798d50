"""MCP over HTTP ("Streamable HTTP"): the sessions of the clients of one agent.

The client sends each message in a POST and gets its answer. With a GET it may listen: it then
learns of other tools, and nothing else. Source: MCP 2025-06-18, basic/transports.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec

from claude_ide.base.errors import INVALID_REQUEST, PARSE_ERROR
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import PROTOCOL_VERSIONS, InProcessServer
from claude_ide.mcp.tool import LIST_CHANGED, Toolset
from claude_ide.transport.admission import single
from claude_ide.transport.http import HttpEndpoint, HttpRequest, HttpResponse
from claude_ide.transport.jsonrpc import LARGE
from claude_ide.transport.wire import FROM, TO, Party

PATH = "/mcp"
"""The usual one; some clients append it to every other."""
METHODS = ("GET", "POST", "DELETE")

SESSION = "Mcp-Session-Id"
VERSION = "MCP-Protocol-Version"
JSON = (("Content-Type", "application/json"),)
EVENTS = "text/event-stream"
EVENT_STREAM = (("Content-Type", EVENTS), ("Cache-Control", "no-cache"))

QUICK_SECONDS = 5.0
"""An answer that takes longer is sent as an event: many clients wait only minutes for the beginning
of an answer, or for its next part."""
PULSE_SECONDS = 15.0
PULSE = b": waiting\n\n"
"""A comment, sent at this interval while there is nothing to send."""

IDLE_SECONDS = 24 * 3600.0
"""How long a session without requests lasts; a chat may be left open overnight."""
MOST_SESSIONS = 20
"""An agent needs one or a few; it may lose track of those of its earlier children."""


class HttpSessions:
    """The sessions at an agent's endpoint, each with a client of its own."""

    def __init__(self, new_client: Callable[[], Client], tools: Toolset) -> None:
        self._new_client = new_client
        self._tools = tools
        self._open: dict[str, _Session] = {}

    def endpoint(self, token: str) -> HttpEndpoint:
        """Return the endpoint through which clients reach these sessions."""
        return HttpEndpoint((PATH,), token, METHODS, self.handle)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request of HTTP. Cancelling this cancels the request of MCP in it."""
        version = single(request.headers, VERSION)
        if version and version not in PROTOCOL_VERSIONS:
            return _refusal(INVALID_REQUEST, f"the protocol version {version} is not supported")
        if request.method == "DELETE":
            return await self._end(request)
        if request.method == "GET":
            return self._listen(request)
        try:
            message = _decoded(request.body)
        except msgspec.ValidationError:
            return _refusal(INVALID_REQUEST, "the body must be one message")
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return _refusal(PARSE_ERROR, f"Parse error: {error}")
        if message.get("method") == "initialize" and "id" in message:
            return await self._begin(message, _accepted(request), request.body)
        found = self._find(request)
        if isinstance(found, HttpResponse):
            return found
        found.party.note(FROM, request.body)
        return await found.answer(message, _accepted(request))

    def withdraw(self) -> None:
        """Cancel the requests of all clients."""
        for session in self._open.values():
            session.server.cancel_all()

    async def close(self) -> None:
        """End all sessions."""
        ended = [*self._open.values()]
        self._open.clear()
        await asyncio.gather(*(session.close() for session in ended))

    async def _begin(self, message: dict[str, Any], accepted: str, body: bytes) -> HttpResponse:
        await self._make_room()
        session = _Session(self._new_client(), self._tools)
        session.party.note(FROM, body)
        try:
            answer = await session.answer(message, accepted)
        except BaseException:
            await session.close()
            raise
        if session.is_refused:
            await session.close()
            return answer
        id_ = secrets.token_urlsafe(32)
        self._open[id_] = session
        return answer._replace(headers=(*answer.headers, (SESSION, id_)))

    async def _end(self, request: HttpRequest) -> HttpResponse:
        found = self._find(request)
        if isinstance(found, HttpResponse):
            return found
        del self._open[single(request.headers, SESSION)]
        await found.close()
        return HttpResponse(HTTPStatus.NO_CONTENT)

    def _listen(self, request: HttpRequest) -> HttpResponse:
        found = self._find(request)
        if isinstance(found, HttpResponse):
            return found
        if EVENTS not in _accepted(request):
            reason = f"a GET must accept {EVENTS}"
            return _refusal(INVALID_REQUEST, reason, HTTPStatus.NOT_ACCEPTABLE)
        return HttpResponse(HTTPStatus.OK, found.listen(), EVENT_STREAM)

    def _find(self, request: HttpRequest) -> "_Session | HttpResponse":
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
            await session.close()


class _Session:
    """One client, from its `initialize` on."""

    def __init__(self, client: Client, tools: Toolset) -> None:
        self.server = InProcessServer(client, tools)
        self.party = Party(lambda: f"{client.shown_name} (tools)")
        self.idle_since = time.monotonic()
        self.is_refused = False
        """Whether its last answer is an error."""
        self._running = 0
        self._unwatch = tools.subscribe(self._tell)
        self._has_changed = False
        """Whether the tools have changed while the client did not listen."""
        self._listener: _Events | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request waits for its answer, and no stream is open."""
        return not self._running and self._listener is None

    async def close(self) -> None:
        """Cancel all requests, and end what the client listens to."""
        self._unwatch()
        if self._listener is not None:
            self._listener.end()
        await self.server.close()

    def listen(self) -> "_Events":
        """Return the stream of the changes of the tools; one to which the client listened ends."""
        if self._listener is not None:
            self._listener.end()
        listener = self._listener = _Events(lambda: self._left(listener))
        if self._has_changed:
            self._tell()
        return listener

    def _tell(self) -> None:
        self._has_changed = self._listener is None
        if self._listener is not None:
            self._listener.put({"jsonrpc": "2.0", "method": LIST_CHANGED})

    def _left(self, listener: "_Events") -> None:
        if self._listener is listener:
            self._listener = None
            self.idle_since = time.monotonic()

    async def answer(self, message: dict[str, Any], accepted: str) -> HttpResponse:
        """Answer one message; `accepted` are the types of content that the client accepts."""
        if "method" not in message:
            # We ask the client nothing, so it has nothing to answer.
            return HttpResponse(HTTPStatus.ACCEPTED)
        task = asyncio.get_running_loop().create_task(self._answered(message))
        try:
            await asyncio.wait([task], timeout=QUICK_SECONDS if EVENTS in accepted else None)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])
            raise
        if task.done():
            answer = task.result()
            if answer is None:
                return HttpResponse(HTTPStatus.ACCEPTED)
            return HttpResponse(HTTPStatus.OK, msgspec.json.encode(answer), JSON)
        events = _Events(task.cancel)

        def send(_: object) -> None:
            if not task.cancelled():
                events.put(task.result())
            events.end()

        task.add_done_callback(send)
        return HttpResponse(HTTPStatus.OK, events, EVENT_STREAM)

    async def _answered(self, message: dict[str, Any]) -> dict[str, Any] | None:
        self._running += 1
        try:
            answer = await self.server(message)
            if answer is not None:
                self.party.note(TO, answer)
            self.is_refused = answer is not None and "error" in answer
            return answer
        finally:
            self._running -= 1
            self.idle_since = time.monotonic()


class _Events:
    """Messages, each an event, and comments while there are none (implements `Pieces`)."""

    def __init__(self, on_end: Callable[[], object]) -> None:
        self._messages: asyncio.Queue[Any] = asyncio.Queue()
        self._on_end = on_end

    def put(self, message: Any) -> None:
        """Send a message, unless the same one waits already."""
        if self._messages.empty():
            self._messages.put_nowait(message)

    def end(self) -> None:
        """End the stream after these messages."""
        self._messages.put_nowait(None)

    def __aiter__(self) -> "_Events":
        return self

    async def __anext__(self) -> bytes:
        try:
            async with asyncio.timeout(PULSE_SECONDS):
                message = await self._messages.get()
        except TimeoutError:
            return PULSE
        if message is None:
            raise StopAsyncIteration
        return b"event: message\ndata: %s\n\n" % msgspec.json.encode(message)

    async def aclose(self) -> None:
        """Note that the client has left."""
        self._on_end()


def _decoded(body: bytes) -> dict[str, Any]:
    """Decode a message; its large parts stay JSON, as `transport/jsonrpc.py` explains."""
    parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return {
        name: part if len(part) > LARGE else msgspec.json.decode(part)
        for name, part in parts.items()
    }


def _accepted(request: HttpRequest) -> str:
    return ",".join(request.headers.get_all("Accept")).lower()


def _refusal(code: int, reason: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> HttpResponse:
    answer = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return HttpResponse(status, msgspec.json.encode(answer), JSON)
