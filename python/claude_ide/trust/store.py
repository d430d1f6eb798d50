"""Our own record of trusted folders: a file that only the user can read and write."""

import json
import os
import stat
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from claude_ide import files

LARGEST = 1_000_000
"""Bytes."""


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
        """Trust a folder, given as a real path."""
        self._write(self.folders() | {folder: datetime.now(UTC).replace(microsecond=0)})

    def remove(self, folders: list[str]) -> None:
        """Remove these folders."""
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
        own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        return not own or bool(os.name == "posix" and status.st_mode & 0o022)

    def _refuse(self, reason: str) -> dict[str, datetime]:
        if not self._complained:
            self._complained = True
            self._complain(f"the record of trusted folders is ignored, {reason}: {self._path}")
        return {}
