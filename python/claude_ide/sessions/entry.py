"""A session in the list: its row, and what the editor's own functions tell of it."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from claude_ide.agents.kinds import Stored, age_of
from claude_ide.agents.stream_json.running import RunningSession
from claude_ide.base import git
from claude_ide.base.paths import below_home, within
from claude_ide.editor.port.terminals import Terminal
from claude_ide.ui.listing import Item, item
from claude_ide.ui.page import Row, indented, row
from claude_ide.ui.text import counted, money, one_line

if TYPE_CHECKING:
    from claude_ide.chat.chat import Chat
    from claude_ide.ui.request import RequestView

    Source = Chat | Terminal | RunningSession | Stored

Kind = Literal["terminal", "chat", "background", "elsewhere", "stored"]

META = "ClaudeChatMeta"
WAITS, WORKS, IDLE, ENDED, FAILED = "waits", "works", "idle", "ended", "failed"
GROUPS = {
    WAITS: "ClaudeChatRequest",
    WORKS: "ClaudeChatToolRunning",
    IDLE: "ClaudeChatMode",
    ENDED: META,
    FAILED: "ClaudeChatError",
}
ORDER = (WAITS, WORKS, IDLE)
STATE_WIDTH = 10
AGE_WIDTH = 11
TURNS_WIDTH = 10
COST_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session works: a folder, its worktree, the project of that, and the branch."""

    folder: str
    worktree: str = ""
    project: str = ""
    branch: str = ""

    @classmethod
    def of(cls, folder: str) -> "Place":
        """Return the place of a folder, which may no longer exist."""
        found = git.repository_of(Path(os.path.realpath(folder)))
        branch = git.branch(found.root)
        return cls(folder, str(found.root), str(found.main), branch)


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A session in the list; `id` names it in the editor."""

    id: str
    kind: Kind
    state: str
    source: "Source"
    place: Place
    session: str = ""
    needs: str = ""
    """What it waits for, or why it has failed."""
    name: str = ""
    first_prompt: str = ""
    changed: datetime | None = None
    turns: int | None = None
    cost: float = 0.0
    context: int | None = None
    """The used percentage."""
    agent: str = ""
    shows_agent: bool = False
    """Whether the list has sessions of several agents."""
    files: int = 0
    """How many that it has written wait for review."""
    pid: int = 0
    terminal: str = ""
    """The name of the terminal in which it is open, if there is one."""
    passage: str = ""
    """The line that a search has found."""
    asks: "RequestView | None" = None
    """What it waits for, if that can be answered here."""
    lacks: tuple[str, ...] = ()
    """The keys of the list that do nothing with it."""

    def value(self) -> dict[str, Any]:
        """Return what `sessions()` of the editor tells of it."""
        return {
            "id": self.session or self.id,
            "name": one_line(self.name or self.first_prompt),
            "kind": self.kind,
            "state": self.state,
            "needs": self.needs,
            "folder": self.place.folder,
            "worktree": self.place.worktree,
            "branch": self.place.branch,
            "agent": self.agent,
            "pid": self.pid,
        }

    @property
    def label(self) -> str:
        """It in one line, where it stands among others without headings."""
        name = one_line(self.name or self.first_prompt) or "(empty)"
        place = below_home(self.place.worktree or self.place.folder, os.environ)
        parts = (self.state, name, one_line(self.needs), self._where(), self.agent, place)
        return " · ".join(filter(None, parts))

    def item(self, now: datetime) -> Item:
        """Return its item in the list."""
        rows = [self._row(now)]
        if self.passage:
            rows.append(row((" " * STATE_WIDTH, ""), (one_line(self.passage), "ClaudeChatDetail")))
        if self.asks is not None:
            rows += indented(self.asks.question(), STATE_WIDTH // 2)
        return item(self.id, rows, self.lacks)

    def _row(self, now: datetime) -> Row:
        age = age_of(self.changed, now) if self.changed else ""
        turns = "" if self.turns is None else counted(self.turns, "turn")
        cost = money(self.cost) if self.cost else ""
        figures = f"{age:>{AGE_WIDTH}} {turns:>{TURNS_WIDTH}} {cost:>{COST_WIDTH}}  "
        name = one_line(self.name or self.first_prompt) or "(empty)"
        first = one_line(self.first_prompt)
        chunks = [(f"{self.state:<{STATE_WIDTH}}", GROUPS[self.state]), (figures, META)]
        chunks += [(f"{self.agent}  ", "ClaudeChatMode")] if self.shows_agent else []
        chunks += [(f"{self._where()}  ", "ClaudeChatMode")] if self.kind != "stored" else []
        chunks += [(name, "")]
        chunks += [(f" · {one_line(self.needs)}", GROUPS[self.state])] if self.needs else []
        chunks += [(f" · {first}", META)] if first and first != name else []
        chunks += [(f" · {self.context} % context", META)] if self.context is not None else []
        chunks += [(f" · {_to_review(self.files)}", META)] if self.files else []
        return row(*chunks)

    def _where(self) -> str:
        match self.kind, self.terminal:
            case "terminal", name:
                return f"terminal {name}"
            case "background", name if name:
                return f"background, in terminal {name}"
        return self.kind

    def contains(self, words: Iterable[str]) -> bool:
        """Return whether all of these words are in what is known of it."""
        known = (
            *(self.name, self.first_prompt, self.agent, self.needs, self.kind, self.state),
            *(self.place.folder, self.place.branch),
        )
        named = " ".join(known).casefold()
        return all(word.casefold() in named for word in words)


def ordered(entries: Iterable[SessionEntry], here: str) -> list[SessionEntry]:
    """Return entries by project and worktree, those of `here` and the latest first."""
    found = sorted(entries, key=_urgency)
    first: dict[str, int] = {}
    for number, entry in enumerate(found):
        first.setdefault(entry.place.project, number)
        first.setdefault(entry.place.worktree, number)
    return sorted(
        found,
        key=lambda each: (
            each.place.project != here,
            first[each.place.project],
            each.place.worktree != each.place.project,
            first[each.place.worktree],
        ),
    )


def _urgency(entry: SessionEntry) -> tuple[int, float]:
    rank = ORDER.index(entry.state) if entry.state in ORDER else len(ORDER)
    return rank, -entry.changed.timestamp() if entry.changed else 0.0


def items(
    entries: Iterable[SessionEntry], now: datetime, files: dict[str, int], keys: Iterable[str]
) -> Iterator[Item]:
    """Yield the items of entries in their order, with a heading above each project and worktree.

    `files` has how many wait for review, by worktree.
    """
    project = worktree = None
    for entry in entries:
        place = entry.place
        if place.project != project:
            project, worktree = place.project, None
            if place.worktree != project:
                yield item(
                    "", [row((below_home(project, os.environ), "ClaudeChatHeading"))], [*keys]
                )
        if place.worktree != worktree:
            worktree = place.worktree
            yield item("", [_heading(place, files.get(worktree, 0))], [*keys])
        yield entry.item(now)


def _heading(place: Place, files: int) -> Row:
    is_main = place.worktree == place.project
    shown = place.worktree if is_main else within(place.worktree, place.project)
    name = below_home(shown, os.environ)
    chunks = [(name if is_main else f"  {name}", "ClaudeChatHeading")]
    chunks += [(f"  {one_line(place.branch)}", "ClaudeChatLink")] if place.branch else []
    chunks += [(f"  {_to_review(files)}", META)] if files else []
    return row(*chunks)


def _to_review(files: int) -> str:
    return f"{counted(files, 'file')} to review"


def when(seconds: float) -> datetime | None:
    """Return a time in seconds since the epoch; None if it is none."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (OverflowError, OSError, ValueError):
        return None
