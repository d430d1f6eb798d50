"""The user's trust in folders, from two records: our own, and the CLI's, which is only read.

The rules are those by which CLI 2.1.330 decides whether to ask: the trust in a folder includes its
subfolders, but not other repositories in it. Only the user can read and write our record.
"""

import json
import os
import stat
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from claude_ide.base import files, git
from claude_ide.base.paths import below_home, config_folder, home

REPLACEMENT = "\ufffd"
LARGEST_BYTES = 1_000_000

WHAT = "the record of trusted folders"

LARGEST_OF_CLI_BYTES = 64_000_000
"""The CLI also stores much other data in its file."""

_last: tuple[object, frozenset[str]] = None, frozenset()
"""The stamp of the CLI's file when it was read last, and the trusted folders in it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The recorded folders because of which a folder is trusted; false if there are none."""

    by_cli: str = ""
    """The folder in the CLI's record."""
    ours: tuple[tuple[str, datetime], ...] = ()
    """The folders in our record, with the time of each."""

    def __bool__(self) -> bool:
        return bool(self.by_cli or self.ours)


class _ClaudeFile(msgspec.Struct, frozen=True):
    folders: dict[str, datetime]


class Trust:
    """The folders that the user trusts, including their subfolders.

    Ours are in the file `path`, with the time of each; a broken file has none. `complain` is called
    once, with the problem of the file.
    """

    def __init__(
        self, path: Path, environment: Mapping[str, str], complain: Callable[[str], None]
    ) -> None:
        self._path = path
        self._environment = environment
        self._complain = complain
        self._complained = False
        self.declined: set[str] = set()
        """The real paths of folders about which the user does not want to decide now."""

    @property
    def config(self) -> Path:
        """The folder with the user's own settings for the CLI."""
        return config_folder(self._environment)

    def is_trusted(self, folder: str | Path) -> bool:
        """Return whether the settings of a folder may be used."""
        try:
            return bool(self.verdict(folder))
        except OSError:
            return False

    def verdict(self, folder: str | Path) -> Verdict:
        """Return why a folder is trusted."""
        real = Path(folder).resolve()
        ours = [each for each in self.folders().items() if self._covers(each[0], real)]
        return Verdict(_trusted_by_cli(real, self._environment), tuple(ours))

    def grant(self, folder: str | Path) -> None:
        """Add a folder to our record. Raises `OSError` if it cannot be recorded."""
        now = datetime.now(UTC).replace(microsecond=0)
        with self._locked():
            self._write(self.folders() | {str(Path(folder).resolve()): now})

    def revoke(self, folder: str | Path) -> list[str]:
        """Remove the folders because of which a folder is trusted from our record; return them.

        Raises `OSError` if that cannot be recorded.
        """
        removed = [name for name, _ in self.verdict(folder).ours]
        if removed:
            with self._locked():
                kept = self.folders().items()
                self._write({name: at for name, at in kept if name not in removed})
        return removed

    def folders(self) -> dict[str, datetime]:
        """Return the folders in our record, as real paths, with the time of each."""
        if not os.path.lexists(self._path):
            return {}
        if self._is_writable_by_others():
            return self._refuse("other users can write it")
        content = files.read_if_sound(self._path, LARGEST_BYTES)
        if content is None:
            return self._refuse("it cannot be read")
        try:
            # A name that is not UTF-8 has surrogates, which msgspec's decoder rejects.
            return msgspec.convert(json.loads(content), _ClaudeFile).folders
        except (ValueError, RecursionError):
            return self._refuse("it is broken")

    def _covers(self, trusted: str, real: Path) -> bool:
        above = Path(trusted)
        if above == real:
            return True
        # Otherwise one yes in the home directory would trust every later clone in it.
        return above in real.parents and not home(self._environment).resolve().is_relative_to(above)

    def _locked(self) -> AbstractContextManager[None]:
        return files.locked(self._path.with_suffix(".lock"), WHAT)

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


def _trusted_by_cli(folder: Path, environment: Mapping[str, str]) -> str:
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
    content = files.read_if_sound(path, LARGEST_OF_CLI_BYTES)
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


def shown(folder: str | Path) -> str:
    """Return a folder as one line for the user, with `~` for the home directory."""
    name = below_home(str(Path(folder)), os.environ)
    return "".join(letter if letter.isprintable() else REPLACEMENT for letter in name)


# The messages of `:ClaudeTrust` about a folder.


def state(trust: Trust, folder: str) -> str:
    """Return one line on whether a folder is trusted, and why; the folder, last, may be cut off."""
    verdict = trust.verdict(folder)
    reasons = [f"since {_day(at)} (:ClaudeTrust revoke ends it)" for _, at in verdict.ours[:1]]
    reasons += ["by the CLI's own record"] if verdict.by_cli else []
    if not reasons:
        return f"not trusted, only your own settings are used: {shown(folder)}"
    above = {*(name for name, _ in verdict.ours[:1]), verdict.by_cli} - {
        "",
        str(Path(folder).resolve()),
    }
    part = f" (a part of {', '.join(map(shown, sorted(above)))})" if above else ""
    return f"trusted {' and '.join(reasons)}: {shown(folder)}{part}"


def revoked(trust: Trust, folder: str, removed: list[str]) -> str:
    """Return one line on the trust in a folder after a revocation."""
    verdict = trust.verdict(folder)
    if verdict.by_cli:
        return (
            f"still trusted by the CLI's own record, which only the CLI changes: {verdict.by_cli}"
        )
    names = ", ".join(map(shown, removed))
    return f"no longer trusted: {names}" if removed else f"was not trusted: {shown(folder)}"


def listing(trust: Trust) -> list[str]:
    """Return one line per folder in our record."""
    return [f"{_day(at)}  {shown(name)}" for name, at in trust.folders().items()]


def _day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
