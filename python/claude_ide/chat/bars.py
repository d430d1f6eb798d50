"""The bars of both windows, as a source of frames."""

from collections.abc import Callable
from typing import Any


class Bars:
    """Both bars: a frame is sent when they have changed."""

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._sent: dict[str, Any] | None = None

    def frame(self) -> dict[str, Any] | None:
        """Return both bars, if they are not what was sent last."""
        bars = self._look()
        if bars == self._sent:
            return None
        self._sent = bars
        return bars

    def redraw(self) -> None:
        """Forget what was sent."""
        self._sent = None
