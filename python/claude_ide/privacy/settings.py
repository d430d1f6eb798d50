"""The `Read(…)` rules under `permissions.deny` in the settings of Claude's CLI.

These are the settings of the administrator, of the user, and of the projects that the working
folders are in. Whoever wrote a project can only deny more by them, so it does not matter whether
it is trusted.
"""

import contextlib
import json
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base.paths import config_folder, exists
from claude_ide.privacy.globs import Pattern, Places, patterns

LARGEST_BYTES = 1_000_000

MOST_RULE_BYTES = 20_000
MOST_WILDCARD_BYTES = 4_000
"""Of all rules in the settings of projects, whose authors may not be trusted: each path is
compared with all rules. One rule has a few dozen bytes."""

TOO_MANY = "has more Read rules than can be checked"
IN_PROJECT = (".claude/settings.json", ".claude/settings.local.json")
RULE = re.compile(r"Read(?:\((.*)\))?", re.DOTALL)
WILDCARD = re.compile(r"[*?\[{\\]")

MANAGED = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
)
"""The folder of the administrator's settings."""

MANAGED_FOLDER = MANAGED / "managed-settings.d"


class SettingsFile(msgspec.Struct, frozen=True):
    """A file of settings.

    `folder` is that to which a rule with `/` at its beginning is relative; `project` is the folder
    in which the other relative rules hold, empty for all.
    """

    path: Path
    folder: str
    project: str = ""


class Denied(msgspec.Struct, frozen=True):
    """A rule as it is written, and the patterns of what it denies; None if it cannot be used."""

    text: str
    patterns: list[Pattern] | None


class Read(msgspec.Struct, frozen=True):
    """The rules of a file; `problem` says why it cannot be used."""

    file: SettingsFile
    rules: list[Denied]
    problem: str = ""


class _Unusable(Exception):
    """A file whose rules are unknown; the text says why."""


def files(working: list[str], environment: Mapping[str, str]) -> list[SettingsFile]:
    """Return the files that may have rules for the working folders."""
    own = config_folder(environment)
    found = [SettingsFile(path, "/") for path in _managed()]
    found.append(SettingsFile(own / "settings.json", str(own)))
    projects = dict.fromkeys(
        project for folder in working for project in _projects_of(Path(folder))
    )
    for project in projects:
        found += (SettingsFile(project / name, str(project), str(project)) for name in IN_PROJECT)
    return found


def stamp(files: list[SettingsFile]) -> list[tuple[Path, tuple[int, ...] | None]]:
    """Return what identifies the contents of the files."""
    # The files in the last one are found only if it exists.
    return [(path, _status(path)) for path in (*(file.path for file in files), MANAGED_FOLDER)]


def read(files: list[SettingsFile], working: list[str]) -> list[Read]:
    """Return what each file says that has rules, or cannot be used."""
    found = []
    cost = _Cost()
    for file in files:
        try:
            rules = list(_rules_of(file, working, cost))
        except _Unusable as problem:
            found.append(Read(file, [], str(problem)))
        else:
            found += [Read(file, rules)] if rules else []
    return found


class _Cost(msgspec.Struct):
    """The bytes of the rules in the settings of projects, and of those that are globs."""

    rule_bytes: int = 0
    wildcard_bytes: int = 0

    def add(self, glob: str) -> None:
        size = len(glob.encode("utf-8", "surrogatepass"))
        self.rule_bytes += size
        self.wildcard_bytes += size if WILDCARD.search(glob) else 0

    @property
    def is_too_high(self) -> bool:
        return self.rule_bytes > MOST_RULE_BYTES or self.wildcard_bytes > MOST_WILDCARD_BYTES


def _managed() -> Iterator[Path]:
    yield MANAGED / "managed-settings.json"
    with contextlib.suppress(OSError):
        yield from sorted(path for path in MANAGED_FOLDER.iterdir() if path.suffix == ".json")


def _projects_of(folder: Path) -> list[Path]:
    """Return a working folder, and those above it up to the root of its repository."""
    chain = [folder, *folder.parents]
    for index, each in enumerate(chain):
        if exists(str(each / ".git")):
            return chain[: index + 1]
    return [folder]


def _status(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def _places(file: SettingsFile, working: list[str]) -> Places:
    """Return where the rules of a file hold. Those of a project hold only in it."""
    if not file.project:
        return Places([file.folder, *working], working, True)
    inner = [folder for folder in working if folder.startswith(file.project + "/")]
    return Places([file.project, *inner], [file.project, *inner], False)


def _glob_of(rule: str) -> str:
    """Return the glob of a rule; empty if the rule is about another tool."""
    found = RULE.fullmatch(rule.strip())
    if found is None:
        return ""
    # These are the CLI's words for every file, wherever it is.
    return "//**" if found[1] in (None, "*", "**") else found[1]


def _rules_of(file: SettingsFile, working: list[str], cost: _Cost) -> Iterator[Denied]:
    """Yield the rules of a file. Raises `_Unusable`."""
    globs = [(rule, _glob_of(rule)) for rule in _denied(_text(file.path))]
    # An exception to another rule cannot be told from one that the CLI would not make.
    kept = [(rule, glob) for rule, glob in globs if glob and not glob.startswith("!")]
    if file.project:
        for _, glob in kept:
            cost.add(glob)
        if cost.is_too_high:
            raise _Unusable(TOO_MANY)
    places = _places(file, working)
    for rule, glob in kept:
        try:
            yield Denied(rule, patterns(glob, places))
        except ValueError:
            yield Denied(rule, None)


def _denied(text: str) -> list[str]:
    """Return the value of `permissions.deny`. Raises `_Unusable`."""
    if not text.strip():
        return []
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise _Unusable("is not a JSON object")
    permissions: Any = given.get("permissions")
    denied: Any = {} if permissions is None else permissions
    denied = denied.get("deny") if isinstance(denied, dict) else denied
    if not isinstance(denied, list | None):
        raise _Unusable("permissions.deny is not a list")
    if not all(isinstance(rule, str) for rule in denied or []):
        raise _Unusable("permissions.deny: a rule is not a string")
    return denied or []


def _text(path: Path) -> str:
    """Return the text of a file; empty if there is none. Raises `_Unusable`."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _Unusable("is not a file")
        if found.st_size > LARGEST_BYTES:
            raise _Unusable("is too large")
        return path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise _Unusable((error.strerror or str(error)).lower()) from None
    except ValueError:  # such as a NUL in the name of a folder
        return ""
