"""Waits for changes of files, and for the ends of processes: on Linux the kernel tells them."""

import contextlib
import ctypes
import os
import select
import sys
import time
from collections.abc import Iterable
from pathlib import Path

CLOSE_ON_EXEC, NON_BLOCKING = 0x80000, 0x800
CHANGES = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""Written, attributes, moved away, moved here, made, deleted; itself deleted, itself moved."""

LEAST_PAUSE_SECONDS = 0.05
"""Many writes in a row are one change."""

READ_BYTES = 65_536


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
        self._processes: dict[int, int] = {}

    def wake(self) -> None:
        """End the wait of now, or the next one. After `close` the number may be another file's."""
        with contextlib.suppress(BlockingIOError):  # it is woken
            os.write(self._waker, b"\0")

    def wait(
        self, paths: Iterable[Path], pids: Iterable[int], longest: float | None, otherwise: float
    ) -> None:
        """Wait until files or processes have changed, at most `longest` seconds.

        Of a folder counts what is directly in it. Something that was not waited for before may
        have changed meanwhile: then this returns at once. Where the kernel tells nothing, it lasts
        `otherwise` seconds.
        """
        try:
            is_known = self._follow({_folder(each) for each in paths}, {*pids})
        except OSError:
            # Such as too many watches of this user's.
            is_known, longest = True, otherwise
        time.sleep(LEAST_PAUSE_SECONDS)  # noqa: TID251  a thread of its own
        ready = self._poll.poll(None if longest is None else longest * 1000) if is_known else []
        for number, _ in ready:
            if number in (self._woken, self._events):
                os.read(number, READ_BYTES)

    def close(self) -> None:
        """Close it, in the thread that waits."""
        for number in (self._woken, self._waker, self._events, *self._processes.values()):
            if number != -1:
                os.close(number)

    def _follow(self, folders: set[Path], pids: set[int]) -> bool:
        """Have the kernel tell of these; return whether it did so before. Raises `OSError`."""
        if sys.platform != "linux" or self._events == -1:
            raise OSError
        for pid in [*self._processes.keys() - pids]:
            self._poll.unregister(self._processes[pid])
            os.close(self._processes.pop(pid))
        for folder in self._folders.keys() - folders:
            self._library.inotify_rm_watch(self._events, self._folders[folder])
        is_known = self._processes.keys() == pids
        for pid in pids - self._processes.keys():
            with contextlib.suppress(ProcessLookupError):
                self._processes[pid] = os.pidfd_open(pid)
                self._poll.register(self._processes[pid], select.POLLIN)
        # A folder that was made again is another one.
        before, self._folders = self._folders, {}
        for folder in folders:
            added = self._library.inotify_add_watch(self._events, os.fsencode(folder), CHANGES)
            if added == -1 and folder.is_dir():
                raise OSError(ctypes.get_errno(), "inotify_add_watch")
            is_known = is_known and added != -1 and before.get(folder) == added
            self._folders |= {folder: added} if added != -1 else {}
        return is_known


def _folder(path: Path) -> Path:
    """Return the folder whose changes tell of a path: itself, or the first one above."""
    return path if path.is_dir() or path == path.parent else _folder(path.parent)
