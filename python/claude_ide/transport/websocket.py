"""The WebSocket listener: checks each handshake, and runs one connection per client.

All checks happen before the upgrade: a refused client gets an HTTP status, and the user sees
nothing. Source: doc/protocol.md; RFC 6455 section 4.2.2; RFC 6454 for Origin.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from claude_ide.base.errors import TransportClosed
from claude_ide.transport.admission import (
    AUTHORIZATION,
    MESSAGE_BYTES,
    SUBPROTOCOL,
    Endpoint,
    Refused,
    admit,
    single,
)

logger = logging.getLogger(__name__)

# The library logs mistakes of unknown clients as errors, and the token at the debug level. This
# module logs the events that matter.
_library_logger = logging.getLogger(f"{__name__}.library")
_library_logger.setLevel(logging.CRITICAL)

HANDSHAKE_BYTES = 16 * 2**10
HANDSHAKE_SECONDS = 5.0
MOST_HANDSHAKES = 200
"""How many clients may be in their handshake; the oldest leaves for one more. Otherwise clients
without a token could take all file descriptors of the process."""
CLOSE_SECONDS = 1.0
MOST_RECEIVED = 2
"""How many messages are received in advance; beyond that the client has to wait."""
RECEIVED_AT_ONCE = 2**16
"""Bytes. Parsing many small messages of one client delays the other clients."""
DEAF_SECONDS = 300.0
"""How long a client may read nothing of an answer; a suspended one may continue within this."""


class Connection:
    """The frames of one client, in both directions."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def header(self, name: str) -> str:
        """Return a header of the client's handshake; empty if it has none or several."""
        request = self._connection.request
        return "" if request is None else single(request.headers, name)

    async def send(self, frame: bytes) -> None:
        """Send one text message, encoded as UTF-8; waits while this client does not read.

        Raises `TransportClosed` if the client is gone, or is cut off because it never reads.
        """
        try:
            async with asyncio.timeout(DEAF_SECONDS):
                await self._connection.send(frame, text=True)
        except ConnectionClosed as closed:
            raise TransportClosed(str(closed)) from None
        except TimeoutError:
            logger.warning("cut a client that has read nothing for %d s", DEAF_SECONDS)
            self._connection.transport.abort()
            raise TransportClosed("the client does not read") from None

    async def frames(self) -> AsyncIterator[bytes]:
        """Yield each whole message, text or binary, until the client leaves."""
        try:
            while True:
                yield await self._connection.recv(decode=False)
        except ConnectionClosed as closed:
            logger.info("client left: %s", closed)

    async def close(self, code: int = 1001) -> None:
        """Close with a status code of RFC 6455 section 7.4; cut off a client that does not read."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._connection.close(code)
        except TimeoutError:
            self._connection.transport.abort()


class SocketEndpoint(Endpoint, frozen=True):
    """A way in: clients that name one of its paths and send its token are handed to `serve`."""

    serve: Callable[[Connection], Awaitable[None]]


class _Socket(ServerConnection):
    """A client's socket, once accepted."""

    endpoint: SocketEndpoint

    def __init__(self, accepted: "dict[_Socket, None]", *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._accepted = accepted

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The loop sets this option only on sockets that name their protocol; those created by
        # `socket.create_server` do not.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._accepted[self] = None
        transport.max_size = RECEIVED_AT_ONCE  # type: ignore[attr-defined]
        super().connection_made(transport)
        unfinished = [each for each in self._accepted if each.protocol.state is State.CONNECTING]
        if len(unfinished) > MOST_HANDSHAKES:
            unfinished[0].transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._accepted.pop(self, None)
        super().connection_lost(exc)


class Listener:
    """Listens on a bound socket, and serves each client at the endpoint that accepts it."""

    def __init__(self, bound: socket.socket, *endpoints: SocketEndpoint) -> None:
        self._socket = bound
        self._address, self._port = bound.getsockname()[:2]
        self._endpoints = endpoints
        self._server: Server | None = None
        self._accepted: dict[_Socket, None] = {}
        """In the order in which they have come."""
        self._told: set[str] = set()
        """The reasons of refusals that the log has."""

    @property
    def port(self) -> int:
        """The port of the bound socket."""
        return int(self._port)

    async def start(self) -> None:
        """Start to accept clients; those that connected since the bind come first."""
        self._server = await serve(
            self._serve,
            sock=self._socket,
            select_subprotocol=_chosen,
            process_request=self._refuse,
            create_connection=cast("type[ServerConnection]", partial(_Socket, self._accepted)),
            open_timeout=HANDSHAKE_SECONDS,
            close_timeout=CLOSE_SECONDS,
            max_size=MESSAGE_BYTES,
            max_queue=MOST_RECEIVED,
            # On loopback, compression costs more than it saves, and the socket itself reports a
            # peer that is gone.
            compression=None,
            ping_interval=None,
            logger=_library_logger,
            server_header=None,
        )

    async def stop(self, close_seconds: float = CLOSE_SECONDS) -> None:
        """Stop accepting and close every client with 1001 (going away).

        Unfinished handshakes, and clients that do not read the close frame, are cut off.
        """
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        closed = asyncio.ensure_future(server.wait_closed())
        self._cut(State.CONNECTING)
        await asyncio.wait([closed], timeout=close_seconds)
        self._cut(*State)
        await closed

    def _cut(self, *states: State) -> None:
        for accepted in list(self._accepted):
            if accepted.protocol.state in states:
                accepted.transport.abort()

    async def _serve(self, connection: ServerConnection) -> None:
        try:
            await cast("_Socket", connection).endpoint.serve(Connection(connection))
        except Exception:
            logger.exception("a client could not be served")
            raise

    def _refuse(self, connection: ServerConnection, request: Request) -> Response | None:
        try:
            cast("_Socket", connection).endpoint = self._check(request)
        except Refused as refused:
            # A program without the token, such as OpenCode in a terminal, tries again for ever.
            level = logging.DEBUG if refused.reason in self._told else logging.INFO
            self._told.add(refused.reason)
            logger.log(level, "refused a client: %s", refused.reason)
            return connection.respond(refused.status, f"{refused.reason}\n")
        return None

    def _check(self, request: Request) -> SocketEndpoint:
        headers = request.headers
        token = single(headers, AUTHORIZATION)
        address = self._address, self.port
        endpoint = admit(self._endpoints, address, request.path, headers, token)
        offered = headers.get_all("Sec-WebSocket-Protocol")
        names = [name.strip() for value in offered for name in value.split(",")]
        # OpenCode offers none. The token is what admits a client.
        if offered and SUBPROTOCOL not in names:
            raise Refused(HTTPStatus.BAD_REQUEST, "the subprotocol mcp was not offered")
        return endpoint


def _chosen(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the subprotocol, unless the client has offered none."""
    return Subprotocol(SUBPROTOCOL) if offered else None
