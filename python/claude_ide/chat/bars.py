"""The bars of both windows, and whether the agent is at work, as a source of frames."""

from collections.abc import Callable
from typing import Any


class Bars:
    """What `look` returns: a frame is sent when it has changed."""

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._sent: dict[str, Any] | None = None

    def frame(self) -> dict[str, Any] | None:
        """Return what there is to show, if it is not what was sent last."""
        look = self._look()
        if look == self._sent:
            return None
        self._sent = look
        return look

    def redraw(self) -> None:
        """Forget what was sent."""
        self._sent = None
