"""Hands to the review what the editor reports, and what is written for agents that nobody follows.

The first of these builds it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import EditorsChanged
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


class ReviewEvents:
    """What happens in one editor that concerns its review."""

    def __init__(self, editor: Editor, review: "Callable[[], ReviewService]") -> None:
        self._editor = editor
        self._review = review
        self._own: dict[str, Recorder] = {}
        """Of agents whose sessions are not followed, by their names."""
        self._home = Path()
        self._marked = set[str]()
        """The folders in which something waits or has waited."""

    @handles(ReviewShown)
    def _shown(self, event: ReviewShown) -> Awaitable[None]:
        return self._review().shown(event)

    @handles(ReviewWritten)
    def _written(self, event: ReviewWritten) -> Awaitable[None]:
        return self._review().written(event)

    @handles(ReviewSaved)
    async def _saved(self, event: ReviewSaved) -> None:
        for recorder in [*self._review().recorders]:
            await recorder.saved(event.path, event.name, event.base)

    @handles(ReviewLeft)
    def _left(self, event: ReviewLeft) -> Awaitable[None]:
        return self._review().left(event)

    @handles(ReviewMoved)
    def _moved(self, event: ReviewMoved) -> Awaitable[None]:
        return self._review().moved(event)

    @handles(ReviewPressed)
    def _pressed(self, event: ReviewPressed) -> Awaitable[None]:
        return self._review().pressed(event)

    def watch(self, home: Path, run: Run) -> None:
        """Learn what other editors leave to review in folders around the open files."""
        self._home = home
        self._editor.file_changes.follow(lambda: run(self._look_for_marks()), self._marks)

    @handles(EditorsChanged)
    def _editors_changed(self, _: EditorsChanged) -> None:
        self._editor.file_changes.look()

    def _marks(self) -> list[Path]:
        return [*self._unmarked().values()]

    def _unmarked(self) -> dict[str, Path]:
        """Return the folders without a mark so far, and where it would be."""
        from claude_ide.review.store import mark_of

        state = self._editor.state
        around = {str(folder) for path in state.paths for folder in Path(path).parents}
        folders = around.union(state.folders) - self._marked
        return {folder: mark_of(Path(folder), self._home) for folder in folders}

    async def _look_for_marks(self) -> None:
        def found() -> list[str]:
            return [folder for folder, mark in self._unmarked().items() if mark.exists()]

        # The folders may be on a slow disk.
        for folder in await asyncio.to_thread(found):
            if folder not in self._marked:
                self._marked.add(folder)
                await self._left(ReviewLeft(folder))

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
