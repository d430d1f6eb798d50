"""Waits for changes of files, and for the ends of processes: on Linux the kernel tells them."""

import asyncio
import contextlib
import ctypes
import logging
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

logger = logging.getLogger(__name__)

CLOSE_ON_EXEC, NON_BLOCKING = 0x80000, 0x800
CHANGES = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""Written, attributes, moved away, moved here, made, deleted; itself deleted, itself moved."""

MOVES = 0x400 | 0x800 | 0x20000000
"""Itself deleted or moved, beside what it is followed for anyway."""

LEAST_PAUSE_SECONDS = 0.05
"""Many writes in a row are one change."""

READ_BYTES = 65_536
EVENT = struct.Struct("iIII")
"""The watch, what has changed, a number of two events that belong together, bytes of the name."""

POLL_SECONDS = 0.5
"""How often files are looked at of whose changes the kernel does not tell."""

STATFS_BYTES = 256
REMOTE = {
    *(0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x5346414F, 0x73757245),
    *(0x01021997, 0x65735546, 0x786F4256, 0xBACBACBC, 0x00C36400, 0x0BD00BD0),
}
"""File systems, by `f_type` of statfs(2), that others change without our kernel: NFS, SMB, AFS,
Coda, 9P, FUSE, those of VirtualBox and VMware, Ceph and Lustre."""


class Watch:
    """Waits in one thread, until something changes, or another thread wakes it."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._events = -1
        """The file descriptor of the kernel's events; -1 if there are none."""
        if sys.platform == "linux":
            self._events = self._library.inotify_init1(CLOSE_ON_EXEC | NON_BLOCKING)
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._poll = select.poll()
        for number in (self._woken, self._events):
            if number != -1:
                self._poll.register(number, select.POLLIN)
        self._folders: dict[Path, int] = {}
        self._remote: dict[Path, bool] = {}
        self.is_told = False
        """Whether the kernel tells of all that was waited for."""
        self._processes: dict[int, int] = {}

    def wake(self) -> None:
        """End the wait of now, or the next one. After `close` the number may be another file's."""
        with contextlib.suppress(BlockingIOError):  # it is woken
            os.write(self._waker, b"\0")

    def wait(
        self, paths: Iterable[Path], pids: Iterable[int], longest: float | None, otherwise: float
    ) -> set[Path] | None:
        """Wait until files or processes have changed, at most `longest` seconds.

        Of a folder counts what is directly in it. Something that was not waited for before may
        have changed meanwhile: then this returns at once. Where the kernel tells nothing, it lasts
        `otherwise` seconds. Return what has changed in the folders of the files, which may be other
        files; None if that is not known.
        """
        try:
            is_known = self._follow({*paths}, {*pids})
            self.is_told = not any(self._remote.values())
        except OSError:
            # Such as too many watches of this user's.
            self.is_told, is_known = False, True
        longest = longest if self.is_told else otherwise
        if is_known:
            return self.wait_on(longest)
        time.sleep(LEAST_PAUSE_SECONDS)  # noqa: TID251  a thread of its own
        return None

    def wait_on(self, longest: float | None) -> set[Path] | None:
        """Wait for the same files and processes again."""
        time.sleep(LEAST_PAUSE_SECONDS)  # noqa: TID251  a thread of its own
        ready = self._poll.poll(None if longest is None else longest * 1000)
        numbers = [number for number, _ in ready]
        if self._woken in numbers:
            os.read(self._woken, READ_BYTES)
        is_file = self._events in numbers
        changed = self._changed(os.read(self._events, READ_BYTES)) if is_file else set[Path]()
        return changed if numbers else None

    def close(self) -> None:
        """Close it, in the thread that waits."""
        for number in (self._woken, self._waker, self._events, *self._processes.values()):
            if number != -1:
                os.close(number)

    def _follow(self, paths: set[Path], pids: set[int]) -> bool:
        """Have the kernel tell of these; return whether it did so before. Raises `OSError`."""
        if sys.platform != "linux" or self._events == -1:
            raise OSError
        folders = {_folder(each) for each in paths}
        # If one above is moved, other files have these paths.
        above = {each for folder in folders for each in folder.parents} - folders
        for pid in [*self._processes.keys() - pids]:
            self._poll.unregister(self._processes[pid])
            os.close(self._processes.pop(pid))
        for folder in self._folders.keys() - folders - above:
            self._library.inotify_rm_watch(self._events, self._folders[folder])
        is_known = self._processes.keys() == pids
        for pid in pids - self._processes.keys():
            with contextlib.suppress(ProcessLookupError):
                self._processes[pid] = os.pidfd_open(pid)
                self._poll.register(self._processes[pid], select.POLLIN)
        # A folder that was made again is another one.
        before, self._folders = self._folders, {}
        remote, self._remote = self._remote, {}
        for folder in [*folders, *above]:
            mask = MOVES if folder in above else CHANGES
            added = self._library.inotify_add_watch(self._events, os.fsencode(folder), mask)
            if added == -1 and folder in above:
                continue
            if added == -1 and folder.is_dir():
                raise OSError(ctypes.get_errno(), "inotify_add_watch")
            is_known = is_known and added != -1 and before.get(folder) == added
            self._folders |= {folder: added} if added != -1 else {}
            self._remote[folder] = remote[folder] if folder in remote else self._is_remote(folder)
        return is_known

    def _is_remote(self, folder: Path) -> bool:
        found = ctypes.create_string_buffer(STATFS_BYTES)
        self._library.statfs(os.fsencode(folder), found)
        return ctypes.c_long.from_buffer(found).value & 0xFFFFFFFF in REMOTE

    def _changed(self, events: bytes) -> set[Path] | None:
        """Return what events of the kernel name; None if there were too many."""
        changed, at = set[Path](), 0
        while at < len(events):
            watch, _, _, length = EVENT.unpack_from(events, at)
            name = os.fsdecode(events[at + EVENT.size : at + EVENT.size + length].rstrip(b"\0"))
            changed |= {
                folder / name for folder, number in self._folders.items() if number == watch
            }
            if watch == -1:
                return None
            at += EVENT.size + length
        return changed


