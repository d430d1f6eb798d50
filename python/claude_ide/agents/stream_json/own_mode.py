"""The permission mode that the user, or the machine's administrator, has set for the CLI.

A folder's settings do not count: they belong to whoever wrote the folder.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from claude_ide.base import files
from claude_ide.base.paths import config_folder

LARGEST_BYTES = 1_000_000

MANAGED = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
)
"""The administrator's folder; the CLI prefers its settings to those of the user."""

MANUAL, DEFAULT = "manual", "default"
"""The mode that asks before each edit: as the CLI shows it, and as its options name it."""

OPTION = "--permission-mode"

MODES = (MANUAL, "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")
"""The modes of all versions so far; some depend on the user's account or options."""


class _Permissions(msgspec.Struct):
    defaultMode: str = ""


class _Settings(msgspec.Struct):
    permissions: _Permissions = msgspec.field(default_factory=_Permissions)


def own_mode(environment: Mapping[str, str], managed: Path = MANAGED) -> str:
    """Return the mode in the settings; empty if there is none."""
    return next(filter(None, map(_mode_in, _settings(environment, managed))), "")


def terminal_options(
    environment: Mapping[str, str], words: Iterable[str], mode: str, managed: Path = MANAGED
) -> list[str]:
    """Return the options that start a CLI in a terminal in this mode.

    There are none if the command line `words` or the settings name a mode, or `mode` is empty.
    """
    is_named = any(word.startswith("-") and "permission" in word for word in words)
    if not mode or is_named or own_mode(environment, managed):
        return []
    return [OPTION, given(mode)]


def given_words(words: Iterable[str]) -> Iterator[str]:
    """Yield a command line in which the mode has the name that every version accepts."""
    before = ""
    for word in words:
        option, _, value = word.partition("=")
        if before == OPTION:
            yield given(word)
        else:
            yield f"{option}={given(value)}" if option == OPTION and value else word
        before = word


def given(mode: str) -> str:
    """Return a mode as the CLI's options and protocol name it."""
    return DEFAULT if mode == MANUAL else mode


def shown(mode: str) -> str:
    """Return a mode as the CLI shows it to the user."""
    return MANUAL if mode == DEFAULT else mode


def _settings(environment: Mapping[str, str], managed: Path) -> Iterator[Path]:
    # Of several files in the folder, the last one counts.
    yield from sorted((managed / "managed-settings.d").glob("*.json"), reverse=True)
    yield managed / "managed-settings.json"
    yield config_folder(environment) / "settings.json"


def _mode_in(path: Path) -> str:
    content = files.read_if_sound(path, LARGEST_BYTES)
    try:
        return msgspec.json.decode(content or b"{}", type=_Settings).permissions.defaultMode
    except (msgspec.DecodeError, RecursionError):
        return ""
