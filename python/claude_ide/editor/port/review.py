"""The review of what agents have written: in the files themselves, and in the quickfix list.

Paths have no links. Rows are 0-based, the last one of a range is exclusive.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

from claude_ide.editor.port.binding import Payload, notification, operation, request
from claude_ide.editor.port.events import Event
from claude_ide.editor.port.windows import Typed


class ReviewShown(Event, frozen=True):
    """A buffer whose file may wait for review has come to a window, or has another text."""

    EVENT: ClassVar = "review_shown"

    bufnr: int
    path: str


class ReviewLeft(Event, frozen=True):
    """A file was opened in a folder where an earlier session has left something to review."""

    EVENT: ClassVar = "review_left"

    folder: str


class ReviewWritten(Event, frozen=True):
    """The user has written a file that waits for review."""

    EVENT: ClassVar = "review_written"

    path: str


class ReviewSaved(Event, frozen=True):
    """The user has written a file, which an agent may write, too.

    `name` is that of its buffer. If no autocommand has told of the write, such as of an autosave,
    `base` is the stamp of the file whose text the user has changed; "" if that is not known.
    """

    EVENT: ClassVar = "review_saved"

    path: str
    name: str = ""
    base: str | None = None


class ReviewPressed(Event, frozen=True):
    """A key in the list: items by their numbers, from 0."""

    EVENT: ClassVar = "review_pressed"

    key: str
    list: int
    items: tuple[int, ...] = ()
    words: str = ""


class ReviewMoved(Event, frozen=True):
    """The user goes on from the last hunk of a buffer (1), or back from the first (-1)."""

    EVENT: ClassVar = "review_moved"

    bufnr: int
    direction: int


class CalledAt(NamedTuple):
    """Where the user was when they called a command: they may be elsewhere by now."""

    bufnr: int = 0
    row: int = 0
    """The cursor's, 0-based."""
    tick: int = 0
    """Of the text."""
    name: str = ""
    """The path of the buffer, if it has one."""


class ShownBuffer(Payload, frozen=True):
    """The loaded buffer of a file, as it would be on disk."""

    bufnr: int
    path: str
    tick: int
    text: str
    encoding: str = "utf-8"
    """That of the file; the text is in UTF-8."""
    is_modified: bool = False
    is_writable: bool = True
    selected: tuple[int, int] | None = None
    """The rows of the last Visual selection."""


Spans = list[tuple[int, int]]
"""Bytes of a line, 0-based, ends exclusive."""


class Drawn(Payload, frozen=True):
    """A hunk: `count` rows of the file from `row` on stand in place of the `removed` lines."""

    row: int
    count: int
    removed: list[str]
    more: int
    """How many removed lines are left out."""
    old_spans: list[tuple[int, Spans]]
    """What was changed in removed lines, by their index."""
    new_spans: list[tuple[int, Spans]]
    """What was changed in lines of the file, by their index in the hunk."""


class DrawnRemark(Payload, frozen=True):
    """A remark on rows of a buffer; `state` is "open", "sent" or "answered"."""

    first: int
    last: int
    words: str
    state: str


class ListItem(Payload, frozen=True):
    """A line of the list: a hunk, a whole file, or a remark. `row` is 0-based."""

    path: str
    row: int
    label: str
    diff: list[str]
    """The hunk as a diff, for the preview."""
    group: str = ""
    """The highlight group of the line; empty for a hunk that waits."""


class ListCursor(Payload, frozen=True):
    """A list in the quickfix window; `row` is that of the cursor, 0-based."""

    list: int
    row: int


class ReviewPort(Protocol):
    """The review, as the editor shows it."""

    @request("review.overlay.buffer", large=True)
    async def buffer(self, bufnr: int) -> ShownBuffer | None:
        """Return a loaded buffer; None if it has no file."""

    @request("review.overlay.find")
    async def find(self, paths: Sequence[str]) -> list[tuple[int, str]]:
        """Return the loaded buffers of files, with their paths."""

    @request("review.overlay.draw")
    async def draw(
        self, bufnr: int, tick: int, hunks: Sequence[Drawn], remarks: Sequence[DrawnRemark]
    ) -> bool:
        """Draw hunks and remarks in a buffer, unless it has another text by now: return False."""

    @request("review.go")
    async def go(self, path: str, row: int) -> None:
        """Show a file in the current window, with the cursor in this row."""

    @notification("review.overlay.waiting")
    def waiting(
        self, files: Mapping[str, int], remarked: Sequence[str], remarks: int, value: str
    ) -> None:
        """Know the files that wait, each with its hunks, and those with remarks.

        `remarks` is how many are not sent, and `value` the JSON of what `review()` returns.
        """

    @request("review.overlay.save")
    async def save(self, bufnr: int) -> str:
        """Write a buffer as it is, without autocommands that change it; return why it failed."""

    @request("review.list.show", large=True)
    async def show_list(self, title: str, items: Sequence[ListItem], list_: int = 0) -> int:
        """Show a list in the quickfix window, or update this one; return its number."""

    @operation("claude_ide#remark#Write", "claude_ide#remark#Close")
    async def write_remark(self, title: str, words: str, is_changed: bool) -> Typed:
        """Let the user write a remark or a review in a buffer; without words if they drop it.

        If it `is_changed`, the user has written the words, and they are not dropped unasked.
        """

    @notification("claude_ide#arguments#KnowRecipients")
    def know_recipients(self, names: Sequence[str]) -> None:
        """Know to whom a review can be sent."""

    @request("review.list.listed")
    async def listed(self, bufnr: int) -> ListCursor | None:
        """Return which list a buffer shows; None if it is none of ours."""

    @request("claude_ide#own_writes#Watch")
    async def watch_own_writes(self) -> None:
        """Start to note which files the user writes."""

    @request("claude_ide#own_writes#Among")
    async def own_writes(self, paths: Sequence[str]) -> list[str]:
        """Return those of the files that the user was the last to write."""
