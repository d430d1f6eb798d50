"""Hands to the review what the editor reports, and what is written for agents that nobody follows.

The first of these builds it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.review import (
    ReviewLeft,
    ReviewMoved,
    ReviewPressed,
    ReviewSaved,
    ReviewShown,
    ReviewWritten,
)

if TYPE_CHECKING:
    from claude_ide.review.recorder import Recorder
    from claude_ide.review.service import ReviewService

LOOK_SECONDS = 0.5


class ReviewEvents:
    """What happens in one editor that concerns its review."""

    def __init__(self, editor: Editor, review: "Callable[[], ReviewService]") -> None:
        self._editor = editor
        self._review = review
        self._own: dict[str, Recorder] = {}
        """Of agents whose sessions are not followed, by their names."""

    @handles(ReviewShown)
    def _shown(self, event: ReviewShown) -> Awaitable[None]:
        return self._review().shown(event)

    @handles(ReviewWritten)
    def _written(self, event: ReviewWritten) -> Awaitable[None]:
        return self._review().written(event)

    @handles(ReviewSaved)
    async def _saved(self, event: ReviewSaved) -> None:
        for recorder in [*self._review().recorders]:
            await recorder.saved(event.path)

    @handles(ReviewLeft)
    def _left(self, event: ReviewLeft) -> Awaitable[None]:
        return self._review().left(event)

    @handles(ReviewMoved)
    def _moved(self, event: ReviewMoved) -> Awaitable[None]:
        return self._review().moved(event)

    @handles(ReviewPressed)
    def _pressed(self, event: ReviewPressed) -> Awaitable[None]:
        return self._review().pressed(event)

    async def watch(self, home: Path) -> None:
        """Learn what other editors leave to review in folders around the open files."""
        known, state = set[str](), self._editor.state
        while True:
            around = {str(folder) for path in state.paths for folder in Path(path).parents}
            for folder in around.union(state.folders) - known:
                # The folder may be on a slow disk.
                if await asyncio.to_thread(_is_marked, folder, home):
                    known.add(folder)
                    await self._left(ReviewLeft(folder))
            await asyncio.sleep(LOOK_SECONDS)

    @asynccontextmanager
    async def record(self, agent: str, path: str, *, is_seen: bool) -> AsyncIterator[None]:
        """Record what is written to a file meanwhile; `is_seen`: the user has accepted it."""
        recorder = await self._recorder(agent)
        await recorder.before_write(path)
        try:
            yield
        finally:
            if is_seen:
                recorder.asked(path)
            await recorder.wrote(path)

    async def _recorder(self, agent: str) -> "Recorder":
        """Return what records the session whose tool is running, or that of a lone client."""
        from claude_ide.review.recorder import Recorder

        review = self._review()
        running = [each for each in review.recorders if each.is_running]
        same = [each for each in running if each.agent == agent]
        if running:
            return (same or running)[0]
        if agent not in self._own:
            folder = await self._editor.port.buffers.folder()
            self._own[agent] = Recorder(review, self._editor, agent, folder, agent=agent)
        return self._own[agent]


def _is_marked(folder: str, home: Path) -> bool:
    from claude_ide.review.store import mark_of

    return mark_of(Path(folder), home).exists()
