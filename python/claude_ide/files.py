"""The gate for files that the host itself reads or writes because somebody asked for it.

A file is regular, and not too large, before a byte of it is read. Within a folder the way to a file
is walked from descriptor to descriptor, and no name on it may be a link: whatever is exchanged
between the check and the use, nothing outside of the folder is reached. Everything here raises
`OSError`, whose `strerror` is the reason.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

LARGEST = 15_000_000
"""Bytes of a file that is read whole."""

LONGEST_PATH = 4096

# Windows has none of these, and no descriptors of folders.
_WALKS = os.open in os.supports_dir_fd
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class RefusedError(OSError):
    """A path that is not to be used, whatever the permissions of its file are."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EINVAL, reason)


@dataclass(frozen=True, slots=True)
class _Folder:
    """An open folder: what is done in it is done there, wherever its path leads by now."""

    path: Path
    descriptor: int | None

    def at(self, name: str) -> str | Path:
        """Return what `dir_fd=self.descriptor` goes with."""
        return self.path / name if self.descriptor is None else name

    def look(self, name: str) -> os.stat_result:
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self.at(name), flags | _NO_LINK, mode, dir_fd=self.descriptor)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to be read; links are followed."""
    _check_kind(path.stat())
    return _regular(os.open(path, os.O_RDONLY | _NO_WAIT))


def read(path: Path, most: int = LARGEST) -> bytes:
    """Return what a regular file holds, `most` bytes at most; links are followed."""
    with open_regular(path) as file:
        return _read(file, most)


def read_if_sound(path: Path, most: int) -> bytes | None:
    """Return what `read` does, or None for what it refuses: for files that may be anything."""
    try:
        return read(path, most)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None


def write_private(path: Path, content: bytes) -> None:
    """Write a file of ours whole or not at all, readable and writable by its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def resolve(root: Path, path: str) -> Path:
    """Return the path, without links, that a relative one means within `root`."""
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise RefusedError("the path is too long")
    resolved = Path(os.path.realpath(root / path))
    if not resolved.is_relative_to(root):
        raise RefusedError("a link that leaves the workspace")
    return resolved


def read_within(root: Path, resolved: Path, most: int = LARGEST) -> bytes:
    """Return what a regular file within `root` holds; `resolved` comes from `resolve`."""
    with _parent(root, resolved) as (folder, name):
        _check_kind(folder.look(name))
        with _regular(folder.open(name, os.O_RDONLY | _NO_WAIT)) as file:
            return _read(file, most)


def write_within(root: Path, resolved: Path, content: bytes) -> None:
    """Replace a regular file within `root` in one step, its permissions kept, or make it."""
    with _parent(root, resolved, create=True) as (folder, name):
        mode = _mode(folder, name)
        draft = f".claude-ide-{os.urandom(8).hex()}"
        try:
            _write(folder, draft, content, mode)
            os.replace(
                folder.at(draft),
                folder.at(name),
                src_dir_fd=folder.descriptor,
                dst_dir_fd=folder.descriptor,
            )
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(folder.at(draft), dir_fd=folder.descriptor)
            raise


@contextlib.contextmanager
def scan_within(root: Path, relative: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Give what is in a folder within `root`; the entries know their names, not their paths."""
    with _walked(root, Path(relative).parts) as folder:
        # What is only passed through cannot be read.
        descriptor = folder.open(os.curdir, os.O_RDONLY | _FOLDER) if _WALKS else None
        try:
            with os.scandir(folder.path if descriptor is None else descriptor) as entries:
                yield entries
        finally:
            if descriptor is not None:
                os.close(descriptor)


@contextlib.contextmanager
def _parent(root: Path, resolved: Path, create: bool = False) -> Iterator[tuple[_Folder, str]]:
    """Open the folder that a path is in, and give it with the path's last name."""
    *names, name = resolved.relative_to(root).parts or (os.curdir,)
    with _walked(root, names, create) as folder:
        yield folder, name


@contextlib.contextmanager
def _walked(root: Path, names: Sequence[str], create: bool = False) -> Iterator[_Folder]:
    folder = _Folder(root, os.open(root, _PASS) if _WALKS else None)
    try:
        for name in names:
            folder = _entered(folder, name, create)
        yield folder
    finally:
        if folder.descriptor is not None:
            os.close(folder.descriptor)


def _entered(folder: _Folder, name: str, create: bool) -> _Folder:
    """Go on into a folder; the one before is closed when that is done."""
    if create:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder.at(name), dir_fd=folder.descriptor)
    path = folder.path / name
    if folder.descriptor is None:
        return _Folder(path, None)
    inner = _Folder(path, folder.open(name, _PASS))
    os.close(folder.descriptor)
    return inner


def _check_kind(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise RefusedError("a link to itself, or one that was just created")
    if not stat.S_ISREG(found.st_mode):
        raise RefusedError(f"not a file but a {_KINDS.get(stat.S_IFMT(found.st_mode), 'thing')}")


def _regular(descriptor: int) -> BinaryIO:
    try:
        # Another one may be there since it was looked at.
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
    # Some have no size until they are read, or grow.
    if len(content) > most:
        raise RefusedError(f"has more than {most:,} bytes")
    return content


def _mode(folder: _Folder, name: str) -> int | None:
    """Return the permissions of what is going to be replaced, if it is there and may be."""
    try:
        found = folder.look(name)
    except FileNotFoundError:
        return None
    _check_kind(found)
    return stat.S_IMODE(found.st_mode)


def _write(folder: _Folder, name: str, content: bytes, mode: int | None) -> None:
    # What was for the user's eyes only is so at any instant.
    first_mode = 0o666 if mode is None else 0o600
    descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_WAIT, first_mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
