"""The content of a transcript without a conversation: the settings, keys, the latest sessions."""

from collections.abc import Sequence
from datetime import UTC, datetime

from claude_ide.agents.agent import NewSession, Opening, SessionSummary
from claude_ide.agents.events import Event
from claude_ide.agents.kinds import age_of
from claude_ide.chat.bar import Bar
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.settings import Settings
from claude_ide.ui.page import BLANK, KEY, META, Part, Row, row
from claude_ide.ui.sheet import Action, Resume, View
from claude_ide.ui.text import one_line

WELCOME = "welcome"
MOST_SESSIONS = 3
LONGEST_TITLE = 60
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
        at = offset - (len(self.rows()) - len(self.sessions))
        return Resume(self.sessions[at].id) if 0 <= at < len(self.sessions) else None


def _session(summary: SessionSummary, now: datetime) -> Row:
    title = one_line(summary.title or summary.first_prompt, LONGEST_TITLE)
    return row(("  » ", KEY), (title, ""), (f"  {age_of(summary.changed, now)}", META))


class Welcome(ChatPart):
    """The greeting of one chat, until its conversation begins."""

    def __init__(self, chat: ChatContext, bar: Bar, settings: Settings) -> None:
        super().__init__(chat)
        self._bar = bar
        self._settings = settings
        self._view: Greeting | None = None

    async def prepare(self, opening: Opening) -> None:
        if isinstance(opening, NewSession):
            self.show()

    def show(self) -> None:
        """Show the greeting, unless there is a conversation."""
        if self._shown is None:
            self._view = self._chat.sheet.show_while_empty(
                WELCOME,
                lambda part: Greeting(part, self._chat.name, has_modes=self._chat.has("modes")),
            )

    def offer(self, sessions: Sequence[SessionSummary]) -> None:
        """Show the latest of these sessions."""
        if view := self._shown:
            view.sessions = sessions[:MOST_SESSIONS]
            self._chat.sheet.changed(view)

    def apply(self, event: Event) -> None:
        # Nothing is composed once the greeting has gone.
        if self._shown is not None:
            models = self._settings.offered.models
            model = self._bar.model or (models[0].name if models else "")
            self.update(model, self._bar.mode_name)

    def update(self, *settings: str) -> None:
        """Show the current settings."""
        view = self._shown
        if view is None:
            return
        shown = " · ".join(filter(None, (self._chat.name, *settings)))
        has_modes = self._chat.has("modes")
        if (view.settings, view.has_modes) != (shown, has_modes):
            view.settings, view.has_modes = shown, has_modes
            self._chat.sheet.changed(view)

    @property
    def _shown(self) -> Greeting | None:
        return None if self._view is None or self._view.part.is_removed else self._view
