"""What waits for review in a folder: on disk, for each editor and each agent that works there.

The state is a JSON file, and the texts that it names are files beside it. Only their owner can read
them. Editors change the state one after the other, and each sees what another one has changed.
"""

import contextlib
import hashlib
import logging
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from claude_ide.base import files
from claude_ide.base.folders import make_private
from claude_ide.review.entry import State

logger = logging.getLogger(__name__)

MARK = "waiting"

MOST_FILES = 2000
MOST_BYTES = 64_000_000
"""Of all compressed texts of a folder together."""

LONGEST_SECONDS = 30 * 86_400
"""How long a file waits after the last write of an agent."""

LARGEST_STATE = 20_000_000
"""Bytes."""

SPARE_SECONDS = 3600
"""How long a text that nothing names is kept: another editor may be about to name it."""

FORGET_SECONDS = 60.0
"""How often texts that nothing names are looked for."""

MOST_UNDONE = 100

LOCK_SECONDS = 30.0
"""How long a change waits: what an agent has written must not be missing."""


class Store:
    """The state of the folder `root`, in a folder of its own below `home`.

    `problem` says why a file was set aside, or that nothing can be saved: then everything is kept
    here until it can.
    """

    def __init__(self, root: str, home: Path) -> None:
        self.problem = ""
        self._folder = home / name_of(root)
        self._path = self._folder / "state.json"
        self._texts = self._folder / "texts"
        self._stamp: tuple[int, int, int] | None = None
        self._sizes: dict[str, int] = {}
        self._forgot = -FORGET_SECONDS
        self._state = State()
        self._unsaved: dict[str, bytes] | None = None
        """The texts by id that could not be saved; None if everything was."""

    @property
    def path(self) -> Path:
        """The file of the state."""
        return self._path

    def state(self) -> State:
        """Return the state as it is now; it must not be changed."""
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            # It can be read the next time where there are too many open files, for example.
            with contextlib.suppress(OSError):
                self._state, self._stamp = self._with_unsaved(self._read()), stamp
        return self._state

    @contextlib.contextmanager
    def change(self) -> Iterator[State]:
        """Yield the state, and save it if it was changed. Raises `OSError` if it is not known."""
        with contextlib.ExitStack() as locked:
            state = self._begin(locked)
            before = msgspec.json.encode(state)
            yield state
            self._bound(state)
            after = msgspec.json.encode(state)
            if after != before or self._unsaved is not None:
                self._save(state, after)
            self._state, self._stamp = state, _stamp(self._path)

    def _begin(self, locked: contextlib.ExitStack) -> State:
        try:
            self._make_folders()
            lock = files.locked(self._folder / "lock", "the review", LOCK_SECONDS)
            locked.enter_context(lock)
        except OSError as error:
            self._fail(error)
        is_latest = self._unsaved is not None and self._stamp == _stamp(self._path)
        return self._state if is_latest else self._with_unsaved(self._read())

    def _with_unsaved(self, saved: State) -> State:
        """Add what could not be saved here to what another editor has saved since."""
        own = self._state if self._unsaved is not None else State()
        for name, entry in own.files.items():
            there = saved.files.get(name)
            if there is None or there.written < entry.written:
                saved.files[name] = entry
        saved.remarks += [each for each in own.remarks if each not in saved.remarks]
        return saved

    def _save(self, state: State, content: bytes) -> None:
        try:
            for name, text in (self._unsaved or {}).items():
                self._write_text(name, text)
            files.write_private(self._path, content)
            self._mark(state)
        except OSError as error:
            return self._fail(error)
        if self._unsaved is not None:
            self._unsaved, self.problem = None, ""
        self._forget(state)

    def _fail(self, error: OSError) -> None:
        if self._unsaved is None:
            logger.warning("the review of %s is not saved: %s", self._folder, error)
            self._unsaved = {}
        why = error.strerror or str(error)
        self.problem = f"the review cannot be saved and ends with this editor: {why}"

    def keep(self, content: bytes) -> str:
        """Keep a text; return its id."""
        name = self.id_of(content)
        try:
            self._make_folders()
            self._write_text(name, content)
        except OSError as error:
            self._fail(error)
            if self._unsaved is not None and sum(map(len, self._unsaved.values())) < MOST_BYTES:
                self._unsaved[name] = content
        return name

    def _write_text(self, name: str, content: bytes) -> None:
        path = self._texts / name
        if path.exists():
            with contextlib.suppress(OSError):
                os.utime(path)
        else:
            files.write_private(path, zlib.compress(content, 1))

    @staticmethod
    def id_of(content: bytes) -> str:
        """Return the id that a text has."""
        return hashlib.blake2b(content, digest_size=20).hexdigest()

    def content(self, name: str) -> bytes | None:
        """Return the text with an id; None if it is not known any more."""
        if self._unsaved and name in self._unsaved:
            return self._unsaved[name]
        try:
            return zlib.decompress((self._texts / name).read_bytes())
        except (OSError, ValueError, zlib.error):
            return None

    def _make_folders(self) -> None:
        make_private(self._texts)

    def _read(self) -> State:
        try:
            content = files.read(self._path, LARGEST_STATE)
        except (FileNotFoundError, NotADirectoryError):
            return State()
        except (files.RefusedError, PermissionError):
            return self._set_aside("it cannot be read")
        try:
            return msgspec.json.decode(content, type=State)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return self._set_aside("it is broken")

    def _set_aside(self, reason: str) -> State:
        aside = self._path.with_suffix(f".{time.time_ns()}.broken")
        with contextlib.suppress(OSError):
            self._path.rename(aside)
            self.problem = f"the review of this folder begins anew, {reason}: {aside}"
        return State()

    def _bound(self, state: State) -> None:
        """Drop the files that were written longest ago until the others fit."""
        del state.kept[:-MOST_UNDONE]
        files_ = state.files
        oldest = sorted(files_, key=lambda path: (files_[path].waits, files_[path].written))
        sizes = {name: self._size(name) for name in state.texts()}
        total = sum(sizes.values())
        limit = time.time() - LONGEST_SECONDS
        for path in oldest:
            is_fresh = files_[path].written >= limit
            if is_fresh and len(files_) <= MOST_FILES and total <= MOST_BYTES:
                continue
            state.dropped += files_.pop(path).waits
            total = sum(sizes[name] for name in state.texts())

    def _mark(self, state: State) -> None:
        """Leave a file as long as something waits: editors look for it before they have a host."""
        mark = self._folder / MARK
        if any(entry.waits for entry in state.files.values()) or state.remarks:
            mark.touch(mode=0o600)
        else:
            mark.unlink(missing_ok=True)

    def _size(self, name: str) -> int:
        # A text never changes.
        if name not in self._sizes:
            try:
                self._sizes[name] = (self._texts / name).stat().st_size
            except (OSError, ValueError):
                return 0
        return self._sizes[name]

    def _forget(self, state: State) -> None:
        if time.monotonic() < self._forgot + FORGET_SECONDS:
            return
        self._forgot = time.monotonic()
        named, limit = state.texts(), time.time() - SPARE_SECONDS
        with contextlib.suppress(OSError), os.scandir(self._texts) as entries:
            for entry in entries:
                if entry.name not in named and entry.stat().st_mtime < limit:
                    Path(entry.path).unlink()


def name_of(root: str) -> str:
    """Return the name of the folder with the state of a folder; both editors compute it, too."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:32]


def mark_of(folder: Path, home: Path) -> Path:
    """Return the file that exists as long as something waits in a folder."""
    return home / name_of(os.path.realpath(folder)) / MARK


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
