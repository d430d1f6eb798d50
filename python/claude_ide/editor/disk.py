"""Follows the files of the editor's buffers, and reports what others have written to them.

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
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.folders import make_private
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.base.watch import FileChanges
from claude_ide.editor.events import Events
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import ChangedError, Gate, Guard, named, step
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import FileFollowed, FileKept, FilesLoaded, FilesUnwatched
from claude_ide.editor.port.files import DiskPort

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

PAUSE_SECONDS = 0.3
LATEST_SECONDS = 5.0
"""How long a report waits at most for a pause between the writes."""

QUIET_SECONDS = 10.0
MOST_REPEATED = 3
"""How many writes to a file are reported if it has no pause of `QUIET_SECONDS`, such as a log."""

MOST_NAMED_FILES = 3
CLAUDE = "Claude"
HINT = "; review: :help claude-ide-mode"


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
        self.needs_looks = True
        """Whether it is to be looked at even if the kernel tells of no change."""
        self._seen: os.stat_result | None = None
        self._moves_since = -math.inf
        self._rest_seconds = 0.0

    def look(self, now: float) -> str:
        """Return the stamp of a file that has changed since it was last reported, or ''.

        It is only returned once the file is complete.
        """
        found = _found(self.path) if now >= self.rests_until else None
        # A file with another name may be written by that, in another folder.
        self.needs_looks = now < self.rests_until < math.inf or bool(found and found.st_nlink > 1)
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
            self.needs_looks = True
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

    def __init__(
        self, port: Port, events: Events, has_agents: Callable[[], bool], changes: FileChanges
    ) -> None:
        self._port = port
        self._changes = changes
        self._changed = threading.Event()
        """Is set when a file may have changed since the last look began."""
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
        self._changes.follow(self._changed.set, self._paths)

    def stop(self) -> None:
        """Stop watching, without waiting for a look."""
        self._is_ended = True
        self._wanted.set()
        self._changed.set()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        while not (self._is_ended or loop.is_closed()):
            self._wanted.clear()
            if not self._files:
                self._wanted.wait()
            self._changed.clear()
            began = time.monotonic()
            settling = self._look(loop, self._files.copy())
            spent = time.monotonic() - began
            least = SOON_SECONDS if self._has_agents() else IDLE_SECONDS
            share = SHARE_AFTER_CHANGE if settling else SHARE
            pause = max(least, min(share * spent, LONGEST_PAUSE_SECONDS))
            self._pause(loop, began + spent + pause, settling)
            if self._changes.is_told and not any(
                file.needs_looks for file in self._files.copy().values()
            ):
                self._changed.wait()

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
                self._changed.set()
                return
            for (bufnr, file, stamp), state in zip(some, states, strict=True):
                if state == "busy":
                    self._begin(self._wait, bufnr, file, stamp)
                else:
                    file.handle(state, time.monotonic())
            self._changed.set()

    async def _wait(self, bufnr: int, file: Watched, stamp: str) -> None:
        """Report a file as soon as the user does not type in its buffer."""
        state: State = "busy"
        file.rests_until = math.inf
        report = step(DiskPort.changed_in, [(bufnr, stamp)])
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
            self._changed.set()

    @handles(FilesLoaded)
    def _loaded(self, report: FilesLoaded) -> None:
        """Watch the files that are loaded now; those without a path no longer are."""
        for file in report.files:
            if file.path:
                self._files[file.bufnr] = Watched(file.path, file.stamp)
            else:
                self._files.pop(file.bufnr, None)
        self._wanted.set()
        self._changed.set()
        self._changes.look()

    @handles(FilesUnwatched)
    def _unwatched(self, _event: FilesUnwatched) -> None:
        self._files.clear()
        self._changed.set()
        self._changes.look()

    def _paths(self) -> list[Path]:
        return [Path(file.path) for file in self._files.copy().values()]


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


class Written(msgspec.Struct):
    """All writes to a file since the last report.

    `steps` lead back to the text before them; 0 if the user has changed the file in between.
    """

    name: str
    agent: str = ""
    added: int = 0
    removed: int = 0
    steps: int = 0
    tick: int | None = None

    def add(self, write: FileFollowed) -> None:
        """Add the next write."""
        is_in_a_row = self.tick is None or (self.steps > 0 and self.tick == write.old_tick)
        self.steps = self.steps + 1 if is_in_a_row else 0
        self.agent = write.agent or self.agent
        self.added += write.added
        self.removed += write.removed
        self.tick = write.new_tick


class DiskReport:
    """Collects the writes until there is a pause, and until the editor can show a message."""

    def __init__(self, port: Port, events: Events, hinted: Path | None = None) -> None:
        self._port = port
        self._hinted = hinted
        """The file that exists once the user has been told how to review."""
        self._is_hinted = False
        self._followed: dict[str, Written] = {}
        self._kept: dict[str, str] = {}
        self._repeats: dict[str, tuple[int, float]] = {}
        self._columns = 0
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._showing: asyncio.Task[None] | None = None
        events.register(self)

    @handles(FileFollowed)
    def add(self, write: FileFollowed) -> None:
        """Note that a buffer has got what was written."""
        if self._is_repeated(write.path):
            return
        self._kept.pop(write.path, None)
        self._followed.setdefault(write.path, Written(PurePath(write.path).name)).add(write)
        self._columns = write.columns
        self._report_soon()

    def keep(self, event: FileKept) -> None:
        """Note that a buffer keeps its unsaved changes."""
        self._followed.pop(event.path, None)
        self._kept[event.path] = PurePath(event.path).name
        self._port.disk.judged(event.path)
        self._report_soon()

    def _is_repeated(self, path: str) -> bool:
        """Without this limit, a growing log would be reported constantly."""
        now = time.monotonic()
        self._repeats = {
            known: (count, at)
            for known, (count, at) in self._repeats.items()
            if now - at <= QUIET_SECONDS
        }
        count = self._repeats.get(path, (0, now))[0] + 1
        self._repeats[path] = count, now
        return count > MOST_REPEATED

    def _report_soon(self) -> None:
        now = time.monotonic()
        self._since = self._since or now
        if self._timer is not None:
            self._timer.cancel()
        pause = min(PAUSE_SECONDS, max(self._since + LATEST_SECONDS - now, 0))
        self._timer = asyncio.get_running_loop().call_later(pause, self._begin)

    def _begin(self) -> None:
        if self._showing is None or self._showing.done():
            self._showing = asyncio.ensure_future(self._show())

    async def _show(self) -> None:
        try:
            await self._port.batch((), Guard(Gate.NOTIFIABLE))
        except EditorError:
            return
        followed, kept, self._since = [*self._followed.values()], [*self._kept.values()], None
        self._followed, self._kept = {}, {}
        if text := "; ".join((*of_kept(kept), *of_followed(followed))):
            text = self._with_hint(text, followed)
            self._port.windows.notify(text, "warn" if kept else "info")

    def _with_hint(self, text: str, followed: Iterable[Written]) -> str:
        """Tell a user once how to review the edits. On a narrow screen, `text` matters more."""
        is_due = any(file.agent == CLAUDE for file in followed)
        if not is_due or len(text + HINT) > self._columns or not self._is_first():
            return text
        return text + HINT

    def _is_first(self) -> bool:
        """Return whether the user was never told, and know that they are now."""
        if self._is_hinted or (self._hinted and self._hinted.exists()):
            return False
        self._is_hinted = True
        if self._hinted is None:
            return True
        try:
            make_private(self._hinted.parent)
            self._hinted.touch(mode=0o600)
        except OSError as error:
            logger.warning("%s: %s", self._hinted, error)
        return True


def of_followed(files: Iterable[Written]) -> list[str]:
    """Return what was written, agent by agent, and which keys undo it."""
    files = sorted(files, key=lambda file: file.name)
    if not files:
        return []
    agents = dict.fromkeys(file.agent for file in files)
    if len(files) > MOST_NAMED_FILES:
        total = Written("", "", sum(f.added for f in files), sum(f.removed for f in files))
        agent = files[0].agent if len(agents) == 1 else ""
        return [_changed(f"{len(files)} files", _counts(total), agent), _remedy(files)]
    named = sorted(agents, key=lambda agent: not agent)
    parts = [_of_agent([f for f in files if f.agent == agent], agent) for agent in named]
    return [*parts, _remedy(files)]


def of_kept(names: Iterable[str]) -> list[str]:
    """Return which files have changed while their buffers had unsaved changes."""
    names = sorted(names)
    if not names:
        return []
    what = f"{len(names)} files" if len(names) > MOST_NAMED_FILES else ", ".join(names)
    return [f"{what} changed on disk; unsaved changes kept"]


def _of_agent(files: Sequence[Written], agent: str) -> str:
    if len(files) == 1:
        return _changed(files[0].name, _counts(files[0]), agent)
    listed = ", ".join(f"{file.name} {_counts(file)}" for file in files)
    return f"{agent} changed {listed}" if agent else f"{listed} changed on disk"


def _changed(what: str, counts: str, agent: str) -> str:
    return f"{agent} changed {what} {counts}" if agent else f"{what} changed on disk {counts}"


def _counts(file: Written) -> str:
    return f"(+{file.added} \N{MINUS SIGN}{file.removed})"


def _remedy(files: Sequence[Written]) -> str:
    """Return the keys that undo what is reported."""
    if len(files) > 1:
        is_plain = all(file.steps == 1 for file in files)
        return "u undoes each" if is_plain else "u undoes each write"
    steps = files[0].steps
    return f"{steps if steps > 1 else ''}u undoes" if steps else "u undoes the last write"
