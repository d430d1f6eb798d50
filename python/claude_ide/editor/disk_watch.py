"""Watches the files of the editor's buffers.

The editor tells which files are loaded, and is told which files have changed
(`disk_changes/reload`) once these are no longer being written: it would get half a file.
"""

import asyncio
import contextlib
import logging
import math
import os
import stat
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from claude_ide.base.errors import EditorError
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.editor.events import Events
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import ChangedError, Gate, Guard, named, step
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.buffers import Disk
from claude_ide.editor.port.events import FilesLoaded, FilesUnwatched

logger = logging.getLogger(__name__)

SOON_SECONDS = 0.05
"""The pause between two looks while an agent works with the editor."""

IDLE_SECONDS = 0.5
AGAIN_SECONDS = 0.015
"""The least pause between two looks at a file that has changed."""

SETTLED_SECONDS = 0.05
SETTLED_EMPTY_SECONDS = 0.5
"""How long a file has to be as it is. Most programs empty a file before they write it, and on a
busy machine some time may pass in between."""

RESTLESS_SECONDS = 2.0
"""After this, a file that never stays as it is causes no further looks."""

RETRY_SECONDS = 0.05
RECENT_SECONDS = 1.0
FIRST_REST_SECONDS = 0.1
LONGEST_REST_SECONDS = 10.0
"""A file that is written again and again, such as a log, is followed less and less often."""

MOST_AT_ONCE = 10
"""How many buffers one call updates: the editor handles keys between two calls."""

SHARE, SHARE_AFTER_CHANGE, LONGEST_PAUSE_SECONDS = 50, 4, 1.0
"""A pause lasts so many times as long as the look before it, which a busy machine may delay. Who
writes one file often writes others."""

State = Literal["busy", "followed", ""]


