"""The gate for files that the host reads or writes on request.

Before a byte is read, the file must be regular and not too large. A path inside a folder is walked
from descriptor to descriptor, and no name in it may be a link: a swap between the check and the use
cannot lead outside the folder. All functions raise `OSError`, with the reason in `strerror`.
"""

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from claude_ide.base.folders import make_private
from claude_ide.base.paths import TURNED, real

LARGEST_BYTES = 15_000_000
"""Bytes of the largest file that is read whole."""

LONGEST_PATH = 4096

LOCK_SECONDS = 3.0
"""How long a change of a file waits for that of another editor."""
LOCK_PAUSE_SECONDS = 0.01

_NO_WAIT = os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER  # macOS lacks it

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class RefusedError(OSError):
    """A path that must not be used, even if the file's permissions allow it."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EINVAL, reason)


@dataclass(frozen=True, slots=True)
class _OpenFolder:
    """An open folder: operations reach this folder even if its path now leads elsewhere."""

    path: Path
    descriptor: int

    def stat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=self.descriptor)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; links are followed."""
    _check_kind(path.stat())
    return _regular(os.open(path, os.O_RDONLY | _NO_WAIT))


def read(path: Path, most: int = LARGEST_BYTES) -> bytes:
    """Return the content of a regular file, at most `most` bytes; links are followed."""
    with open_regular(path) as file:
        return _read(file, most)


def read_if_sound(path: Path, most: int) -> bytes | None:
    """Return the content as `read` does, or None if the file cannot or must not be read."""
    try:
        return read(path, most)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None


def write_private(path: Path, content: bytes) -> None:
    """Write a file atomically, readable and writable only by its owner."""
    make_private(path.parent)
    # Two threads may write the same file.
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def locked(path: Path, what: str, seconds: float | None = None) -> Iterator[None]:
    """Keep other processes from changing what this lock file is for.

    The lock is on a file of its own, because what it is for is replaced. Raises `OSError`, which
    names `what`, if another process keeps it locked for so long (`LOCK_SECONDS`).
    """
    make_private(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, what, LOCK_SECONDS if seconds is None else seconds)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, what: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                reason = f"another editor keeps {what} locked"
                raise OSError(errno.EBUSY, reason) from None
        time.sleep(LOCK_PAUSE_SECONDS)  # noqa: TID251  a change takes a millisecond


def resolve(root: Path, path: str) -> Path:
    """Resolve a path relative to `root`, links included; it must stay within `root`."""
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise RefusedError("the path is too long")
    resolved = Path(os.path.realpath(root / path))
    if not resolved.is_relative_to(root):
        raise RefusedError("a link that leaves the workspace")
    return resolved


def read_within(root: Path, resolved: Path, most: int = LARGEST_BYTES) -> bytes:
    """Return the content of a regular file within `root`; `resolved` comes from `resolve`."""
    with _parent(root, resolved) as (folder, name):
        _check_kind(folder.stat(name))
        with _regular(folder.open(name, os.O_RDONLY | _NO_WAIT)) as file:
            return _read(file, most)


def write_within(root: Path, resolved: Path, content: bytes) -> None:
    """Create a regular file within `root`, or replace it atomically with its permissions kept."""
    with _parent(root, resolved, create=True) as (folder, name):
        mode = _mode(folder, name)
        draft = f".claude-ide-{os.urandom(8).hex()}"
        try:
            _write(folder, draft, content, mode)
            inside = {"src_dir_fd": folder.descriptor, "dst_dir_fd": folder.descriptor}
            os.replace(draft, name, **inside)  # noqa: PTH105  no path has descriptors
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft, dir_fd=folder.descriptor)
            raise


def write(path: str, target: str, content: bytes) -> None:
    """Create a regular file and its folders, or replace it, as long as `path` leads to `target`.

    `target` is the path without links, as it was when the user, or a check, saw where `path` leads.
    """
    if real(path) != target:
        raise RefusedError(TURNED)
    resolved = Path(target)
    write_within(Path(resolved.anchor), resolved, content)


