"""The status line command that we give a CLI: it reports to us, and then runs the user's own.

The CLI runs only one such command, that of `--settings` before those of all settings files.
Source: doc/protocol.md, "Hooks".
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from claude_ide.hooks import registration, report
from claude_ide.trust import folder_settings
from claude_ide.trust.trust import Trust

SETTING = "statusLine"
OWN = "CLAUDE_IDE_STATUS_LINE"
"""The variable with the user's own command: other users can read a command line."""

SOURCES = "--setting-sources"

NEWEST_WITHOUT_ROW = (2, 1, 197)
"""The newest version that was seen to show no empty row for a command without output."""


def own(words: Iterable[str], folder: str, trust: Trust) -> str | None:
    """Return the user's own command for a CLI in a folder, which may be in the folder's settings.

    It is empty if there is none, and None if the CLI has to decide: whether it trusts the folder,
    or which settings count.
    """
    if any(word.partition("=")[0] == SOURCES for word in words):
        return None
    commands = [_command(given) for _, given in folder_settings.settings(folder)]
    of_folder = next(filter(None, reversed(commands)), "")
    if of_folder:
        return of_folder if trust.is_trusted(folder) else None
    return _command(folder_settings.read(trust.config / "settings.json"))


def setting(link: Path, own: str | None, version: tuple[int, ...]) -> dict[str, Any]:
    """Return the settings for a CLI with a link, of a version; `()` is an unknown one.

    They are empty if the CLI would show anything else than before.
    """
    if own is None or (not own and not () < version <= NEWEST_WITHOUT_ROW):
        return {}
    send = f"{{ {registration.command(link, report.STATUS)}; }} >/dev/null"
    if own:
        # The user's own command must neither wait for ours nor end with it.
        given = "printf '%s\\n' \"$claude_ide_given\""
        send = f'claude_ide_given=$(cat); {given} | {send} & {given} | eval "${OWN}"'
    return {SETTING: {"type": "command", "command": send}}


def environment(own: str | None) -> dict[str, str]:
    """Return the variables that the command needs."""
    return {OWN: own} if own else {}


def _command(given: Mapping[str, Any] | None) -> str:
    line = (given or {}).get(SETTING)
    command = line.get("command") if isinstance(line, dict) else None
    return command if isinstance(command, str) and "\0" not in command else ""
