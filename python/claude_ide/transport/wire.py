"""The messages between Neovim and its clients and agents, while the user watches them.

Nothing is kept while nobody watches, but the recent messages of an agent. What was kept remains
until the next recording begins.
"""

import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from claude_ide.base.redaction import masked, without_secrets

TO, FROM, STDERR = "to", "from", "stderr"
"""The directions of a message, as seen from the client; and what an agent prints as it fails."""
LOGGED = {TO: "in", FROM: "out"}
"""The directions in the log of a chat, as seen from the agent."""

MOST_MESSAGES = 1_000
MOST_BYTES = 8 * 2**20
"""How many messages are kept, and their total size."""
KEPT_BYTES = 2**20
"""Bytes that are kept of one message."""


class Party:
    """A client or an agent. `name` is called for what it is called now."""

    def __init__(self, name: Callable[[], str]) -> None:
        self.name = name

    def note(self, way: str, message: Any) -> None:
        """Keep a message if the user watches: bytes or a text as they are, or a decoded frame."""
        if _wire.is_watched:
            _wire.keep(self, way, message)


class AgentTraffic(Party):
    """An agent of this name, whose recent messages are kept; `clock` returns seconds."""

    def __init__(self, name: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(lambda: name)
        self._clock = clock
        self._began = clock()
        self._kept: deque[tuple[float, str, Any]] = deque(maxlen=MOST_MESSAGES)

    def note(self, way: str, message: Any) -> None:
        """Keep a message. A frame of bytes is decoded only for the text."""
        self._kept.append((self._clock() - self._began, LOGGED.get(way, way), message))
        super().note(way, message)

    def text(self) -> str:
        """Return one JSON object per line: `t` in seconds, `dir`, and `m`, the message.

        Secrets are replaced in both directions.
        """
        entries = (
            {"t": round(t, 3), "dir": way, "m": masked(_decoded(message))}
            for t, way, message in self._kept
        )
        text = "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        return without_secrets(text)


def _decoded(message: Any) -> Any:
    if not isinstance(message, bytes):
        return message
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return message.decode("utf-8", "replace")


class Message(NamedTuple):
    """A message; its `body` may be cut, `size` is that of all of it."""

    number: int
    at: float
    party: Party
    way: str
    body: bytes
    size: int


class Traffic:
    """What is kept. There is one for the whole process, `recording()`."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed: Callable[[], object] | None = None
        self._number = 0
        self._size = 0
        self._kept: deque[Message] = deque()
        self._labels: WeakKeyDictionary[Party, tuple[str, str]] = WeakKeyDictionary()

    @property
    def is_watched(self) -> bool:
        """Whether messages are kept."""
        return self._changed is not None

    @property
    def kept(self) -> tuple[Message, ...]:
        """The messages, the oldest first."""
        return tuple(self._kept)

    def watch(self, changed: Callable[[], object]) -> None:
        """Begin a recording; `changed` is called after each message."""
        self._kept.clear()
        self._size = 0
        self._changed = changed

    def unwatch(self) -> None:
        """End the recording; what is kept remains."""
        self._changed = None

    def keep(self, party: Party, way: str, message: Any) -> None:
        """Keep a message, and drop the oldest ones beyond the limits."""
        if self._changed is None:
            return
        whole = _encoded(message)
        self._number += 1
        kept = Message(self._number, self._clock(), party, way, whole[:KEPT_BYTES], len(whole))
        self._kept.append(kept)
        self._size += len(kept.body)
        while len(self._kept) > MOST_MESSAGES or self._size > MOST_BYTES:
            self._size -= len(self._kept.popleft().body)
        self._changed()

    def label(self, party: Party) -> str:
        """Return the name of a party, with a number if another one has the same name."""
        name = party.name()
        known = self._labels.get(party)
        if known is None or known[0] != name:
            taken = {label for other, (_, label) in self._labels.items() if other is not party}
            label, number = name, 1
            while label in taken:
                number += 1
                label = f"{name} {number}"
            known = self._labels[party] = name, label
        return known[1]


_wire = Traffic()


def recording() -> Traffic:
    """Return the wire of this process."""
    return _wire


def _encoded(message: Any) -> bytes:
    if isinstance(message, bytes):
        return message
    if isinstance(message, str):
        return message.encode("utf-8", "replace")
    # Half of a surrogate pair can only be encoded as an escape.
    return json.dumps(message, default=str).encode()
