"""How to run git so that a repository's own configuration starts no program.

An unpacked archive can contain a `.git/config`, which git obeys: `core.fsmonitor` is a command.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from claude_ide.program import locate

OPTIONS = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
)
"""Options of `git` itself, before the subcommand."""

DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short")
"""Options of `git diff`. For a submodule git starts another git, which obeys its configuration."""

PASSIVE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
"""Writing the index runs a hook; fetching objects missing from a partial clone runs a command."""

OFFLINE = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none"}

NO_PROGRAMS = {"core.fsmonitor": "false", "log.showSignature": "false"}
FILTER = re.compile(r"filter\..*\.(clean|smudge|process|required)", re.DOTALL)
OWN_SCOPES = ("local", "worktree")
SECONDS = 1.0


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


def guarded(inherited: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return an environment in which git runs no program named by a folder's repository.

    It is for programs that run git themselves. Filters from the user's own configuration stay.
    """
    given = {**inherited, **PASSIVE}
    counted = given.get("GIT_CONFIG_COUNT", "")
    count = int(counted) if counted.isdecimal() else 0
    for key, value in {**NO_PROGRAMS, **_filters(folder, inherited)}.items():
        given |= {f"GIT_CONFIG_KEY_{count}": key, f"GIT_CONFIG_VALUE_{count}": value}
        count += 1
    return given | {"GIT_CONFIG_COUNT": str(count)}


def _filters(folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the filter keys that a repository sets, each with the value that overrides it."""
    try:
        done = subprocess.run(
            command("config", "--list", "--show-scope", "-z"),
            cwd=folder,
            env=environment(inherited),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    usual, own = dict[str, str](), set[str]()
    fields = os.fsdecode(done.stdout).split("\0")
    for scope, pair in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = pair.partition("\n")
        if not FILTER.fullmatch(key):
            continue
        if scope in OWN_SCOPES:
            own.add(key)
        else:
            usual[key] = value
    return {key: usual.get(key, "false" if key.endswith("required") else "") for key in own}
