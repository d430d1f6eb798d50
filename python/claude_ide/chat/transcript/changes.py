"""The changes of tools as a unified diff."""

from collections.abc import Iterable
from pathlib import Path

from claude_ide.agents.events import Change


def unified(changes: Iterable[Change], root: str) -> str:
    """Return all changes in order; paths below `root` are relative to it."""
    lines: list[str] = []
    for change in changes:
        path = Path(change.path)
        name = path.relative_to(root) if path.is_relative_to(root) else path
        lines += ["--- /dev/null" if change.created else f"--- a/{name}", f"+++ b/{name}"]
        lines += map(str, change.hunks)
    return "\n".join(lines)
