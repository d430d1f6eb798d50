"""The log file: at most a million bytes, one older file, and a rate limit for repeated entries.

Several hosts and `messages/log.lua` write to it: before each entry, each checks whether another one
has rotated the file.
"""

import contextlib
import fcntl
import logging
import os
import stat
import time
from collections import OrderedDict
from pathlib import Path

from claude_ide.base.folders import make_private
from claude_ide.base.redaction import without_secrets

LARGEST_BYTES = 1_000_000
"""Bytes of the file; the previous one is kept as `claude_ide.1.log`."""

LONGEST_ENTRY = 16_000
"""Characters of an entry, traceback included."""

BURST = 20
REFILL_SECONDS = 30.0
MOST_KINDS = 500

ROTATED_BYTES = LARGEST_BYTES - 100_000
"""From this size on the file is rotated; the rest is for entries while others hold the lock."""

NO_FOLLOW = os.O_NOFOLLOW | os.O_NONBLOCK
"""A link could lead to a file of another program, and opening a pipe could block."""

LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def log_to(path: Path, level: str) -> None:
    """Write all log entries to this file; a log that cannot be written causes no error."""
    handler = LogFile(path)
    handler.addFilter(RateLimit())
    logging.basicConfig(handlers=[handler], level=level.upper(), format=LINE, force=True)


class LogFile(logging.Handler):
    """Appends to a file that only its owner can read, in a folder that only its owner can enter."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file: int | None = None
        with contextlib.suppress(OSError):
            make_private(path.parent)
            path.parent.chmod(0o700)
        # Open it early: a later entry may report that no descriptors remain.
        with contextlib.suppress(OSError):
            self._file = self._open()

    def emit(self, record: logging.LogRecord) -> None:
        """Write an entry in one piece."""
        try:
            text = without_secrets(self.format(record))
        except Exception:
            self.handleError(record)
            return
        if len(text) > LONGEST_ENTRY:
            text = f"{text[:LONGEST_ENTRY]}… ({len(text) - LONGEST_ENTRY} more letters)"
        with contextlib.suppress(OSError):
            self._write(f"{text}\n".encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Close the file."""
        self._close()
        super().close()

    def _write(self, entry: bytes) -> None:
        file = self._current()
        size = os.fstat(file).st_size + len(entry)
        if size > ROTATED_BYTES and _is_locked(file):
            # Two processes that rotate at once would lose the older file.
            if self._is_current(file):
                self._path.replace(self._path.with_suffix(".1.log"))
            self._close()
            file = self._current()
        elif size > LARGEST_BYTES:
            return
        os.write(file, entry)

    def _current(self) -> int:
        """Open the file that is currently at the path, and return it."""
        if self._file is not None and not self._is_current(self._file):
            self._close()
        if self._file is None:
            self._file = self._open()
        return self._file

    def _is_current(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.lstat())
        except FileNotFoundError:
            return False

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_FOLLOW
        file = os.open(self._path, flags, 0o600)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            os.close(file)
            raise FileNotFoundError(self._path)
        if stat.S_IMODE(status.st_mode) != 0o600:
            os.fchmod(file, 0o600)
        return file

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _is_locked(file: int) -> bool:
    """Return whether we have locked a file now, until it is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # of another process, or nothing can be locked here
        return False
    return True


class RateLimit(logging.Filter):
    """Passes a burst of similar entries, then one now and then with the number of omitted ones.

    A flood of similar entries would otherwise push the important ones out of the file.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: OrderedDict[object, tuple[float, float, int]] = OrderedDict()
        """By kind: how many may pass, as of which time, and how many were omitted since."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the entry is written; its text then counts the omitted ones."""
        kind = _kind(record)
        now = time.monotonic()
        allowed, at, omitted = self._kinds.pop(kind, (float(BURST), now, 0))
        allowed = min(float(BURST), allowed + (now - at) / REFILL_SECONDS)
        passes = allowed >= 1
        self._kinds[kind] = (allowed - 1, now, 0) if passes else (allowed, now, omitted + 1)
        while len(self._kinds) > MOST_KINDS:
            self._kinds.popitem(last=False)
        if passes and (omitted or allowed < 2):
            note = f"{omitted} like this left out" if omitted else "more like this are left out"
            record.msg, record.args = f"{record.getMessage()} ({note})", None
        return passes


def _kind(record: logging.LogRecord) -> object:
    # If the whole text is an argument, the text itself distinguishes the kinds.
    text = record.getMessage()[:200] if record.msg == "%s" else record.msg
    error = record.exc_info[0] if record.exc_info else None
    return record.name, record.levelno, text, error
