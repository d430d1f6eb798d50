"""The three texts of a file that waits for review, and how they move when somebody writes it.

A row is an index of a line, 0-based; the last row of a range is exclusive. A pure removal has no
line of its own: it belongs to the line below it, at the end of the file to the last line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from claude_ide.text_diff import areas, hunks, merge

Rows = tuple[int, int]
_Change = tuple[int, int, list[str]]


class Hunk(NamedTuple):
    """Rows of the base that an agent has replaced by rows of the file."""

    first: int
    last: int
    start: int
    stop: int


class OverlapError(Exception):
    """The user has changed lines of the agent that are to be reverted."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a file; None: there is no file.

    `base` lacks what an agent has written and the user has not reviewed; otherwise it has all
    changes. `agent` has what the agent has written as it was written. `now` is the file.
    """

    base: str | None
    agent: str | None
    now: str | None

    @classmethod
    def same(cls, text: str | None) -> Self:
        """Return the texts of a file without unreviewed changes."""
        return cls(text, text, text)

    @property
    def is_reviewed(self) -> bool:
        """Whether nothing of an agent is left to review."""
        return self.base == self.now

    @property
    def hunks(self) -> list[Hunk]:
        """What is left to review of a file that exists; one that did not is one hunk."""
        if self.now is None:
            return []
        return [Hunk(*each) for each in hunks(lines_of(self.base or ""), lines_of(self.now))]

    def written_by_agent(self, text: str | None) -> "Texts":
        """Return the texts after an agent has written the file, or deleted it (None)."""
        if self.agent is None or self.now is None or text is None or self.agent == self.now:
            return Texts(self.base, text, text)
        return Texts(self.base, _carried(self.now, text, self.agent), text)

    def written_by_other(self, text: str | None) -> "Texts":
        """Return the texts after the user, or another program, has written or deleted the file."""
        if text == self.now:
            return self
        if text is None or self.now is None or self.is_reviewed:
            return Texts.same(text)
        if self.base is None:
            return Texts(None, self.agent, text)
        # What is changed inside of a hunk belongs to neither version.
        outside = _outside(self.now, text, self.base)
        base = _carried(self.now, outside, self.base)
        return Texts(base, _carried(self.now, outside, self.agent or ""), text)

    def kept(self, rows: Rows | None = None, *, is_exact: bool = False) -> "Texts":
        """Return the texts after the user has kept the hunks that some rows touch, or all.

        With `is_exact`, only the lines in the rows.
        """
        if rows is None or self.base is None or self.now is None:
            return Texts.same(self.now)
        base, now = lines_of(self.base), lines_of(self.now)
        for hunk in reversed(self.hunks):
            if chosen := _chosen(hunk, rows, len(now), is_exact=is_exact):
                base[hunk.first : hunk.last] = _mixed(hunk, chosen, base, now, takes_new=True)
        kept = "".join(base)
        return Texts(kept, self._agent_with(rows), self.now)

    def reverted(
        self, rows: Rows | None = None, *, is_exact: bool = False, is_forced: bool = False
    ) -> "Texts":
        """Return the texts after the user has reverted the hunks that some rows touch, or all.

        With `is_exact`, only the lines in the rows. What the user has changed in these lines stays
        where it can. Raises `OverlapError` where it cannot, unless it `is_forced`.
        """
        if self.base is None or self.now is None or self.agent is None:
            return Texts.same(self.base)
        direct = self._without(self.now, rows, is_exact=is_exact)
        if self.agent == self.now:
            return Texts(self.base, direct, direct)
        if rows is None:
            agent = self.base
        else:
            agent = Texts(self.base, self.agent, self.agent)._without(
                self.agent, moved(self.now, self.agent, rows), is_exact=is_exact
            )
        now = merge(self.agent, self.now, agent)
        if now is None:
            if not is_forced:
                raise OverlapError
            now = direct
        return Texts(self.base, agent, now)

    def _without(self, text: str, rows: Rows | None, *, is_exact: bool) -> str:
        base, now = lines_of(self.base or ""), lines_of(text)
        found = Texts(self.base, text, text).hunks
        for hunk in reversed(found):
            whole = (hunk.start, max(hunk.stop, hunk.start + 1))
            chosen = _chosen(hunk, rows or whole, len(now), is_exact=is_exact and rows is not None)
            if chosen:
                now[hunk.start : hunk.stop] = _mixed(hunk, chosen, base, now, takes_new=False)
        return "".join(now)

    def _agent_with(self, rows: Rows) -> str | None:
        """Return the agent's text with what the user has changed in some rows of the file."""
        if self.agent == self.now or self.agent is None or self.now is None:
            return self.now
        agent, now = lines_of(self.agent), lines_of(self.now)
        for first, last, start, stop in reversed([*hunks(agent, now)]):
            if start < rows[1] and rows[0] < max(stop, start + 1):
                agent[first:last] = now[start:stop]
        return "".join(agent)