class Watched:
    """A file: its path, its last reported state, and until when it rests. Times are monotonic."""

    def __init__(self, path: str, read: str = "") -> None:
        self.path = path
        self.read = read
        """The stamp of the file when the editor read it, if that is known."""
        self.known: os.stat_result | None = None
        self.rests_until = -math.inf
        self.settles_at: float | None = None
        """When a new state is to be reported, unless there is another one by then."""
        self._seen: os.stat_result | None = None
        self._moves_since = -math.inf
        self._rest_seconds = 0.0

    def look(self, now: float) -> str:
        """Return the stamp of a file that has changed since it was last reported, or ''.

        It is only returned once the file is complete.
        """
        found = _found(self.path) if now >= self.rests_until else None
        if found is not None and self.known is None and _stamp(found) == self.read:
            self.known = found
        if found is None or _is_same(found, self.known):
            self.settles_at = None
            return ""
        if self.settles_at is None:
            self._moves_since = now
        if self.settles_at is None or not _is_same(found, self._seen):
            self._seen, self.settles_at = found, now + _settles_in(found)
        if now < self.settles_at:
            return ""
        self.known, self.settles_at = found, None
        return _stamp(found)

    def is_settling(self, now: float) -> bool:
        """Return whether the file is to be looked at soon."""
        return self.settles_at is not None and now - self._moves_since < RESTLESS_SECONDS

    def handle(self, state: State, now: float) -> None:
        """Learn what has become of a report."""
        if state == "followed":
            is_again = now - self.rests_until < RECENT_SECONDS + self._rest_seconds
            rest = max(2 * self._rest_seconds, FIRST_REST_SECONDS) if is_again else 0
            self._rest_seconds = min(rest, LONGEST_REST_SECONDS)
            self.rests_until = now + self._rest_seconds
        elif state == "busy":
            self.known, self.rests_until = None, now + RETRY_SECONDS


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
            settling = self._look(loop, self._files.copy())
            spent = time.monotonic() - began
            least = SOON_SECONDS if self._has_agents() else IDLE_SECONDS
            share = SHARE_AFTER_CHANGE if settling else SHARE
            pause = max(least, min(share * spent, LONGEST_PAUSE_SECONDS))
            self._pause(loop, began + spent + pause, settling)

    def _pause(
        self, loop: asyncio.AbstractEventLoop, until: float, settling: dict[int, Watched]
    ) -> None:
        """Wait for the next look at all files; look at those that are being written meanwhile."""
        while (now := time.monotonic()) < until and not self._wanted.is_set():
            due = min((file.settles_at or now for file in settling.values()), default=until)
            self._wanted.wait(min(max(due, now + AGAIN_SECONDS), until) - now)
            settling = self._look(loop, settling)

    def _look(
        self, loop: asyncio.AbstractEventLoop, files: dict[int, Watched]
    ) -> dict[int, Watched]:
        """Report those files that have changed; return those that are still being written."""
        now = time.monotonic()
        looked = [(bufnr, file, file.look(now)) for bufnr, file in files.items()]
        changed = [(bufnr, file, stamp) for bufnr, file, stamp in looked if stamp]
        if changed and not self._is_ended:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                loop.call_soon_threadsafe(self._begin, self._report, changed)
        return {bufnr: file for bufnr, file in files.items() if file.is_settling(now)}

    def _begin(self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        task = asyncio.ensure_future(function(*arguments))
        self._reporting.add(task)
        task.add_done_callback(self._reporting.discard)

    async def _report(self, changed: list[tuple[int, Watched, str]]) -> None:
        changed = [each for each in changed if self._files.get(each[0]) is each[1]]
        for first in range(0, len(changed), MOST_AT_ONCE):
            some = changed[first : first + MOST_AT_ONCE]
            try:
                files = [(bufnr, stamp) for bufnr, _, stamp in some]
                states = await self._port.disk.changed_in(files)
            except EditorError as error:
                logger.warning("changed files: %s", error)
                for _, file, _ in changed[first:]:
                    file.handle("busy", time.monotonic() + RECENT_SECONDS)
                return
            for (bufnr, file, stamp), state in zip(some, states, strict=True):
                if state == "busy":
                    self._begin(self._wait, bufnr, file, stamp)
                else:
                    file.handle(state, time.monotonic())

    async def _wait(self, bufnr: int, file: Watched, stamp: str) -> None:
        """Report a file as soon as the user does not type in its buffer."""
        state: State = "busy"
        file.rests_until = math.inf
        report = step(Disk.changed_in, [(bufnr, stamp)])
        guard = Guard(Gate.CHANGEABLE, (named(bufnr, file.path),))
        try:
            ((state,),) = await self._port.batch([report], guard)
        except ChangedError:
            state = ""
        except EditorError as error:
            logger.warning("changed file: %s", error)
        finally:
            file.rests_until = -math.inf
            file.handle(state, time.monotonic())

    @handles(FilesLoaded)
    def _loaded(self, report: FilesLoaded) -> None:
        """Watch the files that are loaded now; those without a path no longer are."""
        for file in report.files:
            if file.path:
                self._files[file.bufnr] = Watched(file.path, file.stamp)
            else:
                self._files.pop(file.bufnr, None)
        self._wanted.set()

    @handles(FilesUnwatched)
    def _unwatched(self, _event: FilesUnwatched) -> None:
        self._files.clear()


def _found(path: str) -> os.stat_result | None:
    """Return the state of a file; None if there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116  a path object costs as much as the call
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _is_same(one: os.stat_result, other: os.stat_result | None) -> bool:
    return other is not None and (one.st_mtime_ns, one.st_size, one.st_ino) == (
        other.st_mtime_ns,
        other.st_size,
        other.st_ino,
    )


def _settles_in(found: os.stat_result) -> float:
    """Return after how many seconds a new state of a file is one that stays.

    Its age counts if the file system tells it exactly.
    """
    if not found.st_size:
        return SETTLED_EMPTY_SECONDS
    age = time.time() - found.st_mtime
    is_exact = found.st_mtime_ns % 10**9 != 0 and 0 <= age < RECENT_SECONDS
    return max(SETTLED_SECONDS - age, AGAIN_SECONDS) if is_exact else SETTLED_SECONDS


def editor_stamp(path: str) -> str:
    """Return the stamp that the editor has for the present state of a file; "" without one."""
    found = _found(path)
    return "" if found is None else _stamp(found)


def _stamp(found: os.stat_result) -> str:
    """Return the stamp that the editor has for this state of a file (`file/stamp`)."""
    seconds, nanoseconds = divmod(found.st_mtime_ns, 10**9)
    if editor_name() == NEOVIM:
        return f"{seconds}.{nanoseconds} {found.st_size} {found.st_ino}"
    return f"{seconds} {found.st_size}"
