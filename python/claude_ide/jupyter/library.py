"""The library that talks to kernels; only users who have code run need it."""

import asyncio
from importlib import import_module
from typing import Any

from claude_ide.errors import ToolError

MISSING = (
    "Code cannot be run: jupyter_client is not installed. The user can install it with "
    ":ClaudeInstall jupyter, and then restart the server with :ClaudeStop and :ClaudeStart"
)

MODULES = (
    "jupyter_client.asynchronous.client",
    "jupyter_client.connect",
    "jupyter_client.kernelspec",
    "jupyter_core.paths",
)
"""Those that are used; importing the first takes a third of a second."""


async def prepare() -> None:
    """Import the library in a thread. Raises `ToolError`, which says how to install it."""
    for module in MODULES:
        await asyncio.to_thread(load, module)


def load(module: str) -> Any:
    """Return a module of the library. Raises `ToolError`, which says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ToolError(MISSING) from None
