"""One client of the server, as the tools see it: who asks, and what is open on its behalf."""

import asyncio
import time

import msgspec

from claude_ide.config import Config
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.mcp.baseline import Baseline


class Client(msgspec.Struct, eq=False):
    """A connected agent. `pid` is what `ide_connected` told; `since` is `time.time()`.

    `informed` is whether it is sent what changes; `listening`, whether it is known to hear that,
    see `Ide._welcome`.
    """

    editor: Editor
    config: Config
    name: str = "unknown"
    version: str = ""
    title: str = ""
    pid: int | None = None
    since: float = msgspec.field(default_factory=time.time)
    last_active: float = msgspec.field(default_factory=time.monotonic)
    initialized: bool = False
    listed_tools: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    informed: bool = False
    listening: bool = False
    responsive: bool = True
    diffs: list[Diff] = msgspec.field(default_factory=list)
    baseline: Baseline = msgspec.field(default_factory=Baseline)

    def act(self) -> None:
        """Take note that it does something of its own; the answer to a ping is nothing of that."""
        self.last_active = time.monotonic()

    def describe(self) -> dict[str, object]:
        """Return what `:ClaudeStatus` shows of this client."""
        return {
            "name": self.title or self.name,
            "version": self.version,
            "pid": self.pid or 0,
            "since": self.since,
            "responsive": self.responsive,
            "diffs": [diff.path for diff in self.diffs],
        }
