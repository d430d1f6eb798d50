"""The options with which a CLI reports to us what it does, by its hooks and its status line.

Source: doc/protocol.md, "Hooks".
"""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.agents.fields import mapping, mappings, parsed, text
from claude_ide.agents.stream_json.notices import BESIDE
from claude_ide.agents.stream_json.protocol import SETTING_SOURCES
from claude_ide.agents.stream_json.tools import NOTIFICATION, kind_of, path_in
from claude_ide.base import folder_settings
from claude_ide.base.paths import normalized
from claude_ide.base.program import locate
from claude_ide.base.trust import Trust
from claude_ide.hooks import FOR_OTHERS, report

ASKING = "PermissionRequest"
"""The hook that waits for the user; the CLI's own dialog waits at the same time."""

PROMPTED = "UserPromptSubmit"
IDLE = ("Stop", "StopFailure", "SessionEnd")
"""Hooks after which a CLI does nothing; before all others, and after them, it works."""

ENDS = (PROMPTED, *IDLE)
"""Hooks after which an agent waits for no permission; its subagents may run in the background."""
TOOL_ENDS = ("PostToolUse", "PostToolUseFailure", "PermissionDenied")

EVENTS = ("PreToolUse", ASKING, *TOOL_ENDS, *ENDS, *BESIDE)

TIMEOUT_SECONDS = 10
"""After which the CLI says that a hook has failed; ours ends sooner (`report.LIMIT_SECONDS`)."""

ASKING_SECONDS = 86_400
"""The same for the hook that waits for the user."""

SCRIPT = Path(report.__file__)

OPTION = "--settings"
OLDEST = (2, 1, 197)
"""The oldest version that was tried."""

_LAUNCH = re.compile(r"[0-9a-f]{8}")
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
LARGEST_PACKAGE = 100_000


def options(link: Path, more: Mapping[str, Any]) -> list[str]:
    """Return the options with which a CLI reports to whom this link leads, and more settings."""
    settings = {"hooks": {event: [{"hooks": [_hook(link, event)]}] for event in EVENTS}}
    return [f"{OPTION}={msgspec.json.encode({**settings, **more}).decode()}"]


def link_in(settings: str) -> Path | None:
    """Return the link in settings of ours; None if they are not, or others can change the link."""
    try:
        stop = mappings(mapping(parsed(settings).get("hooks")).get("Stop"))[0]
        command = text(mappings(stop.get("hooks"))[0].get("command"))
        *_, script, path, _kind, _errors = shlex.split(command)
        link = Path(path if Path(script).name == SCRIPT.name else "")
        found = link.parent.stat()
    except (LookupError, ValueError, OSError):
        return None
    is_owners = found.st_uid == os.getuid() and not found.st_mode & FOR_OTHERS
    return link if is_owners and _LAUNCH.fullmatch(link.name) else None


def command(link: Path, kind: str) -> str:
    """Return the command line of `report.py` for a shell, which it replaces."""
    python, script = shlex.quote(sys.executable), shlex.quote(str(SCRIPT))
    # An update may have removed it, and Python would then block the tool: it exits with 2.
    is_there = f"[ -x {python} ] && [ -f {script} ] || exit 0"
    return f"{is_there}; exec {python} -I -S {script} {shlex.quote(str(link))} {kind} 2>/dev/null"


def _hook(link: Path, event: str) -> dict[str, Any]:
    if event == ASKING:
        kind, seconds = report.ASK, ASKING_SECONDS
    else:
        kind = report.END if event in ENDS + TOOL_ENDS else report.BEGIN
        seconds = TIMEOUT_SECONDS
    return {"type": "command", "command": command(link, kind), "timeout": seconds}


def obstacle(words: Iterable[str], path: str) -> str:
    """Return why a command line gets no hooks; empty if it does. `path` is that of programs."""
    program, *arguments = words
    if any(word.partition("=")[0] == OPTION for word in arguments):
        # The CLI follows the last of several.
        return f"the command line has its own {OPTION}"
    found = version(program, path)
    if found and found < OLDEST:
        return f"Claude Code {'.'.join(map(str, found))} is too old"
    return ""


NAME_OPTIONS = ("--name", "-n")


def naming(name: str, words: Sequence[str], path: str) -> list[str]:
    """Return the option that gives a session a name; none if the command line `words` has one.

    `path` is that of programs.
    """
    is_named = any(word.partition("=")[0] in NAME_OPTIONS for word in words[1:])
    if not name or is_named or () < version(words[0], path) < OLDEST:
        return []
    return [f"{NAME_OPTIONS[0]}={name}"]


