"""Repositories: found without git, and read so that their configuration starts no program.

An unpacked archive can contain a `.git/config`, which git obeys: `core.fsmonitor` is a command.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from claude_ide.base import files
from claude_ide.base.errors import UserError
from claude_ide.base.program import locate

OPTIONS = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
)
"""Options of `git` itself, before the subcommand."""

UNTOUCHED = "--ignore-submodules=dirty"
"""Without it, git looks for changes in a submodule with another git, which obeys its filters."""

DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", UNTOUCHED)
"""Options of `git diff`."""

PASSIVE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
"""Writing the index runs a hook; fetching objects missing from a partial clone runs a command."""

OFFLINE = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none"}

NO_PROGRAMS = {
    "core.fsmonitor": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",  # it may run `gc.recentObjectsHook`
}
PROGRAM = re.compile(
    r"filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|alias\..*|hook\..*\.command"
    r"|gpg\.(.*\.)?(program|defaultkeycommand)",
    re.DOTALL,
)
USUAL = {
    "required": "false",
    "driver": "git merge-file --marker-size=%L %A %O %B",
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
}
"""What replaces them where the user has set none, or else nothing: by the key, or its end."""

MODULES = ".gitmodules"
BLOBS = (f"--blob=:{MODULES}",), (f"--blob=HEAD:{MODULES}",)
"""Where git looks for the settings of submodules if that file is missing."""

ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "OBJECT_DIRECTORY", "NAMESPACE"),
        *("ALTERNATE_OBJECT_DIRECTORIES", "PREFIX", "GRAFT_FILE", "SHALLOW_FILE"),
    )
)
"""Variables that lead git into another repository; an editor that git has started has some."""

OWN_SCOPES = ("local", "worktree")
CONFIG_SECONDS = 10.0

BRANCH = re.compile("ref: refs/heads/([^-].*)")
LARGEST_BYTES = 4096
"""The largest file that is read; such files contain only a path."""


def command(*words: str | Path) -> list[str | Path]:
    """Return the command line of git with these arguments. Raises `OSError` if there is no git."""
    return [*users_command(*OPTIONS), *words]


def users_command(*words: str) -> list[str | Path]:
    """Return the same without our options: git then runs the programs of a repository.

    Only the user may ask for that, in a folder that they trust.
    """
    return [locate("git", os.environ.get("PATH", os.defpath)), *words]


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a git that the host runs itself."""
    return {**inherited, **PASSIVE, **OFFLINE}


