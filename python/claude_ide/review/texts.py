"""The texts of a file that waits for review, and how they move when somebody writes it.

A row is an index of a line, 0-based; the last row of a range is exclusive. A pure removal has no
line of its own: it belongs to the line below it, at the end of the file to the last line.

A text without loss has a surrogate for each byte that is not UTF-8 (PEP 383): it is that of exactly
one content. Its line ends are those of ASCII, as in all encodings whose texts have no NUL.
"""

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

from claude_ide.base.text_diff import areas, hunks, merge

UTF_8 = "utf-8"
USUAL = "latin1"
"""How editors read what is not UTF-8, unless the user has set 'fileencodings'."""

CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""What no text has."""

Rows = tuple[int, int]
_Change = tuple[int, int, list[str]]


class Hunk(NamedTuple):
    """Rows of the base that an agent has replaced by rows of the file."""

    first: int
    last: int
    start: int
    stop: int

    @property
    def rows(self) -> Rows:
        """The rows of the file where it is shown: at least one."""
        return self.start, max(self.stop, self.start + 1)


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
        return [*_hunks(self.base or "", self.now)]

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
        old = lines_of(self.now)
        base, agent = (_changes(self.now, each or "") for each in (self.base, self.agent))
        reverted, free, formatted = list[_Change](), list[_Change](), list[_Change]()
        touched_by = _Touched(base)
        for change in _changes(self.now, text):
            touched = touched_by(change)
            if _is_reverted(old, change, touched):
                reverted.append(change)
            elif touched and _is_formatted(old, change):
                # As if the agent had written it so: no words of the user's are in it.
                formatted.append(change)
            else:
                # What is changed inside of a hunk belongs to neither version.
                free += _outside(change, touched)
        return Texts(
            _applied(old, [*_apart(base, reverted), *reverted, *free]),
            _applied(
                old, [*_apart(agent, reverted), *reverted, *_apart([*free, *formatted], agent)]
            ),
            text,
        )

    def recalled(self, then: "Texts") -> "Texts":
        """Return the texts after somebody else has brought an earlier text back.

        `then` are the texts as they were then: the agent's changes that are back wait again.
        """
        if None in (self.base, self.now, then.now, then.agent):
            return then
        # Of a file that was new then, the user has kept something.
        then = Texts(then.base or "", then.agent, then.now)
        now, base, here = (lines_of(each or "") for each in (then.now, then.base, self.now))
        # The same lines with other blanks are not back: what the user has kept of them stays kept.
        differing = _Meeting(
            [
                each
                for each in _hunks(self.now or "", then.now or "")
                if not _is_formatted(here, (*each[:2], now[each.start : each.stop]))
            ]
        )
        without, as_written = [*now], _Touched(_changes(then.now or "", then.agent or ""))
        back = list[_Change]()
        for hunk in reversed(then.hunks):
            if choice := _back(hunk, differing(hunk)):
                mixed = _mixed(hunk, choice, base, now, takes_new=False)
                without[hunk.start : hunk.stop] = mixed
                inside = as_written((hunk.start, hunk.stop, []))
                back += [each for each in inside if _is_within(each, hunk)]
        others = self.written_by_other(_joined(without))
        return others.written_by_agent(_applied(now, back)).written_by_other(then.now)

    def unkept(self, before: "Texts", after: "Texts") -> "Texts":
        """Return the texts after the user has taken a keep back, which led to `after`."""
        if self.base == after.base and self.now == after.now:
            return before
        if before.base is None:
            return Texts(None, self.agent, self.now)
        if None in (after.base, self.base, before.agent, after.agent, self.agent):
            return self
        return Texts(
            _carried(after.base or "", before.base, self.base or ""),
            _carried(after.agent or "", before.agent or "", self.agent or ""),
            self.now,
        )

    def rows_in(self, text: str, earlier: str) -> list[Rows]:
        """Return the rows of the hunks that another text has, too, and an earlier one had not."""
        lacking, new = (_Meeting([*_hunks(each, self.now or "")]) for each in (text, earlier))
        return [each.rows for each in self.hunks if not lacking(each) and new(each)]

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
        return Texts(_joined(base), self._agent_with(rows), self.now)

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
        # What the user has added to lines that are gone is theirs alone.
        return Texts(self.base, agent, agent).written_by_other(now)

    def _without(self, text: str, rows: Rows | None, *, is_exact: bool) -> str:
        if rows is None:
            return self.base or ""
        base, now = lines_of(self.base or ""), lines_of(text)
        found, length = Texts(self.base, text, text).hunks, len(now)
        for hunk in reversed(found):
            if chosen := _chosen(hunk, rows, length, is_exact=is_exact):
                now[hunk.start : hunk.stop] = _mixed(hunk, chosen, base, now, takes_new=False)
        return _joined(now)

    def _agent_with(self, rows: Rows) -> str | None:
        """Return the agent's text with what the user has changed in some rows of the file."""
        if self.agent == self.now or self.agent is None or self.now is None:
            return self.now
        agent, now = lines_of(self.agent), lines_of(self.now)
        for first, last, start, stop in reversed([*hunks(agent, now)]):
            if start < rows[1] and rows[0] < max(stop, start + 1):
                agent[first:last] = now[start:stop]
        return _joined(agent)


