"""The text that a file would have after an edit, and the edit for the user's version of it.

An agent may omit the carriage returns of a file's lines; the file keeps them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from claude_ide.agents.requests import PermissionAsked, Replacement
from claude_ide.base import files, text_diff
from claude_ide.base.paths import normalized, within
from claude_ide.base.quotation import fenced

CONTEXT = 2
"""Lines around a change in a diff."""

NONE: Mapping[str, str] = MappingProxyType({})


class ProposalBase(Enum):
    """The text that a proposal changes; the values are notes for the user."""

    SAVED = ""
    UNSAVED = "your unsaved changes are saved with it"
    """That of a buffer with unsaved changes."""
    BESIDE = "it changes the text on disk; your unsaved changes stay"
    """That on disk, although a buffer has unsaved changes."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`text` is the proposed content of `path`; `original` its content, None for a new file."""

    path: str
    text: str
    original: str | None
    edit: Replacement
    base: ProposalBase = ProposalBase.SAVED

    def accepted(self, text: str) -> Replacement | None:
        """Return the edit for an accepted text; None if it is the proposed text."""
        return None if text == self.text else self.replacing(text)

    def replacing(self, text: str) -> Replacement:
        """Return the edit that replaces the whole file."""
        old = None if self.edit.old is None else self.original or ""
        return Replacement(self.edit.path, text, old)

    def now(self, buffers: Mapping[str, str] = NONE) -> "Proposal":
        """Return the proposal with the current content of the file, if it can be read.

        `buffers` has the texts of buffers, by their paths.
        """
        if self.base is ProposalBase.UNSAVED and self.path in buffers:
            return replace(self, original=buffers[self.path])
        try:
            return replace(self, original=_read(self.path))
        except (OSError, ValueError):
            return self

    def is_text(self, text: str) -> bool:
        """Return whether a text is the proposed one, apart from carriage returns."""
        return _plain(text) == _plain(self.text)

    @property
    def file_appeared(self) -> bool:
        """Whether a file that was proposed as new exists now, with another text."""
        return self.original is None and self.now().original not in (None, self.text)


def of(asked: PermissionAsked, buffers: Mapping[str, str] = NONE) -> tuple[Proposal, ...]:
    """Return a tool's proposal for each file; none if any is unknown, or its edit would fail.

    `buffers` has the texts of buffers, by their paths; an edit that fits such a text is for it.
    """
    edits: dict[str, list[Replacement]] = {}
    for edit in asked.edits:
        if not Path(edit.path).is_absolute():
            return ()
        edits.setdefault(normalized(edit.path), []).append(edit)
    found = [_of(path, each, buffers.get(path)) for path, each in edits.items()]
    known = tuple(proposed for proposed in found if proposed)
    return known if len(known) == len(found) else ()


def note(proposed: Sequence[Proposal]) -> str:
    """Return what the user should know about unsaved changes; empty if there are none."""
    return "; ".join(dict.fromkeys(each.base.value for each in proposed if each.base.value))


def over_unsaved(accepted: Iterable[tuple[Proposal, str]]) -> tuple[Replacement, ...]:
    """Return what accepted texts replace as a whole, for the files that have unsaved changes."""
    return tuple(
        Replacement(proposed.path, text, proposed.original)
        for proposed, text in accepted
        if proposed.base is not ProposalBase.SAVED
    )


def _of(path: str, edits: Sequence[Replacement], buffer: str | None) -> Proposal | None:
    """Return the proposal of edits that follow each other."""
    try:
        saved = _read(path)
    except (OSError, ValueError):  # not a text, or a path with a NUL
        return None if buffer is None else _after(path, edits, buffer, ProposalBase.SAVED)
    if buffer in (None, saved):
        return _after(path, edits, saved, ProposalBase.SAVED)
    unsaved = _after(path, edits, buffer, ProposalBase.UNSAVED)
    # A whole text on disk may also be a part of the unsaved text.
    old = edits[0].old
    is_of_disk = None not in (old, saved) and _plain(old or "") == _plain(saved or "")
    if saved is None or (unsaved and not is_of_disk):
        return unsaved
    return _after(path, edits, saved, ProposalBase.BESIDE)


def _after(
    path: str, edits: Sequence[Replacement], original: str | None, base: ProposalBase
) -> Proposal | None:
    text = original
    for edit in edits:
        text = _edited(text, edit)
        if text is None:
            return None
    return None if text is None else Proposal(path, text, original, edits[-1], base)


def _read(path: str) -> str | None:
    try:
        return files.read(Path(path)).decode()
    except FileNotFoundError:
        return None


def _edited(text: str | None, edit: Replacement) -> str | None:
    if edit.old is None:
        return edit.new
    if not edit.old:
        return None if text else edit.new
    if text is None:
        return None
    if "\r\n" not in text:
        return _replaced(text, edit.old, edit.new, edit)
    plain = _replaced(_plain(text), _plain(edit.old), _plain(edit.new), edit)
    return None if plain is None else plain.replace("\n", "\r\n")


def _replaced(text: str, old: str, new: str, edit: Replacement) -> str | None:
    line = f"{old}\n"
    if edit.takes_line_feed and not new and not old.endswith("\n") and line in text:
        old = line
    return text.replace(old, new, -1 if edit.every else 1) if old in text else None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


# In words: for an agent that cannot read the user's changes of its proposal.


def unified(proposed: Proposal) -> tuple[str, ...]:
    """Return the lines of the diff; empty if the change is too large, or nothing changes."""
    lines = text_diff.unified(proposed.original or "", proposed.text, CONTEXT)
    # The position in a new file is obvious.
    return lines if proposed.original else lines[1:]


def of_files(proposed: Sequence[Proposal], root: str) -> tuple[str, ...]:
    """Return the diffs of several files, each below its path; empty if one is not known.

    Paths below `root` are relative to it.
    """
    if len(proposed) == 1:
        return unified(proposed[0])
    diffs = [(f"{within(each.path, root)}:", *unified(each)) for each in proposed]
    is_known = all(len(diff) > 1 for diff in diffs)
    return tuple(line for diff in diffs for line in diff) if is_known else ()


def instead_of_files(proposed: Sequence[Proposal], texts: Sequence[str], root: str) -> str:
    """Return the user's versions of proposed files; paths below `root` are relative to it."""
    pairs = zip(proposed, texts, strict=True)
    versions = [_version(replace(each, text=text), root) for each, text in pairs]
    return "\n\n".join(["Make this change instead of the one that you proposed.", *versions])


def _version(version: Proposal, root: str) -> str:
    path = within(version.path, root)
    if diff := unified(version):
        return f"{path}:\n" + fenced("diff", "\n".join(diff))
    return f"The whole text of {path}:\n" + fenced("", "\n".join(version.text.splitlines()))
