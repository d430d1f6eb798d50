"""The content of a transcript without a conversation: the settings, keys, the latest sessions."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from claude_ide.agents.agent import SessionSummary
from claude_ide.chat.kinds import age_of
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.rows import BLANK, Row, row
from claude_ide.chat.page.sheet import Action, Resume, Sheet, View
from claude_ide.chat.page.text import one_line

WELCOME = "welcome"
MOST_SESSIONS = 3
LONGEST_TITLE = 60
META, KEY = "ClaudeChatMeta", "ClaudeChatKey"
MODES = ("<S-Tab>", "changes the permission mode")
KEYS = (
    ("CTRL-S", "sends the prompt"),
    ("@  /", "complete files and commands"),
    MODES,
    ("CTRL-C", "stops the turn"),
)
ALL_KEYS = row(("  all keys: ", META), ("g?", KEY))
KEY_WIDTH = max(len(key) for key, _ in KEYS)


class Greeting(View):
    """The settings and keys, and a line for each session."""

    def __init__(self, part: Part, settings: str, *, has_modes: bool) -> None:
        super().__init__(part)
        self.settings = settings
        self.has_modes = has_modes
        self.sessions: Sequence[SessionSummary] = ()

    def rows(self) -> list[Row]:
        """Return all lines."""
        shown = [each for each in KEYS if self.has_modes or each != MODES]
        keys = [row((f"  {key:<{KEY_WIDTH}}", KEY), (f"  {what}", META)) for key, what in shown]
        return [
            row((self.settings, "ClaudeChatHeading")),
            BLANK,
            *keys,
            ALL_KEYS,
            *self._resuming(),
        ]

    def _resuming(self) -> list[Row]:
        if not self.sessions:
            return []
        now = datetime.now(UTC)
        heading = row(("<CR>", KEY), (" resumes · all: ", META), (":ClaudeChat list", KEY))
        return [BLANK, heading, *(_session(each, now) for each in self.sessions)]

    def press(self, offset: int) -> Action | None:
        """Resume the session under the cursor."""
        at = offset - (len(self.rows()) - len(self.sessions))
        return Resume(self.sessions[at].id) if 0 <= at < len(self.sessions) else None


def _session(summary: SessionSummary, now: datetime) -> Row:
    title = one_line(summary.title or summary.first_prompt, LONGEST_TITLE)
    return row(("  » ", KEY), (title, ""), (f"  {age_of(summary.changed, now)}", META))


class Welcome:
    """The greeting of one chat, until its conversation begins.

    `has_modes` returns whether the agent has permission modes.
    """

    def __init__(
        self, sheet: Sheet, name: str, has_modes: Callable[[], bool] = lambda: True
    ) -> None:
        self._sheet = sheet
        self._name = name
        self._has_modes = has_modes
        self._view: Greeting | None = None

    def show(self) -> None:
        """Show the greeting, unless there is a conversation."""
        if self._shown is None:
            self._view = self._sheet.show_while_empty(
                WELCOME, lambda part: Greeting(part, self._name, has_modes=self._has_modes())
            )

    def offer(self, sessions: Sequence[SessionSummary]) -> None:
        """Show the latest of these sessions."""
        if view := self._shown:
            view.sessions = sessions[:MOST_SESSIONS]
            self._sheet.changed(view)

    def update(self, *settings: str) -> None:
        """Show the current settings."""
        # Called after every event: nothing is composed once the greeting has gone.
        view = self._shown
        if view is None:
            return
        shown = " · ".join(filter(None, (self._name, *settings)))
        has_modes = self._has_modes()
        if (view.settings, view.has_modes) != (shown, has_modes):
            view.settings, view.has_modes = shown, has_modes
            self._sheet.changed(view)

    @property
    def _shown(self) -> Greeting | None:
        return None if self._view is None or self._view.part.is_removed else self._view
