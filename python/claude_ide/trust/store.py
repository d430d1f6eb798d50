"""The records of trusted folders: our own, which only the user can read and write, and the CLI's.

The latter is only read. The rules are those by which CLI 2.1.330 decides whether to ask: the trust
in a folder includes its subfolders, but not other repositories in it.
"""

import json
import os
import stat
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from claude_ide.base import files, git
from claude_ide.base.paths import config_folder, home

LARGEST = 1_000_000
"""Bytes."""

WHAT = "the record of trusted folders"


LARGEST_OF_CLI = 64_000_000
"""Bytes of the file; the CLI also stores much other data in it."""

_last: tuple[object, frozenset[str]] = None, frozenset()
"""The stamp of the file when it was read last, and the trusted folders in it."""


class _Content(msgspec.Struct, frozen=True):
    folders: dict[str, datetime]


class Store:
    """The trusted folders in the file `path`, with the time of each; a broken file has none.

    `complain` is called once, with the problem of the file.
    """

    def __init__(self, path: Path, complain: Callable[[str], None]) -> None:
        self._path = path
        self._complain = complain
        self._complained = False

    def folders(self) -> dict[str, datetime]:
        """Return all trusted folders, as real paths, with the time of each."""
        if not os.path.lexists(self._path):
            return {}
        if self._is_writable_by_others():
            return self._refuse("other users can write it")
        content = files.read_if_sound(self._path, LARGEST)
        if content is None:
            return self._refuse("it cannot be read")
        try:
            # A name that is not UTF-8 has surrogates, which msgspec's decoder rejects.
            return msgspec.convert(json.loads(content), _Content).folders
        except (ValueError, RecursionError):
            return self._refuse("it is broken")

    def add(self, folder: str) -> None:
        """Trust a folder, given as a real path. Raises `OSError` if it cannot be recorded."""
        with files.locked(self._path.with_suffix(".lock"), WHAT):
            self._write(self.folders() | {folder: datetime.now(UTC).replace(microsecond=0)})

    def remove(self, folders: list[str]) -> None:
        """Remove these folders. Raises `OSError` if that cannot be recorded."""
        with files.locked(self._path.with_suffix(".lock"), WHAT):
            self._write({name: at for name, at in self.folders().items() if name not in folders})

    def _write(self, folders: Mapping[str, datetime]) -> None:
        content = {"folders": {name: at.isoformat() for name, at in sorted(folders.items())}}
        files.write_private(self._path, json.dumps(content, indent=1).encode())

    def _is_writable_by_others(self) -> bool:
        try:
            status = self._path.stat()
        except OSError:
            return False
        if not stat.S_ISREG(status.st_mode):
            return False
        return status.st_uid != os.geteuid() or bool(status.st_mode & 0o022)

    def _refuse(self, reason: str) -> dict[str, datetime]:
        if not self._complained:
            self._complained = True
            self._complain(f"{WHAT} is ignored, {reason}: {self._path}")
        return {}


# The CLI's record.


class _Project(msgspec.Struct, frozen=True):
    hasTrustDialogAccepted: object = None


class _State(msgspec.Struct, frozen=True):
    projects: dict[str, _Project] = {}


def trusting(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the recorded folder because of which the CLI trusts a real path, or ''."""
    recorded = _recorded(environment)
    found = git.find_repository(folder)
    candidates = [folder] if found is None else [found.main]
    for above in (folder, *folder.parents):
        candidates.append(above)
        if found is not None and above == found.root:
            break
    return next((str(each) for each in candidates if _spelled(each) in recorded), "")


def _recorded(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the trusted folders; the file is read again only if it has changed."""
    global _last
    path = _record_of(environment)
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL
        return frozenset()
    stamp = path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    # Several threads may ask.
    last = _last
    if last[0] != stamp:
        last = _last = stamp, _read_record(path)
    return last[1]


def _read_record(path: Path) -> frozenset[str]:
    content = files.read_if_sound(path, LARGEST_OF_CLI)
    if content is None:
        return frozenset()
    try:
        projects = msgspec.json.decode(content, type=_State).projects
    except (msgspec.DecodeError, RecursionError):
        return frozenset()
    return frozenset(name for name, each in projects.items() if each.hasTrustDialogAccepted is True)


def _record_of(environment: Mapping[str, str]) -> Path:
    older = config_folder(environment) / ".config.json"
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return older if older.is_file() else Path(configured or home(environment), ".claude.json")


def _spelled(folder: Path) -> str:
    return unicodedata.normalize("NFC", str(folder))
