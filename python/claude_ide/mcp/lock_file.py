"""The lock file that announces the server: `<config>/ide/<port>.lock`.

It is written before the rest is imported, so that the CLI can start as soon as the port is known;
therefore this imports only the standard library. Source: doc/protocol.md, "Discovery".
"""

import binascii
import contextlib
import errno
import json
import os
from collections import namedtuple
from collections.abc import Iterator, Mapping
from stat import S_ISREG

from claude_ide.base.folders import make_private
from claude_ide.base.names import editor_name

PLUGIN = "claude-ide"
"""Marks our own locks, which `sweep` may remove; the CLI ignores unknown fields."""

DRAFT = ".new"
"""The suffix of an unfinished lock; not `.lock`, because the CLI reads and deletes such files."""

LARGEST_BYTES = 1_000_000
"""Of a lock that is read; the lock of any editor has a few hundred."""

StrPath = str | os.PathLike[str]

# A pipe without a writer, or a link, may be in place of a lock.
_CAREFULLY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)

# Importing `dataclasses`, `typing` and `pathlib` would take half the time in which the port must
# be bound.
_LockFile = namedtuple(
    "_LockFile",
    "path workspaceFolders pid ideName authToken hostPid transport runningInWindows plugin",
    defaults=("ws", os.name == "nt", PLUGIN),
)


class LockFile(_LockFile):
    """The announcement of one server, at `path`; the other fields have the names of the wire.

    `pid` is Neovim's: the CLI checks that it is alive and one of its own ancestors. `hostPid` is
    ours: it shows whether the host of a lock was killed.
    """

    __slots__ = ()

    @property
    def port(self) -> int:
        """The port of the server, which is in the file's name."""
        return _port(self.path)

    def holds(self, folder: str) -> bool:
        """Return whether a folder is one of the workspace folders, or inside one."""
        here = os.path.join(os.path.realpath(folder), "")
        roots = (os.path.join(os.path.realpath(each), "") for each in self.workspaceFolders)
        return any(map(here.startswith, roots))

    def write(self) -> None:
        """Write the file atomically, readable only by its owner."""
        folder, name = os.path.split(self.path)
        make_private(folder)
        if os.stat(folder).st_mode & 0o077:
            # Others must not read the token. The mode of another user's folder cannot be changed.
            with contextlib.suppress(PermissionError):
                os.chmod(folder, 0o700)
        fields = {name: value for name, value in self._asdict().items() if name != "path"}
        draft = os.path.join(folder, f".{name}.{self.hostPid}{DRAFT}")
        # An existing draft is from a host that was killed, or an attacker's link.
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
        """Return the same lock with other workspace folders."""
        return self._replace(workspaceFolders=folders)

    def remove(self) -> None:
        """Remove the file, if possible."""
        _remove(self.path)


def folder(environment: Mapping[str, str]) -> str:
    """Return the folder that the CLI reads: `$CLAUDE_CONFIG_DIR/ide`, or `~/.claude/ide`."""
    configured = environment.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return os.path.join(configured, "ide")


def new_token() -> str:
    """Return 64 random bytes in base64url without padding."""
    encoded = binascii.b2a_base64(os.urandom(64), newline=False).decode()
    return encoded.translate(str.maketrans("+/", "-_", "="))


def sweep(folder: StrPath) -> None:
    """Remove our locks whose Neovim or host is no longer alive, and drafts of dead hosts."""
    for path, fields in _locks(folder):
        ours = fields.get("plugin") == PLUGIN
        if ours and not (_lives(fields.get("pid")) and _lives(fields.get("hostPid"))):
            _remove(path)
    for name in _names(folder, DRAFT):
        pid = name.removesuffix(DRAFT).rpartition(".")[2]
        if name.startswith(".") and pid.isdecimal() and not _lives(int(pid)):
            _remove(os.path.join(folder, name))


def announced(folder: StrPath) -> list[LockFile]:
    """Return our locks whose Neovim and host are alive."""
    decoded = (_decoded(path, fields) for path, fields in _locks(folder))
    return [lock for lock in decoded if lock is not None]


def others(folder: StrPath, pid: int, working: str) -> list[tuple[str, int]]:
    """Return name and process id of the editors that announce a folder, but for that with `pid`."""
    found = []
    for _, fields in _locks(folder):
        workspaces, editor = fields.get("workspaceFolders"), fields.get("pid")
        folders = workspaces if isinstance(workspaces, list) else []
        is_for = any(
            isinstance(each, str) and f"{working}/".startswith(each.rstrip("/") + "/")
            for each in folders
        )
        if is_for and isinstance(editor, int) and editor != pid and _lives(editor):
            found.append((str(fields.get("ideName", "an editor")), editor))
    return found


def ide_name(folder: StrPath, workspace: str) -> str:
    """Return the editor's name; with the project's if another such editor has a lock already."""
    editor = editor_name()
    taken = any(
        str(fields.get("ideName", "")).startswith(editor) and _lives(fields.get("pid"))
        for _, fields in _locks(folder)
    )
    project = os.path.basename(os.path.normpath(workspace))
    return f"{editor} ({project or workspace})" if taken else editor


def _locks(folder: StrPath) -> Iterator[tuple[str, dict[str, object]]]:
    for name in _names(folder, ".lock"):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError, ValueError, RecursionError):
            fields = json.loads(_read(path))
            if isinstance(fields, dict):
                yield path, fields


def _decoded(path: str, fields: dict[str, object]) -> LockFile | None:
    """Return a lock of ours; None if it has other fields, or its Neovim or host is not alive."""
    is_ours = fields.get("plugin") == PLUGIN and _port(path) > 0
    if not (is_ours and _lives(fields.get("pid")) and _lives(fields.get("hostPid"))):
        return None
    try:
        known = {name: fields[name] for name in LockFile._fields if name in fields}
        lock = LockFile(**known | {"path": path})
        texts = (lock.authToken, lock.ideName, *lock.workspaceFolders)
    except TypeError:
        return None
    return lock if all(isinstance(text, str) for text in texts) else None


def _port(path: str) -> int:
    name = os.path.basename(path).removesuffix(".lock")
    return int(name) if name.isascii() and name.isdecimal() else 0


def _read(path: StrPath) -> bytes:
    """Return the content of a regular file. Raises `OSError` for anything else."""
    descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not S_ISREG(found.st_mode) or found.st_size > LARGEST_BYTES:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return file.read(LARGEST_BYTES)


def _names(folder: StrPath, suffix: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(suffix)]
    except OSError:
        return []


def _remove(path: StrPath) -> None:
    # A lock that cannot be removed must not prevent the server from stopping.
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