def delete(path: str) -> None:
    """Delete a file, if there is one and no link is on its absolute path."""
    with contextlib.suppress(FileNotFoundError), _unlinked(path) as (folder, name):
        os.unlink(name, dir_fd=folder.descriptor)


def set_mode(path: str, mode: int) -> None:
    """Give a file these permissions, if no link is on its absolute path."""
    with _unlinked(path) as (folder, name):
        try:
            os.chmod(name, mode, dir_fd=folder.descriptor, follow_symlinks=False)
        except (NotImplementedError, ValueError):
            if stat.S_ISLNK(folder.stat(name).st_mode):  # which has no permissions
                raise RefusedError(TURNED) from None
            # glibc before 2.32 cannot do it.
            with _regular(folder.open(name, os.O_RDONLY | _NO_WAIT)) as file:
                os.fchmod(file.fileno(), mode)


@contextlib.contextmanager
def _unlinked(path: str) -> Iterator[tuple[_OpenFolder, str]]:
    """Yield what `_parent` does, of a path that leads nowhere else than it says."""
    if real(path) != os.path.normpath(path):
        raise RefusedError(TURNED)
    resolved = Path(path)
    with _parent(Path(resolved.anchor), resolved) as found:
        yield found


@contextlib.contextmanager
def scan_within(root: Path, relative: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Yield the entries of a folder within `root`; they have names, but no usable paths."""
    with _walked(root, Path(relative).parts) as folder:
        # The descriptors of a walk cannot be read.
        descriptor = folder.open(os.curdir, os.O_RDONLY | _FOLDER)
        try:
            with os.scandir(descriptor) as entries:
                yield entries
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _parent(root: Path, resolved: Path, create: bool = False) -> Iterator[tuple[_OpenFolder, str]]:
    """Yield the open parent folder of a path, and the last name of the path."""
    *names, name = resolved.relative_to(root).parts or (os.curdir,)
    with _walked(root, names, create) as folder:
        yield folder, name


@contextlib.contextmanager
def _walked(root: Path, names: Sequence[str], create: bool = False) -> Iterator[_OpenFolder]:
    folder = _OpenFolder(root, os.open(root, _PASS))
    try:
        for name in names:
            folder = _entered(folder, name, create)
        yield folder
    finally:
        os.close(folder.descriptor)


def _entered(folder: _OpenFolder, name: str, create: bool) -> _OpenFolder:
    """Open a folder inside `folder`, and close `folder`."""
    try:
        inner = _inner(folder, name)
    except FileNotFoundError:
        if not create:
            raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder.descriptor)
        inner = _inner(folder, name)
    os.close(folder.descriptor)
    return inner


def _inner(folder: _OpenFolder, name: str) -> _OpenFolder:
    return _OpenFolder(folder.path / name, folder.open(name, _PASS))


def _check_kind(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise RefusedError("a link to itself, or one that was just created")
    if not stat.S_ISREG(found.st_mode):
        raise RefusedError(f"not a file but a {_KINDS.get(stat.S_IFMT(found.st_mode), 'thing')}")


def _regular(descriptor: int) -> BinaryIO:
    try:
        # The file may have been swapped since the first check.
        _check_kind(os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def _read(file: BinaryIO, most: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    if size > most:
        raise RefusedError(f"has {size:,} bytes, more than {most:,}")
    content = file.read(most + 1)
    # Some files, such as those in /proc, report no size; others grow.
    if len(content) > most:
        raise RefusedError(f"has more than {most:,} bytes")
    return content


def _mode(folder: _OpenFolder, name: str) -> int | None:
    """Return the permissions of the regular file to replace; None if there is no file."""
    try:
        found = folder.stat(name)
    except FileNotFoundError:
        return None
    _check_kind(found)
    return stat.S_IMODE(found.st_mode)


def _write(folder: _OpenFolder, name: str, content: bytes, mode: int | None) -> None:
    # A private file must not be readable by others even for an instant.
    first_mode = 0o666 if mode is None else 0o600
    descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_WAIT, first_mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if mode is not None:
            os.fchmod(descriptor, mode)
