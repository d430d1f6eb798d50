"""What an edit would make of a file, before it is allowed; and the arguments of a changed one.

The CLI's own tools see a file's lines without carriage returns, and write back those it had.
Source: doc/stream-json.md, "Permission".
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claude_ide import files
from claude_ide.agents.events import PermissionAsked
from claude_ide.paths import plain


@dataclass(frozen=True, slots=True)
class Proposal:
    """What `path` would hold; `original` is what it holds, None for a new file."""

    path: str
    text: str
    original: str | None
    arguments: Mapping[str, Any]

    def accepted(self, text: str) -> Mapping[str, Any] | None:
        """Return the tool's arguments for an accepted text; None if it is what was proposed."""
        return None if text == self.text else self.replacing(text)

    def replacing(self, text: str) -> Mapping[str, Any]:
        """Return the tool's arguments for replacing all that the file holds."""
        if "content" in self.arguments:
            return {**self.arguments, "content": text}
        changed = {**self.arguments, "old_string": _plain(self.original or "")}
        return changed | {"new_string": _plain(text), "replace_all": False}

    def now(self) -> "Proposal":
        """Return the same proposal for what the file holds now, if that can be read."""
        try:
            return replace(self, original=_read(self.path))
        except (OSError, ValueError):
            return self

    @property
    def is_overtaken(self) -> bool:
        """Whether a file that was proposed as a new one exists by now, with another text."""
        return self.original is None and self.now().original not in (None, self.text)


def of(asked: PermissionAsked) -> Proposal | None:
    """Return what a tool proposes; None where that cannot be told, or would not be applied."""
    arguments = asked.arguments
    if asked.kind != "edit" or not Path(asked.path).is_absolute():
        return None
    path = plain(asked.path)
    try:
        original = _read(path)
    except (OSError, ValueError):  # no text, or a path with a NUL
        return None
    if isinstance(content := arguments.get("content"), str):
        return Proposal(path, content, original, arguments)
    text = _edited(_plain(original or ""), arguments, is_new=original is None)
    if text is None:
        return None
    if original is not None and "\r\n" in original:
        text = text.replace("\n", "\r\n")
    return Proposal(path, text, original, arguments)


def _read(path: str) -> str | None:
    try:
        return files.read(Path(path)).decode()
    except FileNotFoundError:
        return None


def _edited(text: str, arguments: Mapping[str, Any], *, is_new: bool) -> str | None:
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    if not old:
        return new if is_new or not text else None
    if old not in text:
        return None
    return text.replace(old, new, -1 if arguments.get("replace_all") else 1)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
