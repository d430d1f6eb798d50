"""How a CLI learns of our endpoint for its hooks: its options and its environment.

Source: doc/protocol.md, "Hooks".
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.program import locate

TOKEN = "CLAUDE_IDE_HOOKS_TOKEN"
"""The variable with the token: other users can read a command line, but not the environment."""

LAUNCH = "X-Claude-Ide-Launch"
"""The header with the id of the terminal in which the CLI runs."""

PATH = "/hooks"

STATUS_PATH = "/status"
"""Where its status line command sends what the CLI tells it (`send_status.py`)."""

ASKING = "PermissionRequest"
"""The hook that waits for the user; the CLI's own dialog waits at the same time."""

EVENTS = (
    *("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"),
    *("Stop", "StopFailure", "SessionEnd", ASKING),
)

TIMEOUT_SECONDS = 2
"""How long the CLI waits for an answer before it goes on, and says so."""

PATIENT = {ASKING: 86_400}
"""The same for the hook that waits for the user."""

OPTION = "--settings"
OLDEST = (2, 1, 197)
"""The oldest version that was seen to send hooks over HTTP."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
LARGEST_PACKAGE = 100_000


def options(port: int, launch: str, more: Mapping[str, Any]) -> list[str]:
    """Return the options with which a CLI sends its hooks to this port, and has more settings."""
    hook = {
        "type": "http",
        "url": f"http://127.0.0.1:{port}{PATH}",
        "headers": {"Authorization": f"Bearer ${{{TOKEN}}}", LAUNCH: launch},
        "allowedEnvVars": [TOKEN],
    }
    hooks = {event: hook | {"timeout": PATIENT.get(event, TIMEOUT_SECONDS)} for event in EVENTS}
    settings: dict[str, Any] = {
        "hooks": {event: [{"hooks": [each]}] for event, each in hooks.items()}
    }
    return [f"{OPTION}={msgspec.json.encode({**settings, **more}).decode()}"]


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
                described = msgspec.json.decode(package.read_bytes(), type=_Package)
                is_claude = described.name.startswith("@anthropic-ai/claude-code")
                return _numbers(described.version) if is_claude else ()
    except (OSError, RuntimeError, msgspec.DecodeError):
        pass
    return ()


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    return tuple(map(int, found.groups())) if found else ()


class _Package(msgspec.Struct):
    name: str = ""
    version: str = ""
