"""The editor's services for an agent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from claude_ide.agents.events import Change

McpServer = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""Handles a JSON-RPC message; returns the response, or None for a notification."""


class Edits(Protocol):
    """Watches the files that tools change; `tool` is the id of one use of a tool."""

    async def before(self, tool: str, path: str) -> None:
        """Examine a file that a tool is about to change."""

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Return a note for the model on a file that a tool has changed, or "".

        It is called after every tool; a tool without a call of `before` has changed no file.
        """

    async def prompted(self) -> str:
        """Return a note for the model, or ""; called when the user sends a prompt."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The tools and observers that the editor gives to one agent."""

    servers: Mapping[str, McpServer] = field(default_factory=dict)
    reading: tuple[tuple[str, str], ...] = ()
    """Server and name of each tool that only reads; these run without a request."""
    edits: Edits | None = None
    trusts: Callable[[Path], bool] | None = None
    """Returns whether the user trusts a folder; called at each start."""