def touches(hunk: Hunk, rows: Rows, length: int) -> bool:
    """Return whether some rows of a file of so many lines touch a hunk."""
    return _chosen(hunk, rows, length, is_exact=False) is not None


class _Choice(NamedTuple):
    """Which lines of a hunk are meant: rows of the file, and the lines without a counterpart."""

    rows: range
    has_removed: bool


def _chosen(hunk: Hunk, rows: Rows, length: int, *, is_exact: bool) -> _Choice | None:
    """Return which lines of a hunk some rows touch, in a file of so many lines."""
    first, last = rows
    below = min(hunk.stop, max(length - 1, 0))
    is_removal = hunk.start == hunk.stop
    if is_removal:
        return _Choice(range(0), True) if first <= below < last else None
    if not (hunk.start < last and first < hunk.stop):
        # Lines that were removed at the end of the hunk belong to the line below.
        has_surplus = hunk.last - hunk.first > hunk.stop - hunk.start
        is_below = is_exact and has_surplus and first <= below < last
        return _Choice(range(0), True) if is_below else None
    if not is_exact:
        return _Choice(range(hunk.start, hunk.stop), True)
    chosen = range(max(first, hunk.start), min(last, hunk.stop))
    return _Choice(chosen, last > hunk.stop or len(chosen) == hunk.stop - hunk.start)


def _mixed(
    hunk: Hunk, choice: _Choice, base: Sequence[str], now: Sequence[str], *, takes_new: bool
) -> list[str]:
    """Return the lines of a hunk, the chosen ones new or old, the others the other way round."""
    mixed = list[str]()
    for at, row in enumerate(range(hunk.start, hunk.stop)):
        old = base[hunk.first + at : min(hunk.first + at + 1, hunk.last)]
        mixed += now[row : row + 1] if (row in choice.rows) == takes_new else old
    if choice.has_removed != takes_new:
        mixed += base[min(hunk.first + hunk.stop - hunk.start, hunk.last) : hunk.last]
    return mixed


def moved(now: str, then: str, rows: Rows) -> Rows:
    """Return the rows of another version of a text that correspond to rows of this one."""
    first, last = rows
    shift_first = shift_last = 0
    for start, stop, other, end in hunks(lines_of(now), lines_of(then)):
        if start >= rows[1]:
            break
        shift_last = max(end, other + (rows[1] - start)) - rows[1] if stop > rows[1] else end - stop
        if stop <= rows[0]:
            shift_first = end - stop
        elif start < rows[0]:
            shift_first = other - rows[0]
    return max(first + shift_first, 0), last + shift_last


def _carried(before: str, after: str, other: str) -> str:
    """Return `other`, a version of `before`, with the changes that lead to `after`.

    Those to lines that `other` has changed itself are left out.
    """
    old = lines_of(before)
    own, free = _apart(before, after, other)
    return _applied(old, own + free)


def _outside(before: str, after: str, other: str) -> str:
    """Return `before` with the same changes, and those that `other` has made, too."""
    old = lines_of(before)
    own, free = _apart(before, after, other)
    same = [each for each in _changes(old, lines_of(after)) if each in own]
    return _applied(old, free + same)


def _apart(before: str, after: str, other: str) -> tuple[list[_Change], list[_Change]]:
    """Return the changes that lead to `other`, and those to `after` that touch none of them."""
    old = lines_of(before)
    own = _changes(old, lines_of(other))
    changes = _changes(old, lines_of(after))
    return own, [each for each in changes if not any(_touches(each, mine) for mine in own)]


def _applied(old: list[str], changes: list[_Change]) -> str:
    merged: list[str] = []
    row = 0
    for first, last, inserted in sorted(changes, key=lambda change: change[:2]):
        merged += [*old[row:first], *inserted]
        row = last
    return "".join(merged + old[row:])


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    return [(first, last, new[start:stop]) for first, last, start, stop in areas(old, new)]


def _touches(change: _Change, other: _Change) -> bool:
    """Return whether two changes are to the same lines."""
    if change == other:
        return True
    if change[0] == change[1] or other[0] == other[1]:
        return other[0] < change[0] < other[1] or change[0] < other[0] < change[1]
    return change[0] < other[1] and other[0] < change[1]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each with its line feed, if it has one."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])
