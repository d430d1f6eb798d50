"""What the editor is told of an answer while it grows, in frames.

At most one each 33 ms, and the next only once the last has arrived: so typing never waits for it.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from claude_ide.errors import EditorError
from claude_ide.headless.answer import Answer

logger = logging.getLogger(__name__)

FRAME_SECONDS = 0.033


class Telling:
    """What of an answer has been told; each frame has what is new in it."""

    def __init__(self, answer: Answer, send: Callable[[dict[str, Any]], Awaitable[Any]]) -> None:
        self._answer = answer
        self._send = send
        self._told_text = self._told_progress = ""
        self._events: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self._refused = False

    def changed(self) -> None:
        """Note that there may be something new."""
        self._news.set()

    def put_event(self, event: dict[str, Any]) -> None:
        """Take an event; each is told."""
        self._events.append(event)
        self._news.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tell what comes while this is open; on a normal end, what is left too."""
        telling = asyncio.create_task(self._run())
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.wait([telling])
        await self._flush()

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self._news.wait()
            began = clock()
            await self._flush()
            took = clock() - began
            await asyncio.sleep(max(FRAME_SECONDS - took, took))

    async def _flush(self) -> None:
        self._news.clear()
        frame = self._frame()
        if self._refused or not frame:
            return
        try:
            await self._send(frame)
        except EditorError as error:
            # A later frame goes on from this one.
            self._refused = True
            logger.warning("an answer cannot be shown: %s", error)

    def _frame(self) -> dict[str, Any]:
        """Return what has changed: of the text, how many bytes of it stay, and what follows."""
        frame: dict[str, Any] = {}
        text, progress = self._answer.text, self._answer.progress
        if text != self._told_text:
            # A preview that was not the truth is replaced, and all after it.
            kept = self._told_text if text.startswith(self._told_text) else ""
            frame["keep"] = len(kept.encode("utf-8", "surrogateescape"))
            frame["text"] = text[len(kept) :]
            self._told_text = text
        if progress != self._told_progress:
            frame["progress"] = self._told_progress = progress
        if self._events:
            frame["events"], self._events = self._events, []
        return frame
