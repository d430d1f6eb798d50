"""The diagnostics that a client got before it writes a file.

The CLI asks for a file's diagnostics just before it writes the file. It regards all others that it
gets after the write as new, even old ones that were not yet known before.
"""

import asyncio
import contextlib
from pathlib import Path

import msgspec

from claude_ide.editor.editor import Editor
from claude_ide.editor.state import Diagnostics, Loaded
from claude_ide.errors import EditorError
from claude_ide.paths import exists, is_same

SECONDS = 0.38
"""The longest that a write is delayed: the CLI gives up after 0.45 s (measured)."""

MOST = 100
MOST_LINES = 3000


class Baseline(msgspec.Struct):
    """The files that this client is about to write and whose diagnostics are not all known."""

    missing: list[str] = msgspec.field(default_factory=list)
    """Files that do not exist yet: all their diagnostics will be new."""
    unchecked: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Files that no server or linter had checked before the write, with their lines."""

    async def prepare(self, editor: Editor, path: str) -> dict[str, Diagnostics]:
        """Have a file checked that is about to be written; return its diagnostics by uri."""
        self._forget(path)
        if not exists(path):
            editor.announce_write(path)
            self.missing = [*self.missing[-MOST:], path]
            return await editor.diagnostics(path)
        found = None
        try:
            async with asyncio.timeout(SECONDS):
                found = await editor.before_write(path)
                is_checked = not isinstance(found, Loaded) or await _is_checked(editor, found)
        except EditorError:
            return await editor.diagnostics(path)
        except TimeoutError:
            is_checked = False
        if not is_checked:
            self._doubt(path)
        return found if isinstance(found, dict) else await editor.diagnostics(path)

    async def load_written(self, editor: Editor) -> None:
        """Load the missing files that exist now."""
        for path in [path for path in self.missing if exists(path)]:
            self.missing.remove(path)
            await load(editor, path)

    def without_old(self, known: dict[str, Diagnostics]) -> dict[str, Diagnostics]:
        """Return the diagnostics by path; in unchecked files only those of written lines."""
        if not self.unchecked:
            return known
        for path in known:
            for other, before in self.unchecked.items():
                if is_same(path, other):
                    known = known | {path: _on(_written(before, _lines(path)), known[path])}
        return {path: known[path] for path in known if known[path].items or known[path].omitted}

    def _doubt(self, path: str) -> None:
        """Remember a file as unchecked, with its lines."""
        self.unchecked[path] = _lines(path)
        for earliest in [*self.unchecked][:-MOST]:
            del self.unchecked[earliest]

    def _forget(self, path: str) -> None:
        self.missing = [other for other in self.missing if other != path]
        self.unchecked.pop(path, None)


async def _is_checked(editor: Editor, loaded: Loaded) -> bool:
    return not loaded.is_cold or await editor.published([loaded.bufnr], SECONDS)


def _on(lines: set[int], known: Diagnostics) -> Diagnostics:
    items = [item for item in known.items if item["range"]["start"]["line"] in lines]
    return Diagnostics(items)


def _written(before: list[str], after: list[str]) -> set[int]:
    """Return the 0-based new lines; none if the files are too long to compare quickly."""
    from difflib import SequenceMatcher

    if len(before) > MOST_LINES or len(after) > MOST_LINES:
        return set()
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = {line for block in blocks for line in range(block.b, block.b + block.size)}
    return {*range(len(after))} - kept


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_bytes().decode(errors="replace").splitlines()
    except OSError:
        return []


async def load(editor: Editor, path: str) -> None:
    """Load a file so that it is checked, unless it cannot be loaded now."""
    with contextlib.suppress(EditorError, TimeoutError):
        await editor.load(path)
