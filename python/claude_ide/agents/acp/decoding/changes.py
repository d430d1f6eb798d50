"""The changes of files that a tool call describes by `diff` content."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_ide import files
from claude_ide.agents.comparing import change
from claude_ide.agents.events import Change, FileWritten, Replacement
from claude_ide.agents.fields import mappings, text


@dataclass(frozen=True, slots=True)
class Diff:
    """A change of one file: `new` replaces `old`, each a whole text or a part of it."""

    path: str
    old: str | None
    new: str


def diffs(content: Any, folder: str) -> tuple[Diff, ...]:
    """Return the diffs in a tool call's content; relative paths begin at `folder`."""
    return tuple(
        Diff(_absolute(text(each.get("path")), folder), _old(each), text(each.get("newText")))
        for each in mappings(content)
        if each.get("type") == "diff" and each.get("path")
    )


def replacement(diff: Diff) -> Replacement:
    """Return a proposed change."""
    is_new = not diff.old and not Path(diff.path).exists()
    return Replacement(diff.path, diff.new, None if is_new else diff.old)


def written(tool: str, diffs: Sequence[Diff]) -> Iterator[tuple[FileWritten | None, Change]]:
    """Yield what a tool has written; without `FileWritten` if the file has another text."""
    for diff in diffs:
        write = _written(tool, diff)
        if write is None or write.after is None:
            yield None, _change_of_a_part(diff)
        else:
            yield write, change(diff.path, write.before, write.after)


def _change_of_a_part(diff: Diff) -> Change:
    """Return the change of a text that need not end with a line."""
    end = "" if diff.new.endswith("\n") else "\n"
    return change(diff.path, diff.old + end if diff.old else None, diff.new + end)


def _absolute(path: str, folder: str) -> str:
    return str(Path(folder, path))


def _old(diff: dict[str, Any]) -> str | None:
    old = diff.get("oldText")
    return old if isinstance(old, str) else None


def _written(tool: str, diff: Diff) -> FileWritten | None:
    """Return the whole texts; a part that was replaced is found in the file."""
    try:
        after = files.read(Path(diff.path)).decode()
    except (OSError, ValueError):
        return None
    if after in (diff.new, diff.new + "\n"):
        # Some agents describe a new file by an empty text, and leave out the last line's end.
        end = after.removeprefix(diff.new)
        return FileWritten(tool, diff.path, diff.old + end if diff.old else None, after)
    if not diff.old or after.count(diff.new) != 1:
        return None
    return FileWritten(tool, diff.path, after.replace(diff.new, diff.old), after)
