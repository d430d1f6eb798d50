"""A page: lines that belong to parts. Changes to parts come in, edits of a buffer leave.

The page knows what the editor has got of each part, and tells in a frame only what differs. Text
that is appended costs what is new of it; a part that changes in the middle costs its own lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from claude_ide.chat.page.rows import BLANK, Row, row

FRAME_LINES = 400
"""How many lines one frame may bring; the rest goes in the next ones."""

MOST_LINES = 20_000
KEPT_LINES = 18_000
"""What is left when the page has grown past `MOST_LINES`, so that this is not done each time."""

SPARE_LINES = 1_000
"""So many more may be dropped for the page to begin with a turn."""

ALWAYS_KEPT = 5
"""The parts at the end that still change."""

ALL_LINES = 2**31 - 1
"""More than a buffer can have."""

NOT_SENT = Row("\n")
"""No row can be like this."""

EARLIER = "… earlier"
CLOSE = frozenset({"tool", "thinking"})
"""Kinds that stand below each other without a blank line."""


class Code(NamedTuple):
    """The inside of a closed code fence: rows of its part, the last one exclusive."""

    first: int
    last: int
    language: str


@dataclass(slots=True, eq=False)
class Part:
    """A piece of the page with an id, by which the editor names it. Only the page changes it."""

    id: int
    kind: str
    """What the editor lets the user do with it."""
    depth: int = 0
    tail: bool = False
    gone: bool = False
    rows: list[Row] = field(default_factory=list)
    sent: list[Row] = field(default_factory=list)
    clean: int = 0
    """So many rows at the beginning are as they were sent."""
    lead: int = 0
    """1 where a blank line stands before it, which belongs to it."""
    code: list[Code] = field(default_factory=list)
    told: set[Code] = field(default_factory=set)
    """The code that the editor knows of."""

    def line(self, offset: int) -> str:
        """Return the text of a row; empty where there is none."""
        at = offset + self.lead
        return self.rows[at].text if offset >= 0 and at < len(self.rows) else ""


@dataclass(slots=True)
class _Edit:
    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    marks: list[tuple[int, int, int, int, str]] = field(default_factory=list)
    parts: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, rows: Sequence[Row]) -> None:
        for number, new in enumerate(rows, len(self.lines)):
            self.marks += [(number, first, number, last, group) for first, last, group in new.marks]
        self.lines += [new.text for new in rows]

    def encode(self) -> dict[str, Any]:
        keys = ("first", "last", "lines", "marks", "parts")
        return {key: getattr(self, key) for key in keys}


class Page:
    """The parts in their order. Those of the tail stay last, whatever is added."""

    def __init__(self) -> None:
        self._body: list[Part] = []
        self._tail: list[Part] = []
        self._dirty: set[Part] = set()
        self._ids = 0
        self._lines = 0
        self._sent = 0
        self._whole = False
        self._leaving = False
        self._earlier: Part | None = None

    @property
    def lines(self) -> list[str]:
        """The whole content, as the editor has it once every frame is drawn."""
        return [shown.text for part in self._parts() for shown in part.rows]

    @property
    def parts(self) -> list[Part]:
        """All parts that are shown, in their order."""
        return [part for part in self._parts() if not part.gone]

    def add(
        self, kind: str, *, after: Part | None = None, tail: bool = False, depth: int = 0
    ) -> Part:
        """Add a part without lines: below `after`, or else last."""
        self._ids += 1
        part = Part(self._ids, kind, depth, tail)
        parts = self._tail if tail else self._body
        parts.insert(_below(parts, after), part)
        return part

    def write(
        self,
        part: Part,
        rows: Iterable[Row],
        first: int = 0,
        code: Iterable[Code] = (),
        kind: str = "",
    ) -> None:
        """Let a part's rows from `first` on be these; `code` are the fences that end in them.

        With a `kind` the part becomes one of that kind.
        """
        if part.gone:
            return
        self.rename(part, kind or part.kind)
        new, lead = list(rows), part.lead
        if new and not part.rows and self._stands_apart(part):
            part.rows.append(BLANK)
            part.lead = 1
            self._lines += 1
        at = first + part.lead if first or new else 0
        self._lines += len(new) - max(len(part.rows) - at, 0)
        part.rows[at:] = new
        part.lead = part.lead if part.rows else 0
        part.clean = min(part.clean, at)
        if part.lead != lead:
            _mark_again(part)
        while part.code and part.code[-1].last >= first:
            part.code.pop()
        part.code += code
        self._dirty.add(part)

    def rename(self, part: Part, kind: str) -> None:
        """Let a part be of another kind."""
        if part.kind == kind or part.gone:
            return
        part.kind = kind
        _mark_again(part)
        self._dirty.add(part)

    def remove(self, part: Part) -> None:
        """Take a part away."""
        self.write(part, [])
        part.gone = True
        self._leaving = True

    def trim(self, most: int = MOST_LINES, kept: int = KEPT_LINES) -> list[Part]:
        """Drop the oldest turns of a page that has grown too long; return their parts."""
        if self._lines <= most:
            return []
        # What waits for the user may be long, and costs nobody's past.
        lines = self._lines - sum(len(part.rows) for part in self._tail)
        if lines <= most:
            return []
        oldest = self._body[: self._first_kept(lines - kept)]
        dropped = [part for part in oldest if not part.gone and part is not self._earlier]
        for part in dropped:
            self.remove(part)
        if dropped and self._earlier is None:
            self._ids += 1
            self._earlier = Part(self._ids, "notice")
            self._body.insert(0, self._earlier)
            self.write(self._earlier, [row((EARLIER, "ClaudeChatMeta"))])
        return dropped

    def redraw(self) -> None:
        """Send everything anew with the next frames: nobody knows what the editor has."""
        self._whole = True
        self._sent = 0
        for part in self._parts():
            part.sent, part.clean, part.told = [], 0, set()
            self._dirty.add(part)

    def frame(self, most: int = FRAME_LINES) -> dict[str, Any] | None:
        """Return what has changed, for `chat/transcript/init.lua` (`draw`); None if nothing has.

        After `redraw` the first edit replaces everything there can be.
        """
        edits: list[_Edit] = []
        code: list[tuple[int, int, str]] = []
        if self._whole:
            edits.append(_Edit(0, ALL_LINES))
            self._whole = False
        moved = 0
        for part, top in self._changed():
            if most <= 0:
                break
            length = len(part.sent)
            most -= self._send(part, top + moved, most, edits, code)
            moved += len(part.sent) - length
        self._forget_removed()
        if not edits and not code:
            return None
        return {"edits": [edit.encode() for edit in edits], "code": code}

    def _send(
        self, part: Part, top: int, most: int, edits: list[_Edit], code: list[tuple[int, int, str]]
    ) -> int:
        """Bring the editor's copy of a part up to date; return how many lines that has taken."""
        first, end = _difference(part)
        last = len(part.sent) - end
        new = part.rows[first : len(part.rows) - end][:most]
        done = first + len(new) == len(part.rows) - end
        if new or last > first:
            edit = _edit(edits, top + first, top + last)
            if first <= part.lead < first + len(new):
                entry = len(edit.lines) + part.lead - first
                edit.parts.append((entry, part.id, part.kind))
            edit.add(new)
            self._sent += len(new) - (last - first)
            part.sent[first:last] = new
            part.told = {known for known in part.told if not _touched(part, known, first, last)}
        part.clean = first + len(new)
        if done:
            part.clean = len(part.rows)
            self._dirty.discard(part)
        for inside in part.code:
            if inside not in part.told and inside.last + part.lead < part.clean:
                part.told.add(inside)
                at = top + part.lead
                code.append((at + inside.first, at + inside.last, inside.language))
        return len(new)

    def _changed(self) -> list[tuple[Part, int]]:
        """The parts that have changed, from the top, with their first rows in the editor."""
        found: list[tuple[Part, int]] = []
        top, missing = self._sent, len(self._dirty)
        for part in self._backwards():
            if not missing:
                break
            top -= len(part.sent)
            if part in self._dirty:
                found.append((part, top))
                missing -= 1
        return found[::-1]

    def _forget_removed(self) -> None:
        if self._leaving:
            self._body = [part for part in self._body if not part.gone or part.sent]
            self._tail = [part for part in self._tail if not part.gone or part.sent]
            self._leaving = any(part.gone for part in self._parts())

    def _parts(self) -> Iterator[Part]:
        yield from self._body
        yield from self._tail

    def _backwards(self) -> Iterator[Part]:
        yield from reversed(self._tail)
        yield from reversed(self._body)

    def _stands_apart(self, part: Part) -> bool:
        """Whether a blank line belongs before a part that gets its first lines."""
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

    def _first_kept(self, over: int) -> int:
        """The index below which as many lines are dropped, and a bit more to end with a turn."""
        most = max(len(self._body) - ALWAYS_KEPT, 0)
        index = 0
        while index < most and over > 0:
            over -= len(self._body[index].rows)
            index += 1
        spare = SPARE_LINES
        for later in range(index, most):
            if self._body[later].kind == "turn":
                return later
            spare -= len(self._body[later].rows)
            if spare < 0:
                break
        return index


