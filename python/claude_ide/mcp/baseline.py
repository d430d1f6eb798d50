"""The diagnostics as clients need them: after a check, and what they got before they write a file.

The CLI asks for a file's diagnostics just before it writes the file. It regards all others that it
gets after the write as new, even old ones that were not yet known before, or that have only moved
because the write has added or removed lines above them.
"""

import asyncio
import contextlib
from pathlib import Path

import msgspec

from claude_ide.base import files
from claude_ide.base.errors import EditorError, ToolError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import exists, real
from claude_ide.base.text_diff import ends
from claude_ide.editor.diagnostics import Item, line_of, new_diagnostics
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Diagnostics

CHECK_SECONDS = 0.38
"""The longest that a write is delayed: the CLI gives up after 0.45 s (measured)."""

PUBLISH_SECONDS = 1.5
"""How long to wait for language servers after a reload: the CLI waits for 2.0 s (measured)."""

MOST_FILES = 100
MOST_LINES = 3000


Moves = dict[int, int]
"""Where the lines are that a change has kept: the numbers before and after, from 0."""


class Before(msgspec.Struct):
    """A file before a write. `items` are its diagnostics; None if nothing had checked it."""

    lines: list[str]
    items: list[Item] | None
    _after: list[str] | None = None
    _moves: Moves | None = None

    def moves(self, after: list[str]) -> Moves | None:
        """Return the lines that are still there; None if there are too many to compare."""
        if self._after != after:
            self._after, self._moves = after, _moves(self.lines, after)
        return self._moves


class Baseline(msgspec.Struct):
    """The files that this client writes, as they were before the last write."""

    missing: list[str] = msgspec.field(default_factory=list)
    """Files that do not exist yet: all their diagnostics will be new."""
    written: dict[str, Before] = msgspec.field(default_factory=dict)
    """All other files, by their paths without links."""

    async def prepare(self, editor: Editor, path: str) -> Diagnostics:
        """Have a file checked that is about to be written; return its diagnostics."""
        self._forget(path)
        if not exists(path):
            editor.port.disk.announce_write(path)
            self.missing = [*self.missing[-MOST_FILES:], path]
            return await editor.diagnostics(path)
        found, is_checked = None, False
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                found, loaded = await editor.before_write(path, CHECK_SECONDS)
                is_checked = await editor.checked(loaded, CHECK_SECONDS)
        except EditorError:
            return await editor.diagnostics(path)
        except TimeoutError:
            pass
        known = await editor.diagnostics(path) if found is None else found
        self.written[real(path)] = Before(_lines(path), known.items if is_checked else None)
        for earliest in [*self.written][:-MOST_FILES]:
            del self.written[earliest]
        return known

    def before(self, path: str) -> bytes | None:
        """Return what a file had before the last write; None if that is not known."""
        before = self.written.get(real(path))
        return "\n".join(before.lines).encode() if before and before.lines else None

    async def load_written(self, editor: Editor) -> None:
        """Load the missing files that exist now."""
        for path in [path for path in self.missing if exists(path)]:
            self.missing.remove(path)
            await load(editor, path)

    def without_old(self, known: dict[str, Diagnostics]) -> dict[str, Diagnostics]:
        """Return the diagnostics by path, without old ones that this client would regard as new.

        These are in files that it has written: those that have moved with their lines, and if
        nothing had checked the file before, all on lines that it has not written.
        """
        if not self.written:
            return known
        rest = {path: self._without_old(path, found) for path, found in known.items()}
        return {path: rest[path] for path in rest if rest[path].items or rest[path].omitted}

    def _without_old(self, path: str, known: Diagnostics) -> Diagnostics:
        before = self.written.get(real(path))
        if before is None:
            return known
        after = _lines(path)
        moves = before.moves(after)
        if before.items is None:
            lines = set() if moves is None else {*range(len(after))} - {*moves.values()}
            return Diagnostics([item for item in known.items if line_of(item) in lines])
        if moves is None:
            return known
        new = {id(item) for item in new_diagnostics(before.items, known.items, moves.get)}
        items = [item for item in known.items if id(item) in new or item in before.items]
        return Diagnostics(items, known.omitted)

    def _forget(self, path: str) -> None:
        self.missing = [other for other in self.missing if other != path]
        self.written.pop(real(path), None)


def _moves(before: list[str], after: list[str]) -> Moves | None:
    from difflib import SequenceMatcher

    if len(before) > MOST_LINES or len(after) > MOST_LINES:
        return None
    head, tail = ends(before, after)
    kept = [(0, 0, head), (len(before) - tail, len(after) - tail, tail)]
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    for start, to, size in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        kept.append((head + start, head + to, size))
    return {start + line: to + line for start, to, size in kept for line in range(size)}


def _lines(path: str) -> list[str]:
    content = files.read_if_sound(Path(path), files.LARGEST_BYTES)
    return [] if content is None else content.decode(errors="replace").split("\n")


async def load(editor: Editor, path: str) -> None:
    """Load a file so that it is checked, unless it cannot be loaded now."""
    with contextlib.suppress(EditorError, TimeoutError):
        await editor.load(path, CHECK_SECONDS)


async def diagnosed(editor: Editor, path: str | None) -> dict[str, Diagnostics]:
    """Return the diagnostics of one file or of all by path, after a check, for a model.

    Raises `ToolError` if the editor is busy and nothing is known.
    """
    if path is not None:
        return {path: await editor.check(path, PUBLISH_SECONDS)}
    try:
        return await editor.present_diagnostics(PUBLISH_SECONDS)
    except TimeoutError:
        known = editor.last_known_diagnostics()
        if not known:
            reason = f"{editor_name()} is busy, and there are no earlier diagnostics"
            raise ToolError(reason) from None
        return known
