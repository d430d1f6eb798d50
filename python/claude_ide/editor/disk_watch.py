"""Watches the files of Vim's buffers: Vim's own scripts see only the seconds of a file's time.

Vim tells which files are loaded (`disk/change.vim`), and is told which buffers' files have changed.
"""

import asyncio
import contextlib
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claude_ide.editor.events import Events
from claude_ide.editor.port import Port

SOON_SECONDS = 0.1
"""The pause between two looks while a client is connected."""

IDLE_SECONDS = 0.5
SETTLED_SECONDS = 0.05
"""How long a file must stay as it is; before that, a buffer might get half of it."""

SHARE = 20
"""A pause lasts at least this many times as long as the look before it."""

Stamp = tuple[int, int, int]
"""What tells two states of a file apart: nanoseconds of its time, size, inode."""


class Watched:
    """A file: its path, its last reported state, and the state seen since, if it is another."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.known: Stamp | None = None
        self.seen: Stamp | None = None
        self.seen_at = 0.0


class DiskWatch:
    """Looks at each file with one `stat`, in a thread: a network drive may hang."""

    def __init__(self, port: Port, events: Events, has_clients: Callable[[], bool]) -> None:
        self._port = port
        self._has_clients = has_clients
        self._files: dict[int, Watched] = {}
        self._wanted = asyncio.Event()
        events.subscribe("files_loaded", self._loaded)
        events.subscribe("files_unwatched", lambda _: self._files.clear())

    async def run(self) -> None:
        """Watch until cancelled. Without a file, which is also without a server, nothing runs."""
        while True:
            self._wanted.clear()
            if not self._files:
                await self._wanted.wait()
            began = time.monotonic()
            changed, is_moving = await asyncio.to_thread(_look, dict(self._files))
            if changed:
                self._port.disk.changed_in(changed)
            spent = time.monotonic() - began
            usual = SOON_SECONDS if self._has_clients() else IDLE_SECONDS
            pause = max(SETTLED_SECONDS if is_moving else usual, SHARE * spent)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), pause)

    def _loaded(self, report: dict[str, Any]) -> None:
        """Watch the files that Vim has loaded; those without a path are no longer loaded."""
        for file in report["files"]:
            if file["path"]:
                self._files[file["bufnr"]] = Watched(file["path"])
            else:
                self._files.pop(file["bufnr"], None)
        self._wanted.set()


def _look(files: dict[int, Watched]) -> tuple[list[int], bool]:
    """Return the buffers whose files have changed and settled, and whether others have not."""
    changed, is_moving = [], False
    for bufnr, file in files.items():
        stamp, age = _state(file.path)
        if stamp is None or stamp == file.known:
            continue
        now = time.monotonic()
        if stamp != file.seen:
            file.seen, file.seen_at = stamp, now
        if age >= SETTLED_SECONDS or now - file.seen_at >= SETTLED_SECONDS:
            file.known = stamp
            changed.append(bufnr)
        else:
            is_moving = True
    return changed, is_moving


def _state(path: str) -> tuple[Stamp | None, float]:
    """Return a file's stamp and the seconds since its last change; no stamp if there is no file."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None, 0.0
    if not stat.S_ISREG(found.st_mode):
        return None, 0.0
    # No program can set the time of the last change, unlike that of the last write.
    return (found.st_mtime_ns, found.st_size, found.st_ino), time.time() - found.st_ctime
