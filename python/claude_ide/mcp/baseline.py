"""What a client knows of the diagnostics of the files that it is about to write.

The CLI asks for a file's diagnostics just before it writes the file. What it hears after the write
and did not hear before is new to it, even if it was only not known before.
"""

import asyncio
import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError
from claude_ide.paths import is_same

SECONDS = 0.38
"""How long the CLI may have to wait before a write: it gives up after 0.45 s (measured)."""

MOST = 100


@dataclass(slots=True)
class Baseline:
    """The files that this client is about to write, as far as they are not simply open."""

    missing: list[str] = field(default_factory=list)
    """Files that are not there yet: all that is found in them will be new."""
    unchecked: list[str] = field(default_factory=list)
    """Files that nothing had checked before they were written: what is new in them is not known."""

    async def prepare(self, editor: Editor, path: str) -> None:
        """Have a file checked before it is written, also if it is not open."""
        self._forget(path)
        if not _exists(path):
            self.missing = [*self.missing[-MOST:], path]
            return
        try:
            async with asyncio.timeout(SECONDS):
                loaded = await editor.load(path)
                is_checked = not loaded.is_cold or await editor.published([loaded.bufnr], SECONDS)
        except EditorError:
            return
        except TimeoutError:
            is_checked = False
        if not is_checked:
            self.unchecked = [*self.unchecked[-MOST:], path]

    async def load_written(self, editor: Editor) -> None:
        """Load the files that are there by now."""
        for path in [path for path in self.missing if _exists(path)]:
            self.missing.remove(path)
            await load(editor, path)

    def is_known(self, path: str) -> bool:
        """Return whether the client can tell what is new in a file."""
        return not any(is_same(path, other) for other in self.unchecked)

    def _forget(self, path: str) -> None:
        for paths in (self.missing, self.unchecked):
            paths[:] = [other for other in paths if other != path]


async def load(editor: Editor, path: str) -> None:
    """Load a file, so that it is checked; one that cannot be loaded now is not."""
    with contextlib.suppress(EditorError, TimeoutError):
        await editor.load(path)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return False
