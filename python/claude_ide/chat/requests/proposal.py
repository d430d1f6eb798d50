"""The text that a file would have after an edit, and the edit for the user's version of it.

An agent may omit the carriage returns of a file's lines; the file keeps them.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from claude_ide import files
from claude_ide.agents.events import Asked, PermissionAsked, Replacement
from claude_ide.paths import normalized


@dataclass(frozen=True, slots=True)
class Proposal:
    """`text` is the proposed content of `path`; `original` its content, None for a new file."""

    path: str
    text: str
    original: str | None
    edit: Replacement

    def accepted(self, text: str) -> Replacement | None:
        """Return the edit for an accepted text; None if it is the proposed text."""
        return None if text == self.text else self.replacing(text)

    def replacing(self, text: str) -> Replacement:
        """Return the edit that replaces the whole file."""
        old = None if self.edit.old is None else self.original or ""
        return Replacement(self.edit.path, text, old)

    def now(self) -> "Proposal":
        """Return the proposal with the current content of the file, if it can be read."""
        try:
            return replace(self, original=_read(self.path))
        except (OSError, ValueError):
            return self

    @property
    def file_appeared(self) -> bool:
        """Whether a file that was proposed as new exists now, with another text."""
        return self.original is None and self.now().original not in (None, self.text)


def is_edit(asked: Asked) -> TypeGuard[PermissionAsked]:
    """Return whether a request is about changes of files."""
    return isinstance(asked, PermissionAsked) and (asked.kind == "edit" or bool(asked.edits))


def paths(asked: PermissionAsked) -> list[str]:
    """Return the files that a request would change, or else the one that it is about."""
    found = list(dict.fromkeys(edit.path for edit in asked.edits))
    return found or [asked.path] * bool(asked.path)


def of(asked: PermissionAsked) -> tuple[Proposal, ...]:
    """Return a tool's proposal for each file; none if any is unknown, or its edit would fail."""
    found: dict[str, Proposal] = {}
    for edit in asked.edits if is_edit(asked) else ():
        if not Path(edit.path).is_absolute():
            return ()
        path = normalized(edit.path)
        proposed = _of(path, edit, found.get(path))
        if proposed is None:
            return ()
        found[path] = proposed
    return tuple(found.values())


def _of(path: str, edit: Replacement, earlier: Proposal | None) -> Proposal | None:
    """Return the proposal of an edit, which may follow an earlier one of the same file."""
    try:
        original = earlier.original if earlier else _read(path)
    except (OSError, ValueError):  # not a text, or a path with a NUL
        return None
    if edit.old is None:
        return Proposal(path, edit.new, original, edit)
    now = earlier.text if earlier else original
    text = _edited(_plain(now or ""), edit.old, edit, is_new=now is None)
    if text is None:
        return None
    if original is not None and "\r\n" in original:
        text = text.replace("\n", "\r\n")
    return Proposal(path, text, original, edit)


def _read(path: str) -> str | None:
    try:
        return files.read(Path(path)).decode()
    except FileNotFoundError:
        return None


def _edited(text: str, old: str, edit: Replacement, *, is_new: bool) -> str | None:
    if not old:
        return edit.new if is_new or not text else None
    if old not in text:
        return None
    return text.replace(old, edit.new, -1 if edit.every else 1)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
