"""Schedules frames: one at a time, at most one per 33 ms, fewer if Neovim is slow."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from claude_ide.base.errors import EditorError

logger = logging.getLogger(__name__)

FRAME_SECONDS = 0.033
STRETCH = 2
"""After a draw, the painter pauses for this many times the draw's duration."""

LONGEST_PAUSE = 10.0
"""The longest pause after consecutive draws that failed, in seconds."""


class Source(Protocol):
    """A source of frames, such as a `Sheet`."""

    def frame(self) -> dict[str, Any] | None:
        """Return the next frame; None if the editor is up to date."""

    def redraw(self) -> None:
        """Send everything again with the next frames."""


class Painter:
    """Draws frames of a source, on request.

    Usage: a task for `run`, then `painter.now() if transcript.apply(event) else painter.soon()`.
    After a draw that failed, the content of the buffer is unknown, so the next request sends
    everything again.
    """

    def __init__(
        self,
        draw: Callable[[dict[str, Any]], Awaitable[Any]],
        source: Source,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._draw = draw
        self._source = source
        self._clock = clock
        self._wanted = asyncio.Event()
        self._urgent = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._failures = 0
        self._closed = asyncio.Event()

    def soon(self) -> None:
        """Draw the changes when the next frame is due."""
        self._wanted.set()
        if not self._closed.is_set():
            self._idle.clear()

    def now(self) -> None:
        """Draw the changes as soon as possible: at most `FRAME_SECONDS` after the last frame."""
        self._urgent.set()
        self.soon()

    async def drawn(self) -> None:
        """Wait until all requested frames are drawn, or a draw has failed."""
        await self._idle.wait()

    def close(self) -> None:
        """End `run` after the frame that is being drawn."""
        self._closed.set()
        self.now()

    async def run(self) -> None:
        """Draw requested frames until `close`, or until cancelled."""
        try:
            while not self._closed.is_set():
                await self._wanted.wait()
                await self._paint()
        finally:
            self._idle.set()

    async def _paint(self) -> None:
        self._wanted.clear()
        self._urgent.clear()
        began = self._clock()
        try:
            frame = None if self._closed.is_set() else self._source.frame()
            if frame is None:
                self._idle.set()
                return
            began = self._clock()
            await self._draw(frame)
        except Exception as error:
            self._failed(error)
        else:
            self._failures = 0
            # One frame may not hold all changes.
            self._wanted.set()
        await self._pause(self._clock() - began)

    def _failed(self, error: Exception) -> None:
        if not self._failures:
            ours = None if isinstance(error, EditorError) else error
            logger.warning("a frame of the chat could not be drawn: %s", error, exc_info=ours)
        self._failures += 1
        self._source.redraw()
        self._idle.set()

    async def _pause(self, took: float) -> None:
        """Wait until the next frame is due: earlier if it is urgent, later after failures."""
        if self._failures:
            due = min(FRAME_SECONDS * 2**self._failures, LONGEST_PAUSE)
            return await _unless(self._closed, due)
        least = max(FRAME_SECONDS - took, 0)
        await asyncio.sleep(least)
        await _unless(self._urgent, STRETCH * took - least)


async def _unless(event: asyncio.Event, seconds: float) -> None:
    """Wait for `seconds`, or until the event is set."""
    if seconds > 0:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
