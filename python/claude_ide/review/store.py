"""What waits for review in a folder: on disk, for each editor and each agent that works there.

The state is a JSON file, and the texts that it names are files beside it. Only their owner can read
them. Editors change the state one after the other, and each sees what another one has changed.
"""

import contextlib
import hashlib
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from claude_ide.base import files

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


class Base(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text before a session wrote a file, and before its latest turn did."""

    session: str | None
    turn: str | None
    turn_id: str = ""


class Memory(msgspec.Struct, frozen=True, omit_defaults=True):
    """The base and the agent's text of an earlier text, and how often was decided until then."""

    base: str | None
    agent: str | None
    decisions: int = 0


class Write(msgspec.Struct, omit_defaults=True):
    """What one turn has made of a file, from one text to another, and why (`why.py`)."""

    session: str
    turn: str
    before: str | None
    after: str | None
    time: int
    """Unix time in seconds."""
    prompt: str = ""
    reason: str = ""


class Entry(msgspec.Struct, omit_defaults=True):
    """A file that waits for review. Texts have ids; None: there is no file (`baseline.Texts`)."""

    base: str | None
    agent: str | None
    now: str | None
    obstacle: str = ""
    """Why no lines of the file are shown; its texts may be unknown then, and are stamps."""
    mode: tuple[int, int] | None = None
    """The permissions before and after, if an agent has changed them."""
    origin: str = ""
    """The path that the file had before an agent moved it."""
    is_perhaps: bool = False
    """Whether it is uncertain that an agent has written the file."""
    written: int = 0
    """When an agent wrote it last: Unix time in seconds."""
    bases: dict[str, Base] = msgspec.field(default_factory=dict)
    """By session, the latest last."""
    writes: list[Write] = msgspec.field(default_factory=list)
    """Of the latest turns that wrote it, the latest last."""
    memory: dict[str, Memory] = msgspec.field(default_factory=dict)
    """By an earlier text ("": no file), the latest last."""
    decisions: int = 0
    """How often the user has kept something, or taken that back."""

    @property
    def waits(self) -> bool:
        """Whether something of the file is left to review."""
        return self.base != self.now or bool(self.origin) or self.mode is not None


class Remark(msgspec.Struct, omit_defaults=True):
    """Words of the user on some rows of a file, 0-based, the last one exclusive.

    `quoted` has the lines: they are where these lines are. `state` is "open", "sent" or "answered".
    """

    path: str
    first: int
    last: int
    quoted: str
    words: str
    state: str = "open"


class Told(msgspec.Struct, frozen=True):
    """A change that the user has `reverted` or `restored`, which its session has to learn."""

    session: str
    path: str
    kind: str
    old: str
    new: str


class Kept(msgspec.Struct, frozen=True):
    """A file before the user kept something of it, and its base and agent's text after that."""

    path: str
    entry: Entry
    base: str | None = None
    agent: str | None = None
    unsaved: str = ""
    seen: Memory | None = None
    """What the text of a buffer was compared with before, if it was `unsaved`."""
    is_joined: bool = False
    """Whether `undo` takes it back together with the one before."""


class State(msgspec.Struct, omit_defaults=True):
    """What is known of a folder, by paths relative to it."""

    files: dict[str, Entry] = msgspec.field(default_factory=dict)
    remarks: list[Remark] = msgspec.field(default_factory=list)
    kept: list[Kept] = msgspec.field(default_factory=list)
    """What `undo` takes back, the latest last."""
    head: str = ""
    """The commit whose files were compared last."""
    told: list[Told] = msgspec.field(default_factory=list)
    unknown: list[str] = msgspec.field(default_factory=list)
    """What cannot be known of what agents have written, in one line each."""
    dropped: int = 0
    """How many files were dropped because they were too many, too large, or too old."""

    def texts(self) -> set[str]:
        """Return the ids of all texts that the state names."""
        entries = [*self.files.values(), *(each.entry for each in self.kept)]
        named: set[str | None] = set()
        for each in entries:
            named |= {each.base, each.agent, each.now}
            for base in each.bases.values():
                named |= {base.session, base.turn}
            for write in each.writes:
                named |= {write.before, write.after}
            for now, then in each.memory.items():
                named |= {now or None, then.base, then.agent}
        for kept in self.kept:
            named |= {kept.base, kept.agent, kept.unsaved or None}
            named |= {kept.seen.base, kept.seen.agent} if kept.seen else set()
        return {name for name in named if name is not None}


class Store:
    """The state of the folder `root`, in a folder of its own below `home`.

    `problem` says what is wrong with a file that was set aside; it is empty otherwise.
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

    @property
    def path(self) -> Path:
        """The file of the state."""
        return self._path

    def state(self) -> State:
        """Return the state as it is now; it must not be changed."""
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._state, self._stamp = self._read(), stamp
        return self._state

    @contextlib.contextmanager
    def change(self) -> Iterator[State]:
        """Yield the state, and save it if it was changed. Raises `OSError`."""
        self._make_folders()
        with files.locked(self._folder / "lock", "the review", LOCK_SECONDS):
            state = self._read()
            before = msgspec.json.encode(state)
            yield state
            self._bound(state)
            after = msgspec.json.encode(state)
            if after != before:
                files.write_private(self._path, after)
                self._mark(state)
                self._forget(state)
            self._state, self._stamp = state, _stamp(self._path)

    def keep(self, content: bytes) -> str:
        """Keep a text; return its id. Raises `OSError`."""
        self._make_folders()
        name = self.id_of(content)
        path = self._texts / name
        if path.exists():
            with contextlib.suppress(OSError):
                os.utime(path)
        else:
            files.write_private(path, zlib.compress(content, 1))
        return name

    @staticmethod
    def id_of(content: bytes) -> str:
        """Return the id that a text has."""
        return hashlib.blake2b(content, digest_size=20).hexdigest()

    def content(self, name: str) -> bytes | None:
        """Return the text with an id; None if it is not known any more."""
        try:
            return zlib.decompress((self._texts / name).read_bytes())
        except (OSError, ValueError, zlib.error):
            return None

    def _make_folders(self) -> None:
        for folder in (self._folder.parent, self._folder, self._texts):
            # Missing parents would get the usual mode.
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _read(self) -> State:
        content = files.read_if_sound(self._path, LARGEST_STATE)
        if content is None:
            if not os.path.lexists(self._path):
                return State()
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
