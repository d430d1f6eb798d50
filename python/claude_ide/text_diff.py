"""The differences of texts, unless finding them would take too long; and their merge."""

import difflib
from collections.abc import Iterator
from itertools import islice

LARGEST = 400_000
"""The most characters of both texts together."""

MOST_PAIRS = 1_000_000
"""The most pairs of lines between the first and the last change."""

NO_NEWLINE = "\\ No newline at end of file"


def unified(old: str, new: str, context: int) -> tuple[str, ...]:
    """Return the lines of the diff, each hunk with its `@@` line and `context` lines around it.

    The result is empty if the texts are too large, or equal.
    """
    if len(old) + len(new) > LARGEST:
        return ()
    before, after = _lines(old), _lines(new)
    if _pairs(before, after) > MOST_PAIRS:
        return ()
    diff = difflib.unified_diff(before, after, n=context, lineterm="")
    # The first two lines name the files.
    return tuple(islice(diff, 2, None))


def hunks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield which rows are replaced by which: all from the first to the last change of large texts.

    Both have a first and a last row, 0-based; the last one is exclusive.
    """
    head, tail = ends(before, after)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) > MOST_PAIRS:
        yield head, head + len(old), head, head + len(new)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, start, stop in matcher.get_opcodes():
        if tag != "equal":
            yield head + first, head + last, head + start, head + stop


def merge(base: str, ours: str, theirs: str) -> str | None:
    """Return a text with the changes of two later versions; None if both change the same lines.

    Of two insertions at the same place, `theirs` comes first.
    """
    merged = merge_lines(*(text.split("\n") for text in (base, ours, theirs)))
    return None if merged is None else "\n".join(merged)


def merge_lines(lines: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    """Like `merge`, for the lines of a text."""
    own, other = _changes(lines, ours), _changes(lines, theirs)
    changes = other + [change for change in own if change not in other]
    merged: list[str] = []
    row = 0
    for first, last, inserted in sorted(changes, key=lambda change: change[:2]):
        if first < row:
            return None
        merged += lines[row:first] + inserted
        row = last
    return merged + lines[row:]


def _changes(base: list[str], later: list[str]) -> list[tuple[int, int, list[str]]]:
    return [(first, last, later[start:stop]) for first, last, start, stop in hunks(base, later)]


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