def _mark_again(part: Part) -> None:
    """Have a part's first row sent again, with which the editor learns of the part."""
    if len(part.sent) > part.lead:
        part.sent[part.lead] = NOT_SENT
        part.clean = min(part.clean, part.lead)


def _edit(edits: list[_Edit], first: int, last: int) -> _Edit:
    """Return the edit to write to: the one before, where that ends here."""
    if edits and (before := edits[-1]).first + len(before.lines) == first:
        before.last = min(before.last + last - first, ALL_LINES)
        return before
    edits.append(_Edit(first, last))
    return edits[-1]


def _below(parts: list[Part], after: Part | None) -> int:
    if after is not None:
        for index in range(len(parts) - 1, -1, -1):
            if parts[index] is after:
                return index + 1
    return len(parts)


def _difference(part: Part) -> tuple[int, int]:
    """So many rows at a part's beginning, and so many at its end, are as they were sent."""
    rows, sent = part.rows, part.sent
    first, shorter = part.clean, min(len(rows), len(sent))
    while first < shorter and rows[first] == sent[first]:
        first += 1
    end, most = 0, shorter - first
    if first <= part.lead:
        # The row on which the editor has marked the part must be written, wherever it was.
        most = min(most, max(shorter - part.lead - 1, 0))
    while end < most and rows[-1 - end] == sent[-1 - end]:
        end += 1
    return first, end


def _touched(part: Part, code: Code, first: int, last: int) -> bool:
    """Whether rows from `first` to `last` that were replaced belong to a fence."""
    opened, closed = code.first + part.lead - 1, code.last + part.lead
    return opened < max(first, last) and closed >= first
