"""How git is run, so that a repository's own configuration starts no program.

An unpacked archive brings its `.git/config`, which git obeys: `core.fsmonitor` is a command.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from claude_ide.program import located

OPTIONS = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
)
"""Options of `git` itself, before its command."""

DIFF = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short")
"""Options of `git diff`. A submodule is read by another git, with the submodule's configuration."""

PASSIVE = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
"""To write the index runs a hook; to fetch what a partial clone lacks runs a command of its own."""

OFFLINE = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none"}

NO_PROGRAMS = {"core.fsmonitor": "false", "log.showSignature": "false"}
FILTER = re.compile(r"filter\..*\.(clean|smudge|process|required)", re.DOTALL)
OWN_SCOPES = ("local", "worktree")
SECONDS = 1.0


def command(*words: str | Path) -> list[str | Path]:
    """Return what runs git with these words. Raises `OSError` if there is no git."""
    return [located("git", os.environ.get("PATH", os.defpath)), *OPTIONS, *words]


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a git of ours."""
    return {**inherited, **PASSIVE, **OFFLINE}


def guarded(inherited: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return an environment in which nothing that a folder's repository names is run by git.

    It is for programs that run git by themselves. The user's own filters, which are not the
    repository's, stay as they are.
    """
    given = {**inherited, **PASSIVE}
    counted = given.get("GIT_CONFIG_COUNT", "")
    count = int(counted) if counted.isdecimal() else 0
    for key, value in {**NO_PROGRAMS, **_filters(folder, inherited)}.items():
        given |= {f"GIT_CONFIG_KEY_{count}": key, f"GIT_CONFIG_VALUE_{count}": value}
        count += 1
    return given | {"GIT_CONFIG_COUNT": str(count)}


def _filters(folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of filters that a repository sets, with the values that they are to have."""
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