@lru_cache(maxsize=8)
def _hunks(before: str, after: str) -> tuple[Hunk, ...]:
    """Return the hunks between two texts; those of one file are asked for again and again."""
    return tuple(Hunk(*each) for each in hunks(lines_of(before), lines_of(after)))


def touches(hunk: Hunk, rows: Rows, length: int, *, is_exact: bool) -> bool:
    """Return whether some rows of a file of so many lines touch a hunk."""
    return _chosen(hunk, rows, length, is_exact=is_exact) is not None


class _Choice(NamedTuple):
    """Which lines of a hunk are meant: rows of the file, and the lines without a counterpart."""

    rows: Sequence[int]
    has_removed: bool


def _chosen(hunk: Hunk, rows: Rows, length: int, *, is_exact: bool) -> _Choice | None:
    """Return which lines of a hunk some rows touch, in a file of so many lines."""
    below = min(hunk.stop, max(length - 1, 0))
    # What was removed at the end is shown below the last line.
    first, last = min(rows[0], max(length - 1, 0)), rows[1]
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
    for start, stop, other, end in _hunks(now, then):
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
    own = _changes(before, other)
    return _applied(old, [*own, *_apart(_changes(before, after), own)])


def without(now: str, base: str, reverted: str, written: Iterable[str]) -> str:
    """Return `base`, a version of `now`, without what a revert of agents' changes takes back.

    `written` are the versions before agents have changed them.
    """
    old = lines_of(now)
    of_agents = [each for text in written for each in _changes(now, text)]
    undone = [
        each
        for each in _changes(now, reverted)
        if any(first <= each[0] and each[1] <= last for first, last, _ in of_agents)
    ]
    own = _changes(now, base)
    return _applied(old, [*own, *_apart(undone, own)])


def _apart(changes: Sequence[_Change], others: Sequence[_Change]) -> list[_Change]:
    """Return the changes that touch none of the others."""
    touched = _Touched(others)
    return [each for each in changes if not touched(each)]


class _Touched:
    """Finds which of some changes, which do not overlap, are to the same lines as another one."""

    def __init__(self, changes: Sequence[_Change]) -> None:
        self._changes = sorted(changes, key=lambda change: change[:2])
        self._firsts = [change[0] for change in self._changes]
        self._lasts = [change[1] for change in self._changes]

    def __call__(self, change: _Change) -> list[_Change]:
        first = bisect.bisect_left(self._lasts, change[0])
        last = bisect.bisect_right(self._firsts, change[1])
        return [each for each in self._changes[first:last] if _touches(change, each)]


def _is_reverted(old: list[str], change: _Change, hunks_: list[_Change]) -> bool:
    """Return whether a change takes a hunk back, whatever else it adds there."""
    if change in hunks_:
        return True
    if len(hunks_) != 1 or hunks_[0][:2] != change[:2] or not hunks_[0][2]:
        return False
    left = iter(change[2])
    has_all = all(line in left for line in hunks_[0][2])
    return has_all and not {*old[change[0] : change[1]]} & {*change[2]}


def _is_formatted(old: list[str], change: _Change) -> bool:
    """Return whether a change is to blanks only."""
    before, after = ("".join(lines).split() for lines in (old[change[0] : change[1]], change[2]))
    return "".join(before) == "".join(after) != ""


def _outside(change: _Change, hunks_: list[_Change]) -> list[_Change]:
    """Return the parts of a change that are outside of the hunks that it touches."""
    if not hunks_:
        return [change]
    first, last, inserted = change
    parts = list[_Change]()
    row = first
    for start, stop, _ in [*hunks_, (last, last, [])]:
        if row < min(start, last):
            parts.append((row, min(start, last), []))
        row = max(row, stop)
    if not parts:
        return []
    # What the user has added stays beside what they have removed.
    at = -1 if parts[-1][1] == last else 0
    parts[at] = (*parts[at][:2], inserted)
    return parts


