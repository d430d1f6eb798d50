"""A page with its views, each of which draws its part once it has changed; and when this is sent.

Frames are sent one at a time, at most one per 33 ms, fewer if the editor is slow.
"""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from claude_ide.base.errors import EditorError
from claude_ide.ui.page import Page, Part, Row, indented, row

logger = logging.getLogger(__name__)

_LOCATION = re.compile(r"(?P<path>[\w.~@+/-]*[\w/])(?:(?::|#L|\()(?P<line>\d+))?")
LONGEST_PATH = 500

Location = tuple[str, int | None]
"""A path as it was written, and a 1-based line, or None if the line is unknown."""


@dataclass(frozen=True, slots=True)
class OpenOutput:
    """The user wants to read the whole of a text that is shown in part."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ReviewWanted:
    """The user wants to answer this request in a larger window, such as a plan or questions."""

    request: str


@dataclass(frozen=True, slots=True)
class ShowEarlier:
    """The user wants to read what is above the first line."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The user wants to resume this stored session in place of an empty one."""

    session: str


Action = OpenOutput | ReviewWanted | ShowEarlier | Resume
"""What the panel has to do after a press, apart from changes within the transcript."""


class View:
    """The view of one part; each kind of view derives from this class."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.above: View | None = None
        """The view of which this one is a child."""
        self.is_nested = False
        """Whether it is folded together with the view above."""
        self.children: list[View] = []

    @property
    def is_folded(self) -> bool:
        """Whether the views nested in this one are hidden."""
        return False

    @property
    def is_hidden(self) -> bool:
        """Whether it is nested in a view that is folded."""
        above = self.above
        return above is not None and (above.is_hidden or (self.is_nested and above.is_folded))

    def draw(self, page: Page) -> None:
        """Write the changed rows to the page."""
        rows = [] if self.is_hidden else self.indented(self.rows())
        page.write(self.part, rows, kind=self.part_kind)

    def rows(self) -> list[Row]:
        """Return the current rows."""
        return []

    @property
    def part_kind(self) -> str:
        """The part's current kind, which determines its keys in the editor."""
        return self.part.kind

    def indented(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows with the indentation of this part."""
        return indented(rows, self.part.depth)

    def last(self) -> Part:
        """Return the last part of this view and its children."""
        shown = [child for child in self.children if not child.part.is_removed]
        return shown[-1].last() if shown else self.part

    def below(self) -> Iterator["View"]:
        """Yield the children that are still shown, with theirs."""
        for child in self.children:
            if not child.part.is_removed:
                yield child
                yield from child.below()

    def turn_ended(self) -> None:
        """Stop waiting for more: the turn is over."""

    def refit(self) -> bool:
        """Prepare for another width of the window; return whether it has to be drawn again."""
        return False

    def press(self, offset: int) -> Action | None:
        """Open or close the part; return the action that remains for the panel."""
        return None

    def location(self, offset: int, column: int) -> Location | None:
        """Return the file location under the cursor (`column` in bytes)."""
        return location_in(self.part.line(offset), column)

    def markdown(self) -> str:
        """Return the part's text in an export; empty if it has none."""
        return ""


class Announcement(View):
    """Fixed rows, until `show` replaces them; `export` is their text in an export."""

    def __init__(self, part: Part, rows: Sequence[Row], export: str = "") -> None:
        super().__init__(part)
        self._rows = list(rows)
        self._export = export

    def show(self, rows: Sequence[Row]) -> None:
        """Replace the rows."""
        self._rows = list(rows)

    def rows(self) -> list[Row]:
        return self._rows

    def markdown(self) -> str:
        return self._export


def location_in(line: str, column: int) -> Location | None:
    """Return the path and the line that a text contains at a byte column."""
    at = len(line.encode()[:column].decode(errors="ignore"))
    begin = max(0, at - LONGEST_PATH)
    for found in _LOCATION.finditer(line[begin : at + LONGEST_PATH]):
        if found.start() <= at - begin < found.end():
            path, number = found["path"], found["line"]
            name = path.strip("./")
            if number or (name and ("/" in path or "." in name)):
                return path, int(number) if number else None
            return None
    return None


V = TypeVar("V", bound=View)

UNDRAWN = "this part could not be shown, see :ClaudeLog"
UNDRAWN_KIND = "notice"

BESIDE = frozenset({"late", "trust"})
"""The kinds of parts that are not part of a conversation; `chat/state.lua` has them, too."""


class Sheet:
    """Views on a page. A view that has changed is drawn once, with the next frame."""

    def __init__(self) -> None:
        self.page = Page()
        self._views: dict[int, View] = {}
        self._changed: dict[View, None] = {}
        self._undrawn: dict[View, str] = {}
        """The views that could not be drawn, each with the kind of its part."""
        self._placeholder: View | None = None

    def add(
        self,
        kind: str,
        make: Callable[[Part], V],
        *,
        below: View | None = None,
        indent: bool = False,
        tail: bool = False,
    ) -> V:
        """Add a view: at the end, or indented below another view and its children.

        With `indent` it is nested in the other view, which can hide it.
        """
        if kind not in BESIDE and self._placeholder is not None:
            self.remove(self._placeholder)
            self._placeholder = None
        depth = below.part.depth + 1 if below else int(indent)
        after = below.last() if below else None
        view = make(self.page.add(kind, after=after, tail=tail, depth=depth))
        if below is not None:
            below.children.append(view)
            view.above, view.is_nested = below, indent
        self._views[view.part.id] = view
        self.changed(view)
        return view

    def show_while_empty(self, kind: str, make: Callable[[Part], V]) -> V | None:
        """Add a view that is removed once there is another one; None if there is one already."""
        if any(view.part.kind not in BESIDE for view in self._views.values()):
            return None
        self._placeholder = view = self.add(kind, make)
        return view

    @property
    def is_empty(self) -> bool:
        """Whether there is no conversation, apart from what waits at the end."""
        return all(
            view is self._placeholder or view.part.kind in BESIDE or view.part.tail
            for view in self._views.values()
        )

    def changed(self, view: View) -> None:
        """Mark a view as changed, so that the next frame draws it."""
        self._changed[view] = None

    def all_changed(self, view: View) -> None:
        """Mark a view and all its children as changed."""
        self.changed(view)
        for child in view.children:
            self.all_changed(child)

    def remove(self, view: View) -> None:
        """Remove a view and its part."""
        self._changed.pop(view, None)
        self._undrawn.pop(view, None)
        self._views.pop(view.part.id, None)
        self.page.remove(view.part)

    def find(self, part: int) -> View | None:
        """Return the view of a part, by its id."""
        return self._views.get(part)

    def views(self) -> Iterator[View]:
        """Yield all views from top to bottom."""
        for part in self.page.parts:
            if part.id in self._views:
                yield self._views[part.id]

    def put_above(self, view: View, other: "Sheet") -> None:
        """Replace everything above a view by the content of another sheet, which is over."""
        other.draw()
        for part in self.page.put_above(view.part, other.page):
            self._views.pop(part.id, None)
        self._changed = {each: None for each in self._changed if each.part.id in self._views}
        self._views.update({above.part.id: above for above in other._views.values()})

    def resize(self, width: int) -> None:
        """Fit the views into a window of this width."""
        if width == self.page.width:
            return
        self.page.width = width
        for view in self.views():
            if view.refit():
                self.changed(view)

    def draw(self) -> None:
        """Write the changed views to the page."""
        changed, self._changed = self._changed, {}
        for view in changed:
            self._draw(view)
        for part in self.page.trim():
            self._views.pop(part.id, None)

    def _draw(self, view: View) -> None:
        """Draw a view; one that cannot be drawn leaves the others as they are."""
        view.part.kind = self._undrawn.pop(view, view.part.kind)
        try:
            view.draw(self.page)
        except Exception:
            logger.exception("a part of a chat could not be drawn: %s", view.part.kind)
            self._undrawn[view] = view.part.kind
            # Of this kind, so that no key answers a request that is not on the screen.
            rows = view.indented([row((UNDRAWN, "ClaudeChatError"))])
            self.page.write(view.part, rows, kind=UNDRAWN_KIND)

    def frame(self) -> dict[str, Any] | None:
        self.draw()
        return self.page.frame()

    def redraw(self) -> None:
        self.page.redraw()


FRAME_SECONDS = 0.033
STRETCH = 2
"""After a draw, the painter pauses for this many times the draw's duration."""

LONGEST_PAUSE = 10.0
"""The longest pause after consecutive draws that failed, in seconds."""


class FrameSource(Protocol):
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
        source: FrameSource,
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
