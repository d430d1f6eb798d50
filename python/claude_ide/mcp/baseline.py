"""What a client knows of the diagnostics of the files that it is about to write.

The CLI asks for a file's diagnostics just before it writes the file. What it hears after the write
and did not hear before is new to it, even if it was only not known before.
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
"""How long the CLI may have to wait before a write: it gives up after 0.45 s (measured)."""

MOST = 100
MOST_LINES = 3000


class Baseline(msgspec.Struct):
    """The files that this client is about to write, as far as they are not simply open."""

    missing: list[str] = msgspec.field(default_factory=list)
    """Files that are not there yet: all that is found in them will be new."""
    unchecked: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """The lines of files that nothing had checked before they were written."""

    async def prepare(self, editor: Editor, path: str) -> dict[str, Diagnostics]:
        """Return what is known of a file that is about to be written; have it checked first."""
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
        """Load the files that are there by now."""
        for path in [path for path in self.missing if exists(path)]:
            self.missing.remove(path)
            await load(editor, path)

    def without_old(self, known: dict[str, Diagnostics]) -> dict[str, Diagnostics]:
        """Leave out, by path, what may be old: what is about no line that was written."""
        if not self.unchecked:
            return known
        for path in known:
            for other, before in self.unchecked.items():
                if is_same(path, other):
                    known = known | {path: _on(_written(before, _lines(path)), known[path])}
        return {path: known[path] for path in known if known[path].items or known[path].omitted}

    def _doubt(self, path: str) -> None:
        """Keep the lines of a file that nothing has checked."""
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
    """Return the lines that are new, from 0; none where that would take long to find out."""
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
    """Load a file, so that it is checked; one that cannot be loaded now is not."""
    with contextlib.suppress(EditorError, TimeoutError):
        await editor.load(path)