def version(program: str, path: str) -> tuple[int, ...]:
    """Return the version of a CLI, as its installer names it; empty if that is unknown.

    The installer puts each version into a file of that name; a package names it in its description.
    """
    try:
        real = Path(locate(program, path)).resolve()
        if real.parent.name == "versions":
            return _numbers(real.name)
        for folder in real.parents[:3]:
            package = folder / "package.json"
            if package.is_file() and package.stat().st_size <= LARGEST_PACKAGE:
                described = parsed(package.read_bytes())
                is_claude = text(described.get("name")).startswith("@anthropic-ai/claude-code")
                return _numbers(text(described.get("version"))) if is_claude else ()
    except (OSError, RuntimeError):
        pass
    return ()


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    return tuple(map(int, found.groups())) if found else ()


STATUS_LINE = "statusLine"
OWN_STATUS_LINE = "CLAUDE_IDE_STATUS_LINE"
"""The variable with the user's own command: other users can read a command line."""


def own_status_line(words: Iterable[str], folder: str, trust: Trust) -> str | None:
    """Return the user's own command for a CLI in a folder, which may be in the folder's settings.

    It is empty if there is none, and None if the CLI has to decide: whether it trusts the folder,
    or which settings count.
    """
    if any(word.partition("=")[0] == SETTING_SOURCES for word in words):
        return None
    commands = [_given(given) for _, given in folder_settings.settings(folder)]
    of_folder = next(filter(None, reversed(commands)), "")
    if of_folder:
        return of_folder if trust.is_trusted(folder) else None
    return _given(folder_settings.read(trust.config / "settings.json"))


def status_line(link: Path, own: str | None, *, has_row: bool) -> dict[str, Any]:
    """Return the settings for a CLI with a link, whose user has a command of their own, or none.

    With `has_row` it shows a row of ours if there is none. They are empty if it should show what it
    does without us.
    """
    if own is None or not (own or has_row):
        return {}
    send = command(link, report.ROW)
    if own:
        # The user's own command must neither wait for ours nor end with it.
        given = "printf '%s\\n' \"$claude_ide_given\""
        send = f"{{ {command(link, report.STATUS)}; }} >/dev/null"
        send = f'claude_ide_given=$(cat); {given} | {send} & {given} | eval "${OWN_STATUS_LINE}"'
    return {STATUS_LINE: {"type": "command", "command": send}}


def status_line_environment(own: str | None) -> dict[str, str]:
    """Return the variables that the command needs."""
    return {OWN_STATUS_LINE: own} if own else {}


def _given(given: Mapping[str, Any] | None) -> str:
    line = (given or {}).get(STATUS_LINE)
    found = line.get("command") if isinstance(line, dict) else None
    return found if isinstance(found, str) and "\0" not in found else ""


AGENT = "Claude"


class Hook(msgspec.Struct, frozen=True):
    """The body of a hook's request; each event has some of the fields."""

    hook_event_name: str
    session_id: str
    cwd: str = ""
    transcript_path: str = ""
    prompt: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    tool_input: Any = None
    tool_response: Any = None
    is_interrupt: bool = False
    permission_suggestions: Any = None
    agent_id: str = ""
    """The subagent that uses the tool; empty for the agent itself."""
    agent_type: str = ""
    prompt_id: str = ""
    message: Any = None
    title: Any = None
    notification_type: Any = None
    reason: Any = None
    last_assistant_message: Any = None
    trigger: Any = None
    custom_instructions: Any = None

    @property
    def is_from_cli(self) -> bool:
        """Whether a prompt is none of the user's: the CLI tells its model what a task has done."""
        return self.prompt.startswith(NOTIFICATION)

    @property
    def accessed(self) -> str:
        """The file that a tool has read or written, which the user has allowed; or ""."""
        is_access = kind_of(self.tool_name) in ("read", "edit")
        if self.hook_event_name != "PostToolUse" or not is_access:
            return ""
        path = path_in(mapping(self.tool_input))
        return normalized(path) if path.startswith("/") else ""

    @property
    def edited(self) -> str:
        """The file that an editing tool writes, or ""."""
        path = path_in(mapping(self.tool_input)) if kind_of(self.tool_name) == "edit" else ""
        return normalized(path) if path.startswith("/") else ""