class FileChanges:
    """Calls functions in a loop after changes of files, for which one thread waits."""

    def __init__(self) -> None:
        self._followed: dict[Callable[[], object], Callable[[], Iterable[Path]]] = {}
        self._watch: Watch | None = None
        self._is_stale = self._is_ended = False

    @property
    def is_told(self) -> bool:
        """Whether the kernel tells of all these files; otherwise functions are called by time."""
        return self._watch is not None and self._watch.is_told

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait until `stop`."""
        self._watch = Watch()
        # A daemon does not keep the process if a network drive hangs.
        threading.Thread(target=self._wait, args=[loop, self._watch], daemon=True).start()

    def stop(self) -> None:
        """Stop waiting, without waiting for that."""
        self.look()
        self._is_ended = True

    def follow(self, changed: Callable[[], object], paths: Callable[[], Iterable[Path]]) -> None:
        """Call `changed` soon, and after each change of files, and of what is in folders.

        `paths` is called in the thread, again after each `look`.
        """
        self._followed[changed] = paths
        self.look()

    def forget(self, changed: Callable[[], object]) -> None:
        """Call `changed` no more."""
        self._followed.pop(changed, None)
        self.look()

    def look(self) -> None:
        """Learn which files are meant now."""
        self._is_stale = True
        if self._watch is not None and not self._is_ended:
            self._watch.wake()

    def _wait(self, loop: asyncio.AbstractEventLoop, watch: Watch) -> None:
        followed = dict[Callable[[], object], _Followed]()
        while not (self._is_ended or loop.is_closed()):
            if self._is_stale:
                self._is_stale = False
                followed = {each: _Followed(paths) for each, paths in [*self._followed.items()]}
                wanted = {path for each in followed.values() for path in each.watched}
                changed = watch.wait(wanted, (), None, POLL_SECONDS)
            else:
                changed = watch.wait_on(None if watch.is_told else POLL_SECONDS)
            for each, paths in followed.items():
                if changed is None or paths.has_any(changed):
                    self._is_stale |= changed is None or paths.is_stale(changed)
                    with contextlib.suppress(RuntimeError):  # the loop has just been closed
                        loop.call_soon_threadsafe(each)
        watch.close()


class _Followed:
    """Paths, and where these lead to."""

    def __init__(self, paths: Callable[[], Iterable[Path]]) -> None:
        self._paths = set[Path]()
        try:
            for path in paths():
                with contextlib.suppress(OSError, ValueError):
                    self._paths |= {path, Path(os.path.realpath(path))}
        except Exception:
            logger.exception("files cannot be followed")
        self._above = {folder for path in self._paths for folder in path.parents}
        links = [each for each in self._above if each.is_symlink()]
        self.watched = self._paths.union(each.parent for each in links)

    def has_any(self, changed: set[Path]) -> bool:
        """Return whether one of them has changed, or a folder above, or something in a folder."""
        return any(
            path in self._paths or path in self._above or path.parent in self._paths
            for path in changed
        )

    def is_stale(self, changed: set[Path]) -> bool:
        """Return whether they may lead to other files after such changes."""
        return any(
            path in self._above
            or (path in self._paths and Path(os.path.realpath(path)) not in self._paths)
            for path in changed
        )


def _folder(path: Path) -> Path:
    """Return the folder whose changes tell of a path: itself, or the first one above."""
    return path if path.is_dir() or path == path.parent else _folder(path.parent)
