"""Reports an agent that does not answer after its start, in the transcript and in the log."""

import asyncio
import logging
from collections.abc import Callable

from claude_ide.chat.page.rows import row
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.transcript.notices import Announcement

logger = logging.getLogger(__name__)

KIND = "late"
SECONDS = 15.0
"""How long an agent may take to answer before the transcript says so."""


class Patience:
    """Waits for one agent of this name; `changed` is called when the sheet has changed."""

    def __init__(self, sheet: Sheet, name: str, changed: Callable[[], None]) -> None:
        self._sheet = sheet
        self._name = name
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None
        self._shown: Announcement | None = None

    @property
    def is_over(self) -> bool:
        """Whether the agent should have answered by now."""
        return self._shown is not None

    def begin(self) -> None:
        """Start to wait: the agent is being started."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(SECONDS, self._report)

    def end(self) -> None:
        """Stop waiting, and remove the report."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._shown is not None:
            self._sheet.remove(self._shown)
            self._shown = None

    def _report(self) -> None:
        self._timer = None
        logger.warning("%s has not answered within %d s of its start", self._name, SECONDS)
        line = row(
            (f"{self._name} has not answered yet", "ClaudeChatWarning"),
            (" (:ClaudeLog) · ", "ClaudeChatMeta"),
            ("R", "ClaudeChatKey"),
            (" restarts it", "ClaudeChatMeta"),
        )
        self._shown = self._sheet.add(KIND, lambda part: Announcement(part, [line]))
        self._changed()
