"""Hands the editor's events to the review, which the first of them builds; finds what waits."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from claude_ide.editor.editor import Editor
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.review import (
    ReviewLeft,
    ReviewMoved,
    ReviewPressed,
    ReviewShown,
    ReviewWritten,
)
from claude_ide.review.store import mark_of

if TYPE_CHECKING:
    from claude_ide.review.service import ReviewService


LOOK_SECONDS = 0.5


class ReviewEvents:
    """What the user, or their editor, does in the review of one editor."""

    def __init__(self, review: "Callable[[], ReviewService]") -> None:
        self._review = review

    @handles(ReviewShown)
    def _shown(self, event: ReviewShown) -> Awaitable[None]:
        return self._review().shown(event)

    @handles(ReviewWritten)
    def _written(self, event: ReviewWritten) -> Awaitable[None]:
        return self._review().written(event)

    @handles(ReviewLeft)
    def _left(self, event: ReviewLeft) -> Awaitable[None]:
        return self._review().left(event)

    @handles(ReviewMoved)
    def _moved(self, event: ReviewMoved) -> Awaitable[None]:
        return self._review().moved(event)

    @handles(ReviewPressed)
    def _pressed(self, event: ReviewPressed) -> Awaitable[None]:
        return self._review().pressed(event)

    async def watch(self, editor: Editor, home: Path) -> None:
        """Learn what other editors leave to review in folders around the open files."""
        known = set[str]()
        while True:
            around = {str(folder) for path in editor.state.paths for folder in Path(path).parents}
            for folder in around.union(editor.state.folders) - known:
                # The folder may be on a slow disk.
                if await asyncio.to_thread(_is_marked, folder, home):
                    known.add(folder)
                    await self._left(ReviewLeft(folder))
            await asyncio.sleep(LOOK_SECONDS)


def _is_marked(folder: str, home: Path) -> bool:
    return mark_of(Path(folder), home).exists()
