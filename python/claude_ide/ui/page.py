"""Rows, and a page of them: lines that belong to parts. Changes become frames, which edit a buffer.

The page knows which rows of each part the editor has, so a frame contains only the difference. The
cost of appended text is that of its new lines; a change within a part costs all lines of the part.
Columns are bytes, as in Neovim.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from claude_ide.ui.text import harmless

Chunk = tuple[str, str]
"""A text and its highlight group; "" means no highlight."""

INDENT = "  "


class Mark(NamedTuple):
    """A highlight in a row; columns are 0-based bytes, the last one exclusive."""

    first: int
    last: int
    group: str


class Decoration(NamedTuple):
    """A part of a row that is shown as another text, while the buffer keeps the source.

    `conceal` replaces the part by at most one character; `inline` inserts text at `first`;
    `overlay` covers the rest of the window's row from `first` on.
    """

    first: int
    last: int
    text: str = ""
    group: str = ""
    how: Literal["conceal", "inline", "overlay"] = "conceal"


class Row(NamedTuple):
    """One line, its highlights, and how parts of it look."""

    text: str
    marks: tuple[Mark, ...] = ()
    looks: tuple[Decoration, ...] = ()


BLANK = Row("")

META, KEY, DETAIL = "ClaudeChatMeta", "ClaudeChatKey", "ClaudeChatDetail"
REQUEST, WARNING = "ClaudeChatRequest", "ClaudeChatWarning"


def size(text: str) -> int:
    """Return the size of a text in a buffer, in bytes."""
    return len(text) if text.isascii() else len(text.encode())


def row(*chunks: Chunk) -> Row:
    """Return a row made of chunks; their texts are made harmless."""
    marks = []
    texts = [harmless(text) for text, _ in chunks]
    column = 0
    for text, (_, group) in zip(texts, chunks, strict=True):
        end = column + size(text)
        if group and text:
            marks.append(Mark(column, end, group))
        column = end
    return Row("".join(texts), tuple(marks))


def all_in(group: str, lines: Iterable[str]) -> list[Row]:
    """Return a row for each line, wholly highlighted."""
    return [row((line, group)) for line in lines]


def indented(rows: Iterable[Row], depth: int) -> list[Row]:
    """Return the rows, indented `depth` times; empty rows stay empty."""
    if not depth:
        return list(rows)
    by = len(INDENT) * depth
    return [moved(each, by) if each.text else each for each in rows]


def moved(each: Row, by: int) -> Row:
    """Return a row with so many blanks before it."""
    marks = tuple(Mark(first + by, last + by, group) for first, last, group in each.marks)
    looks = tuple(look._replace(first=look.first + by, last=look.last + by) for look in each.looks)
    return Row(" " * by + each.text, marks, looks)


def key_row(key: str, meaning: str) -> Row:
    """Return a row for a key that answers a request."""
    return row(("  ", ""), (key, KEY), (f"  {meaning}", DETAIL))


def drawn(rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows as a page for the editor (`chat/page.lua`)."""
    marks = [(number, *mark) for number, each in enumerate(rows) for mark in each.marks]
    return {"lines": [each.text for each in rows], "marks": marks}


class Code(NamedTuple):
    """The rows of a part that are inside a closed code fence; `last` is exclusive."""

    first: int
    last: int
    language: str


@dataclass(slots=True, eq=False)
class Part:
    """A piece of the page with an id, by which the editor names it. Only the page changes it.

    It knows which of its rows the editor has.
    """

    id: int
    kind: str
    """Determines which keys the editor offers on it."""
    depth: int = 0
    tail: bool = False
    is_removed: bool = False
    rows: list[Row] = field(default_factory=list)
    sent: list[Row] = field(default_factory=list)
    clean: int = 0
    """The number of rows at the beginning that are unchanged since they were sent."""
    lead: int = 0
    """1 if its first row is the blank line before it."""
    head_sent: tuple[int, str] | None = None
    """The `head` that the editor has."""
    code: list[Code] = field(default_factory=list)
    code_sent: set[Code] = field(default_factory=set)
    """The fences in `code` that the editor knows."""

    def line(self, offset: int) -> str:
        """Return the text of a row; empty if there is no such row."""
        at = offset + self.lead
        return self.rows[at].text if offset >= 0 and at < len(self.rows) else ""

    @property
    def head(self) -> tuple[int, str]:
        """What the mark at its first row tells the editor: where that is, and the kind."""
        return self.lead, self.kind

    def resend(self) -> None:
        """Have everything sent again."""
        self.sent, self.clean, self.code_sent = [], 0, set()

    def forget_code(self, first: int, last: int) -> None:
        """Forget that the editor knows the fences to which these sent rows belong."""
        self.code_sent = {
            code
            for code in self.code_sent
            if code.first + self.lead - 1 >= max(first, last) or code.last + self.lead < first
        }

    def difference(self) -> tuple[int, int]:
        """Return how many rows at the beginning and at the end are unchanged."""
        rows, sent = self.rows, self.sent
        first, shorter = self.clean, min(len(rows), len(sent))
        while first < shorter and rows[first] == sent[first]:
            first += 1
        if self.head != self.head_sent:
            first = min(first, self.lead, shorter)
        end, most = 0, shorter - first
        if first <= self.lead:
            # The row that carries the part's mark in the buffer must be rewritten.
            most = min(most, max(shorter - self.lead - 1, 0))
        while end < most and rows[-1 - end] == sent[-1 - end]:
            end += 1
        return first, end

    def is_sent(self, code: Code) -> bool:
        """Return whether the editor has a fence's rows and, if it is closed, the row after them."""
        last = code.last + self.lead
        return last < self.clean or last == self.clean == len(self.rows)


