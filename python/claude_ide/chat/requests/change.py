"""A proposed change of a file as a unified diff, which contains all that the change does."""

import difflib
from collections.abc import Sequence
from itertools import islice

from claude_ide.chat.requests.proposal import Proposal
from claude_ide.paths import within

CONTEXT = 2
LARGEST = 400_000
"""The most characters of both texts together; a diff of more would take too long."""

MOST_PAIRS = 1_000_000
"""The most pairs of lines between the first and the last change, for the same reason."""

NO_NEWLINE = "\\ No newline at end of file"


def unified(proposed: Proposal) -> tuple[str, ...]:
    """Return the lines of the diff; empty if the change is too large, or nothing changes."""
    old, new = proposed.original or "", proposed.text
    if len(old) + len(new) > LARGEST:
        return ()
    before, after = _lines(old), _lines(new)
    if _pairs(before, after) > MOST_PAIRS:
        return ()
    diff = difflib.unified_diff(before, after, n=CONTEXT, lineterm="")
    # The first two lines name the files; the position in a new file is obvious.
    return tuple(islice(diff, 2 if before else 3, None))


def of_files(proposed: Sequence[Proposal], root: str) -> tuple[str, ...]:
    """Return the diffs of several files, each below its path; empty if one is not known.

    Paths below `root` are relative to it.
    """
    if len(proposed) == 1:
        return unified(proposed[0])
    diffs = [(f"{within(each.path, root)}:", *unified(each)) for each in proposed]
    is_known = all(len(diff) > 1 for diff in diffs)
    return tuple(line for diff in diffs for line in diff) if is_known else ()


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
    first = _same(before, after)
    last = _same(before[first:][::-1], after[first:][::-1])
    return (len(before) - first - last) * (len(after) - first - last)


def _same(before: list[str], after: list[str]) -> int:
    """Return the number of lines at the beginning that are equal."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
