"""The unified diff of two texts, unless it would take too long."""

import difflib
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
