"""Relays MCP messages between a client's pipes and a server.

A client that speaks only stdio gets the same server as one that connects itself. The messages are
not changed. Their ids are read: if the server goes away, each unanswered request gets an error.
asyncio is not imported, as that takes longer than to connect: an agent waits for the start.
"""

import contextlib
import logging
import socket
from collections.abc import Iterator
from threading import Condition, Lock, Thread
from typing import BinaryIO

import msgspec
from websockets.client import ClientProtocol
from websockets.exceptions import WebSocketException
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from claude_ide.base.errors import INVALID_REQUEST, TransportClosed
from claude_ide.transport.admission import AUTHORIZATION, LOOPBACK, MESSAGE_BYTES, SUBPROTOCOL

LAST_ANSWERS_SECONDS = 1.0
"""How long answers may take after the client has closed its end."""

CLOSED = -32000
"""The code with which the MCP SDKs report a closed connection."""

GONE = "the editor has closed the connection"
CANCELLED = "notifications/cancelled"

CONNECT_SECONDS = 10.0
"""How long a busy host may take to accept the connection."""

READ_AT_ONCE = 2**18
CONTENT = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)

# At the debug level the library would log the token.
_library_logger = logging.getLogger(f"{__name__}.library")
_library_logger.setLevel(logging.CRITICAL)

Id = str | int | float


class EndpointRefusedError(Exception):
    """The listener refuses the connection; the text is its reason."""


class Line:
    """A blocking connection to our listener; one thread can send while another receives.

    To create one raises `OSError` if there is no listener on the port, and `EndpointRefusedError`
    if it does not accept the token or the path.
    """

    def __init__(self, port: int, token: str, path: str) -> None:
        self._protocol = ClientProtocol(
            parse_uri(f"ws://{LOOPBACK}:{port}{path}"),
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            max_size=MESSAGE_BYTES,
            logger=_library_logger,
        )
        self._parsing = Lock()
        self._sending = Lock()
        self._received: list[object] = []
        self._socket = socket.create_connection((LOOPBACK, port), CONNECT_SECONDS)
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
            raise EndpointRefusedError(response.body.decode("utf-8", "replace").strip())
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


class Head(msgspec.Struct):
    """The parts of a message that are read."""

    id: Id | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()


class Cancellation(msgspec.Struct):
    """The parameters of a cancellation."""

    request: Id | None = msgspec.field(name="requestId", default=None)


class Relay:
    """Relays messages to and from the client until one side ends."""

    def __init__(self, line: Line, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._line = line
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = Lock()
        self._changed = Condition()
        self._unanswered: set[Id] = set()
        self._client_ended = False
        self._server_ended = False

    def run(self) -> bool:
        """Relay until one side ends; return whether the server is still there."""
        for work in (self._relay_requests, self._relay_answers):
            Thread(target=work, daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: self._client_ended or self._server_ended)
            self._changed.wait_for(
                lambda: self._server_ended or not self._unanswered, LAST_ANSWERS_SECONDS
            )
            unanswered = list(self._unanswered) if self._server_ended else []
        for id_ in unanswered:
            self._refuse(id_, CLOSED, GONE)
        return not self._server_ended

    def _relay_requests(self) -> None:
        # The other thread notices the end of the server, too.
        with contextlib.suppress(TransportClosed):
            for message in self._incoming:
                if message := message.strip():
                    self._forward(message)
            with self._changed:
                self._client_ended = True
                self._changed.notify()

    def _relay_answers(self) -> None:
        for message in self._line.messages():
            self._write(message)
            self._settle(message)
        with self._changed:
            self._server_ended = True
            self._changed.notify()

    def _forward(self, message: bytes) -> None:
        head = _head(message)
        if len(message) > MESSAGE_BYTES:
            # The server would end the connection.
            reason = f"the message has {len(message):,} bytes, more than {MESSAGE_BYTES:,}"
            self._refuse(head.id, INVALID_REQUEST, reason)
            return
        with self._changed:
            if head.method == CANCELLED:
                self._unanswered.discard(_cancelled(head))
            elif head.method and head.id is not None:
                self._unanswered.add(head.id)
        self._line.send(message)

    def _settle(self, answer: bytes) -> None:
        head = _head(answer)
        with self._changed:
            if not head.method and head.id is not None:
                self._unanswered.discard(head.id)
            self._changed.notify()

    def _refuse(self, id_: Id | None, code: int, reason: str) -> None:
        error = {"code": code, "message": reason}
        self._write(msgspec.json.encode({"jsonrpc": "2.0", "id": id_, "error": error}))

    def _write(self, message: bytes) -> None:
        try:
            with self._writing:
                self._outgoing.write(message + b"\n")
                self._outgoing.flush()
        except OSError:
            with self._changed:
                self._client_ended = True
                self._unanswered.clear()
                self._changed.notify()


def _head(message: bytes) -> Head:
    """Return the head of a message; one without an id if it is none."""
    try:
        return msgspec.json.decode(message, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Head()


def _cancelled(head: Head) -> Id:
    with contextlib.suppress(msgspec.DecodeError):
        request = msgspec.json.decode(head.params, type=Cancellation).request
        if request is not None:
            return request
    return ""
