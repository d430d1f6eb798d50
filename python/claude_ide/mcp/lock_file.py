"""The lock file that announces the server: `<config>/ide/<port>.lock`.

Standard library only: it is written before anything else is imported, so that the CLI can be
started as soon as the port is known. Source: doc/protocol.md, "Discovery".
"""

import binascii
import contextlib
import errno
import json
import os
from collections import namedtuple
from collections.abc import Iterator, Mapping
from stat import S_ISREG

PLUGIN = "claude-ide"
"""Marks the locks that are ours to sweep; the CLI ignores fields it does not know."""

DRAFT = ".new"
"""The end of a lock's name until it is whole; not `.lock`, which the CLI reads, and deletes."""

LARGEST = 1_000_000
"""Bytes of a lock that is read; any editor's has a few hundred."""

StrPath = str | os.PathLike[str]

# Instead of a lock there may be a pipe without a writer, or a link to another place.
_CAREFULLY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)

# Neither `dataclasses`, `typing` nor `pathlib`: to import them takes half the time that the user
# may wait for the port.
_LockFile = namedtuple(
    "_LockFile",
    "path workspaceFolders pid ideName authToken hostPid transport runningInWindows plugin",
    defaults=("ws", os.name == "nt", PLUGIN),
)


class LockFile(_LockFile):
    """What one server announces at `path`; the other fields are named as on the wire.

    `pid` is Neovim's: the CLI checks that it lives and is among its own ancestors. `hostPid` is
    ours, and tells a lock whose host was killed from one that is served.
    """

    __slots__ = ()

    def write(self) -> None:
        """Write the file whole or not at all, readable by its owner only."""
        folder, name = os.path.split(self.path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.stat(folder).st_mode & 0o077:
            # The token is what keeps others out. A folder that is not ours stays as it is.
            with contextlib.suppress(PermissionError):
                os.chmod(folder, 0o700)
        fields = {name: value for name, value in self._asdict().items() if name != "path"}
        draft = os.path.join(folder, f".{name}.{self.hostPid}{DRAFT}")
        # An earlier one belongs to a host that was killed, or was planted to be written through.
        _remove(draft)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(fields, file)
            os.replace(draft, self.path)
        except BaseException:
            _remove(draft)
            raise

    def with_folders(self, folders: tuple[str, ...]) -> "LockFile":
        """Return the same lock for other workspace folders."""
        return self._replace(workspaceFolders=folders)

    def remove(self) -> None:
        """Remove the file, if it can be removed."""
        _remove(self.path)


def folder(environment: Mapping[str, str]) -> str:
    """Return the folder that the CLI reads: `$CLAUDE_CONFIG_DIR/ide`, else `~/.claude/ide`."""
    configured = environment.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return os.path.join(configured, "ide")


def new_token() -> str:
    """Return 64 random bytes in base64url without padding."""
    encoded = binascii.b2a_base64(os.urandom(64), newline=False).decode()
    return encoded.translate(str.maketrans("+/", "-_", "="))


def sweep(folder: StrPath) -> None:
    """Remove the locks of ours whose Neovim or host no longer lives, and unfinished ones."""
    for path, fields in _locks(folder):
        ours = fields.get("plugin") == PLUGIN
        if ours and not (_lives(fields.get("pid")) and _lives(fields.get("hostPid"))):
            _remove(path)
    for name in _names(folder, DRAFT):
        pid = name.removesuffix(DRAFT).rpartition(".")[2]
        if name.startswith(".") and pid.isdecimal() and not _lives(int(pid)):
            _remove(os.path.join(folder, name))


def ide_name(folder: StrPath, workspace: str) -> str:
    """Return `Neovim`, or with the project's name when another Neovim is announced already."""
    taken = any(
        str(fields.get("ideName", "")).startswith("Neovim") and _lives(fields.get("pid"))
        for _, fields in _locks(folder)
    )
    project = os.path.basename(os.path.normpath(workspace))
    return f"Neovim ({project or workspace})" if taken else "Neovim"


def _locks(folder: StrPath) -> Iterator[tuple[str, dict[str, object]]]:
    for name in _names(folder, ".lock"):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError, ValueError, RecursionError):
            fields = json.loads(_read(path))
            if isinstance(fields, dict):
                yield path, fields


def _read(path: StrPath) -> bytes:
    """Return what a regular file holds. Raises `OSError` for anything else, however it is made."""
    descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return file.read(LARGEST)


def _names(folder: StrPath, suffix: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(suffix)]
    except OSError:
        return []


def _remove(path: StrPath) -> None:
    # A lock that stays where nothing can be removed must not keep a server from its end.
    with contextlib.suppress(OSError):
        os.unlink(path)


def _lives(pid: object) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
