"""The differences of texts, unless finding them would take too long; and their merge."""

import bisect
import difflib
from collections import Counter
from collections.abc import Iterator
from itertools import islice

MOST_CHARACTERS = 400_000
"""The most characters of both texts together."""

FEW_PAIRS = 10_000
"""Up to so many pairs of lines all are compared; beyond, lines that occur once divide the texts."""

MOST_PAIRS = 1_000_000
"""The most pairs of lines between the first and the last change."""

_Change = tuple[int, int, list[str]]

NO_NEWLINE = "\\ No newline at end of file"


def unified(old: str, new: str, context: int) -> tuple[str, ...]:
    """Return the lines of the diff, each hunk with its `@@` line and `context` lines around it.

    The result is empty if the texts are too large, or equal.
    """
    if len(old) + len(new) > MOST_CHARACTERS:
        return ()
    before, after = _lines(old), _lines(new)
    if _pairs(before, after) > MOST_PAIRS:
        return ()
    diff = difflib.unified_diff(before, after, n=context, lineterm="")
    # The first two lines name the files.
    return tuple(islice(diff, 2, None))


def hunks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield which rows are replaced by which, in order.

    Both have a first and a last row, 0-based; the last one is exclusive. Between lines that occur
    once in both texts, large parts are replaced as a whole.
    """
    begun = (0, 0, 0, 0)
    for first, last, start, stop in _between_anchors(before, after):
        if first == begun[1] and start == begun[3]:
            begun = begun[0], last, begun[2], stop
            continue
        if begun[0] < begun[1] or begun[2] < begun[3]:
            yield begun
        begun = first, last, start, stop
    if begun[0] < begun[1] or begun[2] < begun[3]:
        yield begun


def _between_anchors(
    before: list[str], after: list[str], row: int = 0, later: int = 0
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the rows that are replaced; parts may touch. `row` and `later` are added."""
    head, tail = ends(before, after)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    row, later = row + head, later + head
    if not old or not new:
        if old or new:
            yield row, row + len(old), later, later + len(new)
        return
    anchors = _anchors(old, new) if len(old) * len(new) > FEW_PAIRS else []
    if anchors:
        first = start = 0
        for last, stop in [*anchors, (len(old), len(new))]:
            part = old[first:last], new[start:stop]
            yield from _between_anchors(*part, row + first, later + start)
            first, start = last + 1, stop + 1
        return
    if len(old) * len(new) > MOST_PAIRS:
        yield row, row + len(old), later, later + len(new)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, start, stop in matcher.get_opcodes():
        if tag != "equal":
            yield row + first, row + last, later + start, later + stop


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return the rows of lines that occur once in both texts, the most that are in order."""
    once = _single(new)
    pairs = [(row, once[line]) for line, row in _single(old).items() if line in once]
    lasts: list[int] = []
    ends_at: list[int] = []
    previous: list[int] = []
    for index, (_, later) in enumerate(pairs):
        at = bisect.bisect_left(lasts, later)
        previous.append(ends_at[at - 1] if at else -1)
        lasts[at : at + 1] = [later]
        ends_at[at : at + 1] = [index]
    found = []
    index = ends_at[-1] if ends_at else -1
    while index >= 0:
        found.append(pairs[index])
        index = previous[index]
    return found[::-1]


def _single(lines: list[str]) -> dict[str, int]:
    """Return the rows of the lines that occur once, in order."""
    counts = Counter(lines)
    return {line: row for row, line in enumerate(lines) if counts[line] == 1}


def areas(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield which rows are replaced by which, like `hunks`: single ones where as many lines stay.

    Lines that differ only in blanks belong together, as formatters change little else.
    """
    alike = ["".join(line.split()) for line in before], ["".join(line.split()) for line in after]
    row = later = 0
    for first, last, start, stop in [*hunks(*alike), (len(before), len(before), 0, 0)]:
        # The lines before are alike.
        yield from _single_rows(before, after, row, later, first - row)
        if last - first == stop - start:
            yield from _single_rows(before, after, first, start, last - first)
        else:
            yield first, last, start, stop
        row, later = last, stop


def _single_rows(
    before: list[str], after: list[str], row: int, later: int, count: int
) -> Iterator[tuple[int, int, int, int]]:
    for at in range(count):
        if before[row + at] != after[later + at]:
            yield row + at, row + at + 1, later + at, later + at + 1


def merge(base: str, ours: str, theirs: str) -> str | None:
    """Return a text with the changes of two later versions; None if both change the same lines.

    Of two insertions at the same place, `theirs` comes first.
    """
    merged = merge_lines(*(text.split("\n") for text in (base, ours, theirs)))
    return None if merged is None else "\n".join(merged)


def merge_lines(
    lines: list[str], ours: list[str], theirs: list[str], *, theirs_win: bool = False
) -> list[str] | None:
    """Like `merge`, for the lines of a text. If `theirs_win`, their changes to the same lines."""
    own, other = _changes(lines, ours), _changes(lines, theirs)
    own = [change for change in own if change not in other]
    if theirs_win:
        own = [change for change in own if not any(_overlap(change, each) for each in other)]
    changes = other + own
    merged: list[str] = []
    row = 0
    for first, last, inserted in sorted(changes, key=lambda change: change[:2]):
        if first < row:
            return None
        merged += lines[row:first] + inserted
        row = last
    return merged + lines[row:]


def _changes(base: list[str], later: list[str]) -> list[_Change]:
    return [(first, last, later[start:stop]) for first, last, start, stop in hunks(base, later)]


def _overlap(one: _Change, other: _Change) -> bool:
    """Return whether two changes are to the same lines, or one inserts lines amid the other's."""
    former, latter = sorted((one[:2], other[:2]))
    return latter[0] < former[1]


def _lines(text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += f"\n{NO_NEWLINE}"
    return lines


def _pairs(before: list[str], after: list[str]) -> int:
    """Return the number of pairs of lines that differ at most."""
    first, last = ends(before, after)
    return (len(before) - first - last) * (len(after) - first - last)


def ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """Return how many lines at the beginning are equal, and how many at the end."""
    first = _same(before, after)
    return first, _same(before[first:][::-1], after[first:][::-1])


def _same(before: list[str], after: list[str]) -> int:
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
