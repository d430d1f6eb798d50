"""The recent frames in both directions, kept for bug reports."""

import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from claude_ide.concealed import masked, without_secrets
from claude_ide.wire import FROM, STDERR, TO, Party

MOST = 1_000
"""The number of messages that are kept."""


WAYS = {"in": TO, "out": FROM, "stderr": STDERR}


class Traffic:
    """The recent traffic with an agent of this name; `clock` returns seconds."""

    def __init__(self, name: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._party = Party(lambda: name)
        self._clock = clock
        self._began = clock()
        self._kept: deque[tuple[float, str, Any]] = deque(maxlen=MOST)

    def record(self, direction: str, message: Any) -> None:
        """Keep a message: a frame to (`in`) or from (`out`) the agent, or its `stderr`.

        A frame of bytes is decoded only for the text.
        """
        self._kept.append((self._clock() - self._began, direction, message))
        self._party.note(WAYS[direction], message)

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
