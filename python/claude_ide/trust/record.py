"""The CLI's own record of trusted folders; it is only read, never written.

The rules are those by which CLI 2.1.330 decides whether to ask: the trust in a folder includes its
subfolders, but not other repositories in it.
"""

import unicodedata
from collections.abc import Mapping
from pathlib import Path

import msgspec

from claude_ide import files
from claude_ide.paths import config_folder, home
from claude_ide.trust import repository

LARGEST = 64_000_000
"""Bytes of the file; the CLI also stores much other data in it."""


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


def _recorded(environment: Mapping[str, str]) -> set[str]:
    content = files.read_if_sound(_path(environment), LARGEST)
    if content is None:
        return set()
    try:
        projects = msgspec.json.decode(content, type=_State).projects
    except (msgspec.DecodeError, RecursionError):
        return set()
    return {name for name, each in projects.items() if each.hasTrustDialogAccepted is True}


def _path(environment: Mapping[str, str]) -> Path:
    older = config_folder(environment) / ".config.json"
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return older if older.is_file() else Path(configured or home(environment), ".claude.json")


def _spelled(folder: Path) -> str:
    return unicodedata.normalize("NFC", str(folder))
