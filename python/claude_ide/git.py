"""How git is run, so that a repository's own configuration starts no program.

An unpacked archive brings its `.git/config`, which git obeys: `core.fsmonitor` is a command.
"""

from collections.abc import Mapping

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

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone would fetch what it lacks, by a command of its own choice.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a git of ours."""
    return {**inherited, **_ENVIRONMENT}


def without_fsmonitor(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which no git, whoever starts it, runs `core.fsmonitor`."""
    counted = inherited.get("GIT_CONFIG_COUNT", "")
    count = int(counted) if counted.isdecimal() else 0
    return {
        **inherited,
        "GIT_CONFIG_COUNT": str(count + 1),
        f"GIT_CONFIG_KEY_{count}": "core.fsmonitor",
        f"GIT_CONFIG_VALUE_{count}": "false",
    }