def _back(hunk: Hunk, met: list[Hunk]) -> _Choice | None:
    """Return the lines of a hunk that an earlier text did not have: it differs in what was met."""
    if not met:
        return None
    rows = {row for each in met for row in range(each.start, each.stop)}
    chosen = [row for row in range(hunk.start, hunk.stop) if row in rows]
    return _Choice(chosen, any(each.first < each.last for each in met))


class _Meeting:
    """Finds which of some differences, in order, concern the same rows of a text as a hunk."""

    def __init__(self, found: list[Hunk]) -> None:
        self._found = found
        self._starts = [each.start for each in found]
        self._stops = [each.stop for each in found]

    def __call__(self, hunk: Hunk) -> list[Hunk]:
        first = bisect.bisect_left(self._stops, hunk.start)
        last = bisect.bisect_right(self._starts, hunk.stop)
        return [each for each in self._found[first:last] if _meet(hunk, each)]


def _meet(hunk: Hunk, other: Hunk) -> bool:
    first, last = (hunk.start, hunk.stop), (other.start, other.stop)
    return first == last or _touches((*first, []), (*last, [""]))


def _is_within(change: _Change, hunk: Hunk) -> bool:
    return hunk.start <= change[0] and change[1] <= hunk.stop


def _applied(old: list[str], changes: list[_Change]) -> str:
    merged: list[str] = []
    row = 0
    for first, last, inserted in sorted(changes, key=lambda change: change[:2]):
        merged += [*old[row:first], *inserted]
        row = last
    return _joined(merged + old[row:])


@lru_cache(maxsize=16)
def _changes(before: str, after: str) -> tuple[_Change, ...]:
    """Return the changes between two texts; those of one file are asked for again and again."""
    old, new = lines_of(before), lines_of(after)
    return tuple((first, last, new[start:stop]) for first, last, start, stop in areas(old, new))


def _touches(change: _Change, other: _Change) -> bool:
    """Return whether two changes are to the same lines."""
    if change == other:
        return True
    if change[0] == change[1] or other[0] == other[1]:
        return other[0] < change[0] < other[1] or change[0] < other[0] < change[1]
    return change[0] < other[1] and other[0] < change[1]


def _joined(lines: list[str]) -> str:
    """Return a text of lines, of which one that was the last may have no end."""
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    ended = [line if line.endswith("\n") else f"{line}{end}" for line in lines[:-1]]
    return "".join(ended + lines[-1:])


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each with its line feed, if it has one."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def added(before: str, after: str) -> str:
    """Return the lines that a text has beyond those of another one."""
    new = lines_of(after)
    found = hunks(lines_of(before), new)
    return "".join(line for *_, start, stop in found for line in new[start:stop])


def decoded(content: bytes) -> str | None:
    """Return the text of a content, without loss; None if it is no text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        is_text = not CONTROLS.search(content)
        return content.decode(UTF_8, "surrogateescape") if is_text else None
    return None if "\0" in text else text


def encoded(text: str) -> bytes:
    """Return the content of a text without loss."""
    return text.encode(UTF_8, "surrogateescape")


def readable(text: str, encoding: str = UTF_8) -> str:
    """Return a text without loss as the user reads it in a buffer with this 'fileencoding'."""
    if encoding == UTF_8 and is_utf8(text):
        return text
    try:
        return encoded(text).decode(USUAL if encoding == UTF_8 else encoding, "replace")
    except LookupError:
        return encoded(text).decode(USUAL)


def lines_shown(texts: Texts, encoding: str = UTF_8) -> tuple[list[str], list[str]]:
    """Return the lines of the base and of the text now, as the user reads them."""
    base, now = (lines_of(readable(each or "", encoding)) for each in (texts.base, texts.now))
    return base, now


def are_alike(*texts: str | None) -> bool:
    """Return whether texts can be of one encoding: a buffer has only one."""
    return len({is_utf8(text) for text in texts if text and not text.isascii()}) < 2


def is_utf8(text: str) -> bool:
    """Return whether the content of a text is UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def signed(sign: str, lines: Iterable[str]) -> list[str]:
    """Return lines of a text as those of a diff."""
    return [sign + line.rstrip("\r\n") for line in lines]
