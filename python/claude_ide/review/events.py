"""Hands the editor's events to the review, which the first of them builds."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.review import (
    ReviewLeft,
    ReviewMoved,
    ReviewPressed,
    ReviewShown,
    ReviewWritten,
)

if TYPE_CHECKING:
    from claude_ide.review.service import ReviewService


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
