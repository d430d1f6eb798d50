"""The diagnostics that a client got before it writes a file.

The CLI asks for a file's diagnostics just before it writes the file. It regards all others that it
gets after the write as new, even old ones that were not yet known before, or that have only moved
because the write has added or removed lines above them.
"""

import asyncio
import contextlib
from pathlib import Path

import msgspec

from claude_ide.editor.editor import Editor
from claude_ide.editor.state import Diagnostics, Loaded
from claude_ide.errors import EditorError
from claude_ide.news import Item, line_of, news
from claude_ide.paths import exists, from_uri, is_same

SECONDS = 0.38
"""The longest that a write is delayed: the CLI gives up after 0.45 s (measured)."""

MOST = 100
MOST_LINES = 3000


class Checked(msgspec.Struct):
    """A file before a write: its diagnostics and its lines."""

    items: list[Item]
    lines: list[str]


class Baseline(msgspec.Struct):
    """The files that this client writes, as they were before the last write."""

    missing: list[str] = msgspec.field(default_factory=list)
    """Files that do not exist yet: all their diagnostics will be new."""
    unchecked: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Files that no server or linter had checked before the write, with their lines."""
    checked: dict[str, Checked] = msgspec.field(default_factory=dict)
    """All other files."""

    async def prepare(self, editor: Editor, path: str) -> Diagnostics:
        """Have a file checked that is about to be written; return its diagnostics."""
        self._forget(path)
        if not exists(path):
            editor.announce_write(path)
            self.missing = [*self.missing[-MOST:], path]
            return _of(path, await editor.diagnostics(path))
        found = None
        try:
            async with asyncio.timeout(SECONDS):
                found = await editor.before_write(path)
                is_checked = not isinstance(found, Loaded) or await _is_checked(editor, found)
        except EditorError:
            return _of(path, await editor.diagnostics(path))
        except TimeoutError:
            is_checked = False
        known = _of(path, found if isinstance(found, dict) else await editor.diagnostics(path))
        if is_checked:
            self.checked[path] = Checked(known.items, _lines(path))
        else:
            self.unchecked[path] = _lines(path)
        for files in (self.checked, self.unchecked):
            for earliest in [*files][:-MOST]:
                del files[earliest]
        return known

    async def load_written(self, editor: Editor) -> None:
        """Load the missing files that exist now."""
        for path in [path for path in self.missing if exists(path)]:
            self.missing.remove(path)
            await load(editor, path)

    def without_old(self, known: dict[str, Diagnostics]) -> dict[str, Diagnostics]:
        """Return the diagnostics by path; in files that this client has written only the new ones.

        Those of unchecked files are new if their lines are.
        """
        if not self.unchecked and not self.checked:
            return known
        new = {path: self._news(path, diagnostics) for path, diagnostics in known.items()}
        return {path: new[path] for path in new if new[path].items or new[path].omitted}

    def _news(self, path: str, known: Diagnostics) -> Diagnostics:
        for other, lines in self.unchecked.items():
            if is_same(path, other):
                return _on(_written(lines, _lines(path)), known)
        for other, before in self.checked.items():
            if is_same(path, other):
                moves = _moves(before.lines, _lines(path))
                return known if moves is None else _without(before.items, known, moves)
        return known

    def _forget(self, path: str) -> None:
        self.missing = [other for other in self.missing if other != path]
        self.unchecked.pop(path, None)
        self.checked.pop(path, None)


def _of(path: str, found: dict[str, Diagnostics]) -> Diagnostics:
    """Return the diagnostics of a path, from those by uri."""
    same = (known for uri, known in found.items() if is_same(from_uri(uri), path))
    return next(same, Diagnostics())


async def _is_checked(editor: Editor, loaded: Loaded) -> bool:
    return not loaded.is_cold or await editor.published([loaded.bufnr], SECONDS)


def _on(lines: set[int], known: Diagnostics) -> Diagnostics:
    items = [item for item in known.items if line_of(item) in lines]
    return Diagnostics(items)


def _without(old: list[Item], known: Diagnostics, moves: dict[int, int]) -> Diagnostics:
    return Diagnostics(news(old, known.items, moves.get), known.omitted)


def _written(before: list[str], after: list[str]) -> set[int]:
    """Return the 0-based new lines; none if the files are too long to compare quickly."""
    kept = _moves(before, after)
    return set() if kept is None else {*range(len(after))} - {*kept.values()}


def _moves(before: list[str], after: list[str]) -> dict[int, int] | None:
    """Return where the lines are that were kept; None if the files are too long to compare."""
    from difflib import SequenceMatcher

    if len(before) > MOST_LINES or len(after) > MOST_LINES:
        return None
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {block.a + line: block.b + line for block in blocks for line in range(block.size)}


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_bytes().decode(errors="replace").splitlines()
    except OSError:
        return []


async def load(editor: Editor, path: str) -> None:
    """Load a file so that it is checked, unless it cannot be loaded now."""
    with contextlib.suppress(EditorError, TimeoutError):
        await editor.load(path)
