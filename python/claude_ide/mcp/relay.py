"""Relays MCP messages between a client's pipes and a server.

A client that speaks only stdio gets the same server as one that connects itself. The messages are
not changed. Their ids are read: if the server goes away, each unanswered request gets an error.
"""

import contextlib
from threading import Condition, Lock, Thread
from typing import BinaryIO

import msgspec

from claude_ide.base.errors import INVALID_REQUEST, TransportClosed
from claude_ide.transport.admission import LARGEST_MESSAGE
from claude_ide.transport.dialling import Line

LAST_ANSWERS_SECONDS = 1.0
"""How long answers may take after the client has closed its end."""

CLOSED = -32000
"""The code with which the MCP SDKs report a closed connection."""

GONE = "the editor has closed the connection"
CANCELLED = "notifications/cancelled"

Id = str | int | float


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
        if len(message) > LARGEST_MESSAGE:
            # The server would end the connection.
            reason = f"the message has {len(message):,} bytes, more than {LARGEST_MESSAGE:,}"
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
