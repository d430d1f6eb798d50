"""Watches the files of the editor's buffers.

The editor tells which files are loaded (`disk_changes/change`), and is told which buffers' files
may have changed. It waits itself until a file is no longer being written, and is then asked again.
"""

import asyncio
import contextlib
import logging
import os
import stat
import threading
import time
from collections.abc import Callable
from typing import Literal

from claude_ide.editor.events import Events
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import FilesLoaded, FilesUnwatched
from claude_ide.errors import EditorError

logger = logging.getLogger(__name__)

SOON_SECONDS = 0.05
"""The pause between two looks while an agent works with the editor."""

IDLE_SECONDS = 0.5
RETRY_SECONDS = 0.05
LONGEST_RETRY_SECONDS = 1.0
"""The longer a buffer cannot be updated, the later the next attempt. A file that never stays as it
is long enough, such as a large one that is copied, is left alone so long in between."""

RECENT_SECONDS = 1.0
FIRST_REST_SECONDS = 0.1
LONGEST_REST_SECONDS = 10.0
"""A file that is written again and again, such as a log, is followed less and less often."""

MOST_AT_ONCE = 10
"""How many buffers one call updates: the editor handles keys between two calls."""

SHARE = 50
"""A pause lasts at least this many times as long as the look before it."""

Stamp = tuple[int, int, int]
"""What tells two states of a file apart: nanoseconds of its time, size, inode."""


class Watched:
    """A file: its path, its last reported state, and until when it rests. Times are monotonic."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.known: Stamp | None = None
        self.rests_until = float("-inf")
        self._rest_seconds = 0.0
        self._busy_since: float | None = None

    def handle(self, state: Literal["busy", "followed", ""], now: float) -> None:
        """Learn what has become of a report."""
        if not state:
            self._busy_since = None
            return
        pause = RETRY_SECONDS
        if state == "busy":
            self._busy_since = now if self._busy_since is None else self._busy_since
            pause = min(max(pause, (now - self._busy_since) / 2), LONGEST_RETRY_SECONDS)
        else:
            self._busy_since = now
            is_again = now - self.rests_until < RECENT_SECONDS + self._rest_seconds
            rest = max(2 * self._rest_seconds, FIRST_REST_SECONDS) if is_again else 0
            self._rest_seconds = min(rest, LONGEST_REST_SECONDS)
            pause = max(pause, self._rest_seconds)
        self.rests_until = now + pause
        self.known = None


class DiskWatch:
    """Looks at each file with one `stat`, in a thread: a network drive may hang."""

    def __init__(self, port: Port, events: Events, has_agents: Callable[[], bool]) -> None:
        self._port = port
        self._has_agents = has_agents
        self._files: dict[int, Watched] = {}
        self._wanted = threading.Event()
        self._is_ended = False
        self._reporting: set[asyncio.Task[None]] = set()
        events.register(self)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch until `stop`. Without a file, which is also without an agent, nothing runs."""
        # A thread that waits costs less than a loop that has a thread look, and as a daemon it does
        # not keep the process if it hangs.
        threading.Thread(target=self._watch, args=[loop], daemon=True).start()

    def stop(self) -> None:
        """Stop watching, without waiting for a look."""
        self._is_ended = True
        self._wanted.set()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        while not (self._is_ended or loop.is_closed()):
            self._wanted.clear()
            if not self._files:
                self._wanted.wait()
            began = time.monotonic()
            changed = _look(self._files.copy())
            if changed and not self._is_ended:
                with contextlib.suppress(RuntimeError):  # the loop has just been closed
                    loop.call_soon_threadsafe(self._begin_report, changed)
            spent = time.monotonic() - began
            self._wanted.wait(
                max(SOON_SECONDS if self._has_agents() else IDLE_SECONDS, SHARE * spent)
            )

    def _begin_report(self, bufnrs: list[int]) -> None:
        reporting = asyncio.ensure_future(self._report(bufnrs))
        self._reporting.add(reporting)
        reporting.add_done_callback(self._reporting.discard)

    async def _report(self, bufnrs: list[int]) -> None:
        for first in range(0, len(bufnrs), MOST_AT_ONCE):
            some = bufnrs[first : first + MOST_AT_ONCE]
            try:
                states = await self._port.disk.changed_in(some)
            except EditorError as error:
                logger.warning("changed files: %s", error)
                return
            for bufnr, state in zip(some, states, strict=True):
                if file := self._files.get(bufnr):
                    file.handle(state, time.monotonic())

    @handles(FilesLoaded)
    def _loaded(self, report: FilesLoaded) -> None:
        """Watch the files that are loaded now; those without a path no longer are."""
        for file in report.files:
            if file.path:
                self._files[file.bufnr] = Watched(file.path)
            else:
                self._files.pop(file.bufnr, None)
        self._wanted.set()

    @handles(FilesUnwatched)
    def _unwatched(self, _event: FilesUnwatched) -> None:
        self._files.clear()


def _look(files: dict[int, Watched]) -> list[int]:
    """Return the buffers whose files have changed since they were last reported."""
    changed = []
    for bufnr, file in files.items():
        stamp = _stamp(file.path) if time.monotonic() >= file.rests_until else None
        if stamp is not None and stamp != file.known:
            file.known = stamp
            changed.append(bufnr)
    return changed


def _stamp(path: str) -> Stamp | None:
    """Return a file's stamp; None if there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116  a path object costs as much as the call
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if stat.S_ISREG(found.st_mode) else None
