"""A blocking client of our listener, for a process whose start an agent waits for.

One thread can send while another receives. asyncio is not imported, as that takes longer than to
connect.
"""

import contextlib
import logging
import socket
from collections.abc import Iterator
from threading import Lock

from websockets.client import ClientProtocol
from websockets.exceptions import WebSocketException
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from claude_ide.base.errors import TransportClosed
from claude_ide.transport.admission import AUTHORIZATION, LARGEST_MESSAGE, SUBPROTOCOL

ADDRESS = "127.0.0.1"

CONNECT_SECONDS = 10.0
"""How long a busy host may take to accept the connection."""

READ_AT_ONCE = 2**18
CONTENT = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)

# At the debug level the library would log the token.
_library_logger = logging.getLogger(f"{__name__}.library")
_library_logger.setLevel(logging.CRITICAL)


class RefusedError(Exception):
    """The listener refuses the connection; the text is its reason."""


class Line:
    """A connection to a listener on loopback.

    To create one raises `OSError` if there is no listener on the port, and `RefusedError` if it
    does not accept the token or the path.
    """

    def __init__(self, port: int, token: str, path: str) -> None:
        self._protocol = ClientProtocol(
            parse_uri(f"ws://{ADDRESS}:{port}{path}"),
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            max_size=LARGEST_MESSAGE,
            logger=_library_logger,
        )
        self._parsing = Lock()
        self._sending = Lock()
        self._received: list[object] = []
        self._socket = socket.create_connection((ADDRESS, port), CONNECT_SECONDS)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._shake_hands(token)
            self._socket.settimeout(None)
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: bytes) -> None:
        """Send one message; waits while the listener does not read.

        Raises `TransportClosed` if the connection has ended.
        """
        try:
            # A thread that receives never waits for one that sends: it needs only `_parsing`.
            with self._sending:
                with self._parsing:
                    self._protocol.send_text(message)
                self._flush()
        except (OSError, WebSocketException) as error:
            raise TransportClosed(str(error)) from None

    def messages(self) -> Iterator[bytes]:
        """Yield each whole message until the connection ends."""
        parts: list[bytes] = []
        while (frame := self._next()) is not None:
            if isinstance(frame, Frame) and frame.opcode in CONTENT:
                parts.append(bytes(frame.data))
                if frame.fin:
                    yield b"".join(parts)
                    parts.clear()

    def close(self) -> None:
        """End the connection; a thread that receives sees its end."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _shake_hands(self, token: str) -> None:
        request = self._protocol.connect()
        request.headers[AUTHORIZATION] = token
        self._protocol.send_request(request)
        self._flush()
        response = self._next()
        if not isinstance(response, Response):
            raise OSError("no answer")
        if response.status_code != 101:
            raise RefusedError(response.body.decode("utf-8", "replace").strip())
        if self._protocol.handshake_exc is not None:
            raise OSError(str(self._protocol.handshake_exc))

    def _flush(self) -> None:
        """Send what the protocol has to send; an empty piece would mean its end."""
        with self._parsing:
            pieces = self._protocol.data_to_send()
        for piece in pieces:
            self._socket.sendall(piece)

    def _next(self) -> object | None:
        """Return the next response or frame; None at the end of the connection."""
        while not self._received:
            if self._protocol.state not in (State.CONNECTING, State.OPEN):
                return None
            try:
                data = self._socket.recv(READ_AT_ONCE)
            except ConnectionError:
                data = b""
            if not data:
                return None
            with self._parsing:
                self._protocol.receive_data(data)
                self._received += self._protocol.events_received()
        return self._received.pop(0)
