"""The last frames both ways, as they are kept for whoever looks for a fault."""

import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any

MOST = 1_000
"""How many frames are kept."""


class Traffic:
    """What was said of late; `clock` gives seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._kept: deque[tuple[float, str, Any]] = deque(maxlen=MOST)

    def note(self, way: str, said: Any) -> None:
        """Keep a frame: `in` is what we say, `out` what the CLI says; or its words on `stderr`."""
        self._kept.append((self._clock() - self._began, way, said))

    def text(self) -> str:
        """Return a JSON object for each line: `t` in seconds, `dir` and `m`, the frame itself."""
        entries = ({"t": round(t, 3), "dir": way, "m": said} for t, way, said in self._kept)
        return "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