FRAME_LINES = 300
"""The most lines in one frame; the next frames have the rest."""

MOST_LINES = 20_000
KEPT_LINES = 18_000
"""A page with more than `MOST_LINES` is trimmed to this many, so that trimming is rare."""

ALWAYS_KEPT = 5
"""The number of parts at the end that may still change."""

ALL_LINES = 2**31 - 1
"""More lines than a buffer can have."""

EARLIER = "… earlier"
EARLIER_KIND = "earlier"
CLOSE = frozenset({"tool", "thinking", "remark"})
"""Parts of these kinds follow each other without a blank line."""


class Page:
    """The parts in their order. Parts of the tail always remain last."""

    def __init__(self) -> None:
        self.width = 80
        """The columns of the window that shows it."""
        self.renders = True
        """Whether Markdown is shown rendered."""
        self._body: list[Part] = []
        self._tail: list[Part] = []
        self._dirty: set[Part] = set()
        self._ids = 0
        self._lines = 0
        self._replaces_all = False
        self.earlier: Part | None = None
        """The first line, if it stands for what is above it."""
        self._extra = 0
        """The lines that were put above, which may exceed `MOST_LINES`."""
        self._replaced: list[Part] = []
        """The parts that they replace; until the editor knows, it holds what it shows."""

    @property
    def lines(self) -> list[str]:
        """The whole content, as in the buffer once every frame is drawn."""
        return [shown.text for part in self._parts() for shown in part.rows]

    @property
    def parts(self) -> list[Part]:
        """All parts that have not been removed, in their order."""
        return [part for part in self._parts() if not part.is_removed]

    def add(
        self, kind: str, *, after: Part | None = None, tail: bool = False, depth: int = 0
    ) -> Part:
        """Add an empty part: below `after`, or at the end if that is None."""
        self._ids += 1
        part = Part(self._ids, kind, depth, tail)
        parts = self._tail if tail else self._body
        below = parts[::-1].index(after) if after in parts else 0
        parts.insert(len(parts) - below, part)
        return part

    def write(
        self,
        part: Part,
        rows: Iterable[Row],
        first: int = 0,
        code: Iterable[Code] = (),
        kind: str = "",
    ) -> None:
        """Replace a part's rows from `first` on; `code` are the fences that end in the new rows.

        `kind` is the part's new kind; empty keeps its kind.
        """
        if part.is_removed:
            return
        new, part.kind = list(rows), kind or part.kind
        if new and not part.rows and self._needs_blank_line(part):
            part.rows.append(BLANK)
            part.lead = 1
            self._lines += 1
        at = first + part.lead if first or new else 0
        self._lines += len(new) - max(len(part.rows) - at, 0)
        part.rows[at:] = new
        part.lead = part.lead if part.rows else 0
        part.clean = min(part.clean, at)
        while part.code and part.code[-1].last >= first:
            part.code.pop()
        part.code += code
        self._dirty.add(part)

    def remove(self, part: Part) -> None:
        """Remove a part."""
        self.write(part, [])
        part.is_removed = True

    def trim(self, most: int = MOST_LINES, kept: int = KEPT_LINES) -> list[Part]:
        """Drop the oldest turns of a page that has grown too long; return their parts.

        If possible, it then begins with a turn.
        """
        most, kept = most + self._extra, kept + self._extra
        if self._lines <= most:
            return []
        # Requests in the tail may be long; they must not displace the conversation.
        lines = self._lines - sum(len(part.rows) for part in self._tail)
        if lines <= most:
            return []
        over, first = lines - kept, 0
        end = max(len(self._body) - ALWAYS_KEPT, 0)
        while first < end and over > 0:
            over -= len(self._body[first].rows)
            first += 1
        turns = (at for at in range(first, end) if self._body[at].kind == "turn")
        oldest = self._body[: next(turns, first)]
        dropped = [part for part in oldest if not part.is_removed and part is not self.earlier]
        for part in dropped:
            self.remove(part)
        if dropped:
            self.mark_earlier()
        return dropped

    def mark_earlier(self) -> None:
        """Begin the page with a line that stands for what is above it."""
        if self.earlier is None:
            self._ids += 1
            self.earlier = Part(self._ids, EARLIER_KIND)
            self._body.insert(0, self.earlier)
            self.write(self.earlier, [row((EARLIER, META))])

    def put_above(self, part: Part, other: "Page") -> list[Part]:
        """Replace everything above a part by the content of another page; return what was there.

        The other page's parts get new ids. It must not be used afterwards.
        """
        replaced = [above for above in self._body[: self._body.index(part)] if not above.is_removed]
        for above in replaced:
            self.remove(above)
        self._replaced = [above for above in self._replaced if above.sent] + replaced
        for new in other._body:
            self._ids += 1
            new.id = self._ids
        self._body[:0] = other._body
        self._dirty.update(other._body)
        self._lines += other._lines
        self._extra += other._lines
        self.earlier = other.earlier
        return replaced

    def redraw(self) -> None:
        """Send everything again with the next frames, since the buffer's content is unknown."""
        self._replaces_all = True
        for part in self._parts():
            part.resend()
            self._dirty.add(part)

    def frame(self, most: int = FRAME_LINES) -> dict[str, Any] | None:
        """Return the changes for `chat/transcript/init.lua` (`draw`); None if there are none.

        After `redraw` the first edit replaces the whole buffer.
        """
        edits: list[dict[str, Any]] = []
        code: list[tuple[int, int, str]] = []
        if self._replaces_all:
            _edit(edits, 0, ALL_LINES)
            self._replaces_all = False
        top, holds = 0, any(part.sent for part in self._replaced)
        for part in self._parts():
            if most > 0 and part in self._dirty:
                most -= self._send(part, top, most, edits, code)
            top += len(part.sent)
        for parts in (self._body, self._tail):
            parts[:] = [part for part in parts if not part.is_removed or part.sent]
        if not edits and not code:
            return None
        return {"edits": edits, "code": code} | ({"holds": True} if holds else {})

    def _send(
        self,
        part: Part,
        top: int,
        most: int,
        edits: list[dict[str, Any]],
        code: list[tuple[int, int, str]],
    ) -> int:
        """Add the edits that update the editor's copy of a part; return the number of lines."""
        first, end = part.difference()
        last = len(part.sent) - end
        new = part.rows[first : len(part.rows) - end][:most]
        done = first + len(new) == len(part.rows) - end
        if new or last > first:
            edit = _edit(edits, top + first, top + last)
            if first <= part.lead < first + len(new):
                entry = len(edit["lines"]) + part.lead - first
                edit["parts"].append((entry, part.id, part.kind))
                part.head_sent = part.head
            for number, each in enumerate(new, len(edit["lines"])):
                edit["marks"] += [(number, a, number, b, group) for a, b, group in each.marks]
                # Most of them only hide something.
                looks = (look if look.text else look[:2] for look in each.looks)
                edit["looks"] += [(number, *look) for look in looks]
            edit["lines"] += [each.text for each in new]
            part.sent[first:last] = new
            part.forget_code(first, last)
        part.clean = first + len(new)
        if done:
            part.clean = len(part.rows)
            self._dirty.discard(part)
        for inside in part.code:
            if inside not in part.code_sent and part.is_sent(inside):
                part.code_sent.add(inside)
                at = top + part.lead
                code.append((at + inside.first, at + inside.last, inside.language))
        return len(new)

    def _parts(self) -> Iterator[Part]:
        yield from self._body
        yield from self._tail

    def _needs_blank_line(self, part: Part) -> bool:
        """Whether a part that gets its first rows needs a blank line before it."""
        if part.tail:
            return self._lines > 0
        above = iter(reversed(self._body))
        for each in above:
            if each is part:
                break
        before = next((each for each in above if each.rows), None)
        if before is None or part.depth or part.kind == "end":
            return False
        return not (part.kind in CLOSE and before.kind in CLOSE)


def _edit(edits: list[dict[str, Any]], first: int, last: int) -> dict[str, Any]:
    """Return the edit for these lines: the last one if it ends at `first`, otherwise a new one."""
    if edits and (before := edits[-1])["first"] + len(before["lines"]) == first:
        before["last"] = min(before["last"] + last - first, ALL_LINES)
        return before
    rows: dict[str, Any] = {"lines": [], "marks": [], "looks": [], "parts": []}
    edits.append({"first": first, "last": last, **rows})
    return edits[-1]
