"""What the editor provides to an agent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from claude_ide.agents.events import Change

McpServer = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""Takes a JSON-RPC message and returns the one that answers it, or None for a notification."""


class Edits(Protocol):
    """Watches the files that tools change; each use of a tool has an id."""

    async def before(self, tool: str, path: str) -> None:
        """Look at a file that a tool is about to change."""

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Return what the model should know of a file that a tool has changed.

        Every tool is reported; one that was not looked at before has changed nothing.
        """

    async def prompted(self) -> str:
        """Return what the model should know by now, as the user writes to it."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """The editor's tools and eyes, for one agent."""

    servers: Mapping[str, McpServer] = field(default_factory=dict)
    reading: tuple[tuple[str, str], ...] = ()
    """The tools that only read, each with its server's name: they run without a request."""
    edits: Edits | None = None
    trusts: Callable[[Path], bool] | None = None
    """Whether the user trusts a folder by now; asked at each start."""
