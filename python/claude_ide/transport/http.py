"""An HTTP/1.1 listener: checks each request before it reads its body, and hands it to an endpoint.

A client gets a limited time and size for each part of a request, so that none can occupy the
listener. Source: RFC 9110, RFC 9112; RFC 6750 for the token.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from email.utils import formatdate
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol

import h11
from websockets.datastructures import Headers

from claude_ide.transport.admission import MESSAGE_BYTES, Endpoint, Refused, admit, single
from claude_ide.transport.websocket import DEAF_SECONDS, HANDSHAKE_BYTES, HANDSHAKE_SECONDS

logger = logging.getLogger(__name__)

BODY_SECONDS = 30.0
"""How long the body of a request may take."""
IDLE_SECONDS = 120.0
"""How long a connection stays open between two requests."""
LINGER_SECONDS = 1.0
MOST_DISCARDED = 2**20
"""How long, and how many bytes, a refused client may go on sending before it is cut off: it reads
the answer only afterwards."""
RECEIVED_AT_ONCE = 2**14
CHUNKS_AT_ONCE = 50
"""Bytes, and parts of a body. Parsing much of one client delays the others."""
MOST_CONNECTIONS = 100

SCHEME = "bearer "


class HttpRequest(NamedTuple):
    """A request of an admitted client."""

    method: str
    headers: Headers
    body: bytes = b""


class Pieces(Protocol):
    """A body that is not complete yet."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces, which are not empty, as they become ready."""

    async def aclose(self) -> None:
        """Give up the rest: all is sent, or the client has disconnected."""


class HttpResponse(NamedTuple):
    """The answer to a request."""

    status: HTTPStatus
    body: bytes | Pieces = b""
    headers: tuple[tuple[str, str], ...] = ()


class HttpEndpoint(Endpoint, frozen=True):
    """Answers the requests with one of these methods that name one of its paths and send its token.

    `handle` is cancelled if the client disconnects before it has the answer.
    """

    methods: tuple[str, ...]
    handle: Callable[[HttpRequest], Coroutine[Any, Any, HttpResponse]]
    largest: int = MESSAGE_BYTES
    """The most bytes in the body of a request."""


