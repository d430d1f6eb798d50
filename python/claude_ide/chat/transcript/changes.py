"""The changes of tools as a unified diff; what a turn has changed in one line."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from claude_ide.agents.events import Change
from claude_ide.chat.page import amounts
from claude_ide.chat.page.rows import Mark, Row, row, size

MINUS = "\N{MINUS SIGN}"
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
        path = Path(change.path)
        name = path.relative_to(root) if path.is_relative_to(root) else path
        lines += ["--- /dev/null" if change.created else f"--- a/{name}", f"+++ b/{name}"]
        lines += map(str, change.hunks)
    return "\n".join(lines)


def at_end(rows: Sequence[Row], summary: Summary) -> list[Row]:
    """Return the rows at a turn's end with what it has changed, and the key that shows it."""
    first, *others = rows or [row(("──", META))]
    joint = " · " if rows else " "
    shown = row(
        (f"{joint}{amounts.count(summary.files, 'file')} ", META),
        (f"+{summary.added}", "ClaudeChatAdded"),
        (" ", ""),
        (f"{MINUS}{summary.removed}", "ClaudeChatRemoved"),
        (" · ", META),
        ("gd", KEY),
    )
    by = size(first.text)
    marks = (Mark(a + by, b + by, group) for a, b, group in shown.marks)
    return [Row(first.text + shown.text, (*first.marks, *marks)), *others]
