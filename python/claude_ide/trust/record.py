"""The CLI's own record of trusted folders; it is only read, never written.

The rules are those by which CLI 2.1.330 decides whether to ask: the trust in a folder includes its
subfolders, but not other repositories in it.
"""

import unicodedata
from collections.abc import Mapping
from pathlib import Path

import msgspec

from claude_ide import files, repository
from claude_ide.paths import config_folder, home

LARGEST = 64_000_000
"""Bytes of the file; the CLI also stores much other data in it."""


_last: tuple[object, frozenset[str]] = None, frozenset()
"""The stamp of the file when it was read last, and the trusted folders in it."""


class _Project(msgspec.Struct, frozen=True):
    hasTrustDialogAccepted: object = None


class _State(msgspec.Struct, frozen=True):
    projects: dict[str, _Project] = {}


def trusting(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the recorded folder because of which the CLI trusts a real path, or ''."""
    recorded = _recorded(environment)
    found = repository.find(folder)
    candidates = [folder] if found is None else [found.main]
    for above in (folder, *folder.parents):
        candidates.append(above)
        if found is not None and above == found.root:
            break
    return next((str(each) for each in candidates if _spelled(each) in recorded), "")


def _recorded(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the trusted folders; the file is read again only if it has changed."""
    global _last
    path = _path(environment)
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL
        return frozenset()
    stamp = path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    # Several threads may ask.
    last = _last
    if last[0] != stamp:
        last = _last = stamp, _read(path)
    return last[1]


def _read(path: Path) -> frozenset[str]:
    content = files.read_if_sound(path, LARGEST)
    if content is None:
        return frozenset()
    try:
        projects = msgspec.json.decode(content, type=_State).projects
    except (msgspec.DecodeError, RecursionError):
        return frozenset()
    return frozenset(name for name, each in projects.items() if each.hasTrustDialogAccepted is True)


def _path(environment: Mapping[str, str]) -> Path:
    older = config_folder(environment) / ".config.json"
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return older if older.is_file() else Path(configured or home(environment), ".claude.json")


def _spelled(folder: Path) -> str:
    return unicodedata.normalize("NFC", str(folder))
