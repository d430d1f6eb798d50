"""The errors of ACP agents as those of this package."""

import re
from typing import Any

from claude_ide.agents.fields import mapping, text
from claude_ide.errors import (
    METHOD_NOT_FOUND,
    AgentError,
    LoginNeededError,
    RpcError,
    UnknownSessionError,
    UnsupportedError,
)

LOGIN_NEEDED = -32000
UNKNOWN_RESOURCE = -32002
"""Codes that ACP defines; the second is the answer for a session that is unknown."""

NO_SESSION = re.compile(r"session not found|no previous sessions?|unknown session", re.IGNORECASE)
"""Some agents answer with an internal error instead of that code."""

LONGEST = 300


def failed(name: str, error: RpcError) -> AgentError:
    """Return the error of the agent with this name, in one line."""
    reason = f"{name}: {described(error)}"
    match error.code:
        case code if code == LOGIN_NEEDED:
            return LoginNeededError(reason)
        case code if code == UNKNOWN_RESOURCE or NO_SESSION.search(reason):
            return UnknownSessionError(reason)
        case code if code == METHOD_NOT_FOUND:
            return UnsupportedError(reason)
    return AgentError(reason)


def described(error: RpcError) -> str:
    """Return the message of an error with its details, in one line."""
    details = _details(error.data)
    message = error.message or f"error {error.code}"
    both = f"{message}: {details}" if details and details not in message else message
    line = " ".join(both.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _details(data: Any) -> str:
    """Return the text in an error's data, whose form every agent chooses itself."""
    if isinstance(data, str):
        return data
    fields = mapping(data)
    texts = (text(fields.get(key)) for key in ("details", "message", "reason", "error"))
    return next((found for found in texts if found), "")
