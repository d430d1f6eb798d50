"""The changes of tools as a unified diff; what a turn has changed in one line."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from claude_ide import paths
from claude_ide.agents.events import Change
from claude_ide.chat.page import amounts
from claude_ide.chat.page.rows import Chunk, Mark, Row, row, size

META, KEY = "ClaudeChatMeta", "ClaudeChatKey"


class Summary(NamedTuple):
    """The numbers of changed files, of added and of removed lines."""

    files: int
    added: int
    removed: int


def unified(changes: Iterable[Change], root: str) -> str:
    """Return all changes in order; paths below `root` are relative to it."""
    lines: list[str] = []
    for change in changes:
        name = paths.within(change.path, root)
        lines += ["--- /dev/null" if change.created else f"--- a/{name}", f"+++ b/{name}"]
        lines += map(str, change.hunks)
    return "\n".join(lines)


def sizes(added: int, removed: int) -> list[Chunk]:
    """Return the numbers of added and of removed lines."""
    return [
        (f"+{added:,}", "ClaudeChatAdded"),
        (" ", ""),
        (f"\N{MINUS SIGN}{removed:,}", "ClaudeChatRemoved"),
    ]


def at_end(rows: Sequence[Row], summary: Summary) -> list[Row]:
    """Return the rows at a turn's end with what it has changed, and the key that shows it."""
    first, *others = rows or [row(("──", META))]
    joint = " · " if rows else " "
    shown = row(
        (f"{joint}{amounts.count(summary.files, 'file')} ", META),
        *sizes(summary.added, summary.removed),
        (" · ", META),
        ("gd", KEY),
    )
    by = size(first.text)
    marks = (Mark(a + by, b + by, group) for a, b, group in shown.marks)
    return [Row(first.text + shown.text, (*first.marks, *marks)), *others]
