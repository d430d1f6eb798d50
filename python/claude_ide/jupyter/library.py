"""The library that talks to kernels; only users who have code run need it."""

from importlib import import_module
from typing import Any

from claude_ide.errors import ToolError

MISSING = (
    "Code cannot be run: jupyter_client is not installed. The user can install it with "
    ":ClaudeInstall jupyter, and then restart the server with :ClaudeStop and :ClaudeStart"
)


def load(module: str) -> Any:
    """Return a module of the library. Raises `ToolError`, which says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ToolError(MISSING) from None
