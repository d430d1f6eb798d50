"""The rows of the list of sessions."""

from dataclasses import dataclass
from datetime import datetime

from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat.listing import Item, item
from claude_ide.chat.page import amounts
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk, Row, row

META = "ClaudeChatMeta"
WAITS = ("waits", "ClaudeChatRequest")
WORKS = ("works", "ClaudeChatToolRunning")
OPEN = ("open", "ClaudeChatMode")
ENDED = ("ended", "ClaudeChatError")
ELSEWHERE = ("elsewhere", "ClaudeChatWarning")
STORED = ("", "")
STATE_WIDTH = 10
AGE_WIDTH = 11
TURNS_WIDTH = 10
COST_WIDTH = 8
MINUTE, HOUR, DAY = 60, 3600, 86400
OLD = 30 * DAY


@dataclass(frozen=True, slots=True)
class Status:
    """A running chat: its title, its state, the number of waiting requests, its cost."""

    title: str
    state: SessionState
    waiting: int = 0
    cost: float = 0.0

    @property
    def word(self) -> Chunk:
        """The state in one word."""
        if self.waiting:
            return WAITS
        if self.state.state is State.DEAD:
            return ENDED
        return WORKS if self.state.busy else OPEN


@dataclass(frozen=True, slots=True)
class Entry:
    """A session in the list; `id` names it in the editor."""

    id: str
    state: Chunk
    title: str
    first_prompt: str = ""
    changed: datetime | None = None
    turns: int | None = None
    cost: float = 0.0
    place: str = ""
    """The folder, if it is another one than the list's."""
    passage: str = ""
    """The line that a search has found."""
    agent: str = ""
    """The agent's name, if the list has sessions of several."""
    lacks: tuple[str, ...] = ()
    """The keys of the list that do nothing with it."""

    def item(self, now: datetime) -> Item:
        """Return its item in the list."""
        rows = [self._row(now)]
        if self.passage:
            rows.append(row((" " * STATE_WIDTH, ""), (one_line(self.passage), "ClaudeChatDetail")))
        return item(self.id, rows, self.lacks)

    def _row(self, now: datetime) -> Row:
        age = age_of(self.changed, now) if self.changed else ""
        turns = "" if self.turns is None else amounts.count(self.turns, "turn")
        cost = amounts.money(self.cost) if self.cost else ""
        figures = f"{age:>{AGE_WIDTH}} {turns:>{TURNS_WIDTH}} {cost:>{COST_WIDTH}}  "
        title = one_line(self.title or self.first_prompt) or "(empty)"
        first = one_line(self.first_prompt)
        chunks = [(f"{self.state[0]:<{STATE_WIDTH}}", self.state[1]), (figures, META)]
        chunks += [(f"{self.agent}  ", "ClaudeChatMode")] if self.agent else []
        chunks += [(title, "")]
        chunks += [(f" · {first}", META)] if first and first != title else []
        chunks += [(f" · {self.place}", "ClaudeChatLink")] if self.place else []
        return row(*chunks)


def age_of(changed: datetime, now: datetime) -> str:
    """Return how long ago a session was changed."""
    seconds = (now - changed).total_seconds()
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h"
    return f"{seconds // DAY:.0f} d" if seconds < OLD else f"{changed.astimezone():%Y-%m-%d}"