class HttpListener:
    """Listens on a bound socket, and answers each request by the endpoint that admits it."""

    def __init__(self, bound: socket.socket, *endpoints: HttpEndpoint) -> None:
        self._socket = bound
        self._address, self._port = bound.getsockname()[:2]
        self._endpoints = endpoints
        self._server: asyncio.Server | None = None
        self._clients: dict[asyncio.Task[None], _Client] = {}

    @property
    def port(self) -> int:
        """The port of the bound socket."""
        return int(self._port)

    async def start(self) -> None:
        """Start to accept clients."""
        self._server = await asyncio.start_server(
            self._serve, sock=self._socket, limit=RECEIVED_AT_ONCE
        )

    async def stop(self) -> None:
        """Disconnect all clients, which cancels the handling of their requests."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        tasks = [*self._clients]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(reader, writer, self._admit)
        task = asyncio.current_task()
        assert task is not None
        try:
            if self._server is not None and self._has_room():
                self._clients[task] = client
                await client.serve()
        except (_GoneError, OSError, asyncio.CancelledError):
            pass  # Python 3.11 would report a cancelled task as a failure.
        except Exception:
            logger.exception("a client could not be served")
        finally:
            self._clients.pop(task, None)
            client.close()

    def _has_room(self) -> bool:
        """Return whether there is room for one more client; one that only waits has to leave.

        First those leave that were never admitted, so that they cannot keep others out.
        """
        if len(self._clients) < MOST_CONNECTIONS:
            return True
        waiting = [task for task, client in self._clients.items() if not client.is_served]
        if not waiting:
            logger.warning("refused a client: %d are being served", len(self._clients))
            return False
        task = min(waiting, key=lambda task: self._clients[task].was_admitted)
        task.cancel()
        del self._clients[task]
        return True

    def _admit(self, target: str, method: str, headers: Headers) -> HttpEndpoint:
        token = _bearer(single(headers, "Authorization"))
        endpoint = admit(self._endpoints, (self._address, self.port), target, headers, token)
        if method not in endpoint.methods:
            allowed = ("Allow", ", ".join(endpoint.methods))
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "the method is not allowed", allowed)
        return endpoint


class _GoneError(Exception):
    """The client has disconnected, or has been silent for too long."""


class _Client:
    """One connection, and its requests, one after the other."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        admit: Callable[[str, str, Headers], HttpEndpoint],
    ) -> None:
        self.is_served = False
        """Whether an endpoint answers it; otherwise it only waits for its next request."""
        self._reader = reader
        self._writer = writer
        self._admit = admit
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HANDSHAKE_BYTES)
        self._method = ""
        self.was_admitted = False
        # To drain it means to wait until everything is sent.
        writer.transport.set_write_buffer_limits(0)

    async def serve(self) -> None:
        """Answer requests until the client leaves, or one is refused. Raises `_GoneError`."""
        # The loop sets this option only on sockets that name their protocol.
        connected = self._writer.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                await self._answer()
                self.is_served = False
                if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                    return
                self._http.start_next_cycle()
        except Refused as refused:
            await self._refuse(refused)
        except h11.RemoteProtocolError as error:
            # Its text may quote the request.
            status = HTTPStatus(error.error_status_hint)
            await self._refuse(Refused(status, "the request is malformed or its head is too large"))

    def close(self) -> None:
        """Disconnect; a client that does not read is cut off."""
        if self._writer.transport.get_write_buffer_size():
            self._writer.transport.abort()
        else:
            self._writer.close()

    async def _answer(self) -> None:
        """Answer one request. Raises `Refused`."""
        head = await self._head()
        headers = Headers((_text(name), _text(value)) for name, value in head.headers)
        self._method = _text(head.method)
        endpoint = self._admit(_text(head.target), self._method, headers)
        self.is_served = self.was_admitted = True
        body = await self._body(headers, endpoint.largest)
        await self._respond(endpoint, HttpRequest(self._method, headers, body))

    async def _head(self) -> h11.Request:
        clock = asyncio.get_running_loop().time
        seconds = IDLE_SECONDS if self.was_admitted else HANDSHAKE_SECONDS
        deadline = clock() + seconds
        try:
            async with asyncio.timeout_at(deadline) as limit:
                while (event := self._http.next_event()) is h11.NEED_DATA:
                    await self._receive()
                    deadline = min(deadline, clock() + HANDSHAKE_SECONDS)
                    limit.reschedule(deadline)
        except TimeoutError:
            raise _GoneError from None
        if not isinstance(event, h11.Request):
            raise _GoneError
        return event

    async def _body(self, headers: Headers, largest: int) -> bytes:
        too_large = Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body has more than {largest:,} bytes"
        )
        if int(single(headers, "Content-Length") or 0) > largest:
            raise too_large
        if self._http.they_are_waiting_for_100_continue:
            await self._write(h11.InformationalResponse(status_code=100, headers=[]))
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while not isinstance(event := self._http.next_event(), h11.EndOfMessage):
                    if isinstance(event, h11.Data):
                        size += len(event.data)
                        parts.append(bytes(event.data))
                        if not len(parts) % CHUNKS_AT_ONCE:
                            await asyncio.sleep(0)
                    elif not await self._receive():
                        raise _GoneError
                    if size > largest:
                        raise too_large
        except TimeoutError:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, "the body took too long") from None
        return b"".join(parts)

    async def _respond(self, endpoint: HttpEndpoint, request: HttpRequest) -> None:
        """Send the endpoint's answer; a client that disconnects cancels it."""
        loop = asyncio.get_running_loop()
        responding = loop.create_task(self._send(endpoint, request))
        leaving = loop.create_task(self._left())
        try:
            await asyncio.wait((responding, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not responding.done():
                raise _GoneError
            responding.result()
        finally:
            responding.cancel()
            leaving.cancel()
            await asyncio.gather(responding, leaving, return_exceptions=True)

    async def _left(self) -> None:
        """Return as soon as the client has disconnected; keep the beginning of its next request."""
        while await self._receive():
            if len(self._http.trailing_data[0]) > HANDSHAKE_BYTES:
                await asyncio.get_running_loop().create_future()

    async def _receive(self) -> bool:
        """Receive some data; return whether there can be more."""
        data = await self._reader.read(RECEIVED_AT_ONCE)
        self._http.receive_data(data)
        # Reading does not wait while a client sends fast.
        await asyncio.sleep(0)
        return bool(data)

    async def _send(self, endpoint: HttpEndpoint, request: HttpRequest) -> None:
        try:
            response = await endpoint.handle(request)
        except Exception:
            logger.exception("a request could not be answered")
            response = HttpResponse(HTTPStatus.INTERNAL_SERVER_ERROR)
        if isinstance(response.body, bytes):
            await self._send_whole(response, response.body)
            return
        async with contextlib.aclosing(response.body) as pieces:
            await self._write(_head(response))
            async for piece in pieces:
                await self._write(h11.Data(data=piece))
            await self._write(h11.EndOfMessage())

    async def _send_whole(self, response: HttpResponse, body: bytes) -> None:
        length = [] if response.status is HTTPStatus.NO_CONTENT else [len(body)]
        head = _head(response, *(("Content-Length", str(size)) for size in length))
        data = h11.Data(data=b"" if self._method == "HEAD" else body)
        await self._write(head, data, h11.EndOfMessage())

    async def _write(self, *events: h11.Event) -> None:
        self._writer.write(b"".join(self._http.send(event) or b"" for event in events))
        try:
            async with asyncio.timeout(DEAF_SECONDS):
                await self._writer.drain()
        except TimeoutError:
            logger.warning("cut a client that has read nothing for %d s", DEAF_SECONDS)
            raise _GoneError from None

    async def _refuse(self, refused: Refused) -> None:
        """Answer why, and disconnect; the client can read the answer even if it is sending."""
        logger.info("refused a client: %s", refused.reason)
        self.is_served = False
        text = f"{refused.reason}\n".encode()
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Connection", "close")]
        if refused.status is HTTPStatus.UNAUTHORIZED:
            headers.append(("WWW-Authenticate", "Bearer"))
        response = HttpResponse(refused.status, headers=(*headers, *refused.headers))
        await self._send_whole(response, text)
        self._writer.write_eof()
        discarded = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while discarded < MOST_DISCARDED:
                    data = await self._reader.read(RECEIVED_AT_ONCE)
                    if not data:
                        return
                    discarded += len(data)


def _head(response: HttpResponse, *more: tuple[str, str]) -> h11.Response:
    headers = [("Date", formatdate(usegmt=True)), *response.headers, *more]
    status = response.status
    return h11.Response(status_code=status, headers=headers, reason=status.phrase)


def _bearer(authorization: str) -> str:
    """Return the token in the value of a field."""
    is_bearer = authorization[: len(SCHEME)].lower() == SCHEME
    return authorization[len(SCHEME) :] if is_bearer else ""


def _text(value: bytes) -> str:
    return value.decode("latin-1")