def in_its_folder(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which git works in the repository of the folder it is run in."""
    return {name: value for name, value in inherited.items() if name not in ELSEWHERE}


def guarded(inherited: Mapping[str, str], *folders: Path) -> dict[str, str]:
    """Return an environment in which git runs no program named by the repository of these folders.

    What looks at files also needs `UNTOUCHED`. What the user's own configuration names stays.
    Raises `UserError` if git does not tell what the repository names.
    """
    found = [_programs(folder, inherited) for folder in dict.fromkeys(folders)]
    return _configured({**inherited, **PASSIVE}, NO_PROGRAMS, *found)


def for_programs(
    inherited: Mapping[str, str], *folders: Path, are_roots: bool = False
) -> dict[str, str]:
    """Return the same for programs that run git themselves, without `UNTOUCHED`.

    With `are_roots`, raise `UserError` if git would work elsewhere, by `core.worktree`.
    """
    given = {"diff.ignoreSubmodules": "dirty"}
    for folder in dict.fromkeys(folders):
        top = _told(folder, inherited, "rev-parse", "--show-toplevel")[0].removesuffix("\n")
        if are_roots and top not in ("", str(folder)):
            raise UserError(f"git would work in {top}: trust {folder} first (:ClaudeTrust)")
        for place in ((), (f"--file={top}/{MODULES}",), *BLOBS):
            names = _told(folder, inherited, "config", *place, "--list", "--name-only", "-z")
            # A submodule's own setting is stronger than the general one.
            modules = {name.rpartition(".")[0] for name in names if name.startswith("submodule.")}
            given |= {f"{module}.ignore": "dirty" for module in modules}
    return _configured(guarded(inherited, *folders), given)


def _configured(given: dict[str, str], *found: Mapping[str, str]) -> dict[str, str]:
    counted = given.get("GIT_CONFIG_COUNT", "")
    count = int(counted) if counted.isdecimal() else 0
    for key, value in chain.from_iterable(each.items() for each in found):
        given |= {f"GIT_CONFIG_KEY_{count}": key, f"GIT_CONFIG_VALUE_{count}": value}
        count += 1
    return given | {"GIT_CONFIG_COUNT": str(count)}


def _programs(folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of programs that a repository sets, each with the value that overrides it."""
    usual, own = dict[str, str](), set[str]()
    fields = _told(folder, inherited, "config", "--list", "--show-scope", "-z")
    for scope, pair in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = pair.partition("\n")
        if not PROGRAM.fullmatch(key):
            continue
        if scope in OWN_SCOPES:
            own.add(key)
        else:
            usual[key] = value
    return {key: usual.get(key) or _usual(key) for key in own}


def _usual(key: str) -> str:
    return USUAL.get(key) or USUAL.get(key.rpartition(".")[2], "")


def _told(folder: Path, inherited: Mapping[str, str], *words: str) -> list[str]:
    """Return what git says, between NULs. Raises `UserError`."""
    try:
        done = subprocess.run(
            command(*words),
            cwd=folder,
            env=environment(inherited),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CONFIG_SECONDS,
        )
    except OSError:
        return [""]
    except subprocess.TimeoutExpired:
        told = f"git has not told its configuration within {CONFIG_SECONDS:.0f} s"
        raise UserError(f"{told}, in {folder}") from None
    return os.fsdecode(done.stdout).split("\0")


class Repository(NamedTuple):
    """A repository's root folder; `main` is the main worktree if `root` is a linked one."""

    root: Path
    main: Path


def find_repository(folder: Path) -> Repository | None:
    """Return the innermost repository of a real path, or None."""
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_dir():
            return Repository(root, root)
        if git.is_file():
            return Repository(root, _main_worktree(git) or root)
    return None


def repository_of(folder: Path) -> Repository:
    """Return the innermost repository of a real path, or else the folder as one."""
    return find_repository(folder) or Repository(folder, folder)


def is_in_other_worktree(path: Path, folder: Path) -> bool:
    """Return whether a file is in another worktree of a folder's repository; both are real."""
    own, there = find_repository(path), find_repository(folder)
    return own is not None and there is not None and are_worktrees_of_one(own, there)


def are_worktrees_of_one(one: Repository, other: Repository) -> bool:
    """Return whether two are different worktrees of one repository.

    It may be a bare one, without a main worktree.
    """
    return one.root != other.root and _data(one.root) == _data(other.root)


def branch(root: Path) -> str:
    """Return the branch of the worktree with this root; empty if it is on none, or has none.

    Git makes none that begins with a dash, and would take its name for an option.
    """
    content = files.read_if_sound(head(root), LARGEST_BYTES) or b""
    found = BRANCH.fullmatch(content.decode("utf-8", "replace").strip())
    return found[1] if found else ""


def head(root: Path) -> Path:
    """Return the file that names the branch of the worktree with this root."""
    git = root / ".git"
    return (_named_in(git, "gitdir:") or git) / "HEAD" if git.is_file() else git / "HEAD"


def worktrees(main: Path) -> list[Path]:
    """Return the linked worktrees of the repository with this root that still exist."""
    found = []
    for listed in sorted((main / ".git" / "worktrees").glob("*/gitdir")):
        git = _named_in(listed)
        if git is not None and git.is_file():
            found.append(git.parent)
    return found


def _main_worktree(git: Path) -> Path | None:
    """Return the main worktree of a linked one, if the repository lists the linked one, too."""
    data = _data(git.parent)
    return data.parent if data != git and data.name == ".git" else None


def _data(root: Path) -> Path:
    """Return the folder of a worktree's repository, if that lists the worktree, or else `.git`."""
    git = root / ".git"
    own = None if git.is_dir() else _named_in(git, "gitdir:")
    # Any folder can claim to be a worktree of a trusted repository.
    if own is None or own.parent.name != "worktrees" or _named_in(own / "gitdir") != git:
        return git
    return own.parent.parent


def _named_in(file: Path, prefix: str = "") -> Path | None:
    content = files.read_if_sound(file, LARGEST_BYTES)
    named = (content or b"").decode("utf-8", "surrogateescape").strip()
    if not named.startswith(prefix) or "\0" in named:
        return None
    path = named.removeprefix(prefix).strip()
    return (file.parent / path).resolve() if path else None
