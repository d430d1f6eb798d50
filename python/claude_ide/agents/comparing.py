"""The change between two texts of a file, as an agent would report it."""

import itertools
import re
from collections.abc import Iterator, Sequence

from claude_ide import text_diff
from claude_ide.agents.events import Change, Hunk

CONTEXT = 3
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def change(path: str, before: str | None, after: str) -> Change:
    """Return the change between two texts; without hunks if they are too large."""
    hunks = tuple(_hunks(text_diff.unified(before or "", after, CONTEXT)))
    lines = [line for hunk in hunks for line in hunk.lines]
    return Change(
        path,
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        hunks=hunks,
        created=before is None,
    )


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    starts = [at for at, line in enumerate(lines) if line.startswith("@@")]
    for first, end in itertools.pairwise([*starts, len(lines)]):
        found = _HUNK.match(lines[first])
        assert found is not None
        old, old_lines, new, new_lines = (int(each or 1) for each in found.groups())
        body = tuple(part for line in lines[first + 1 : end] for part in line.split("\n"))
        yield Hunk(old, old_lines, new, new_lines, body)
