"""The tasks in the background of a chat, as rows of a list."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from claude_ide.agents.events import Dead, Event, Task, TaskChanged, TaskState
from claude_ide.chat.page import amounts
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Row, row
from claude_ide.chat.transcript import progress

MOST_ENDED = 20
"""How many tasks that have ended remain in the list."""

LONGEST_TITLE = 40
META = "ClaudeChatMeta"
SIGNS = {
    TaskState.RUNNING: ("▶", "ClaudeChatToolRunning"),
    TaskState.COMPLETED: ("✓", "ClaudeChatTool"),
    TaskState.FAILED: ("✗", "ClaudeChatToolFailed"),
    TaskState.STOPPED: ("⊘", "ClaudeChatToolRejected"),
}


@dataclass
class Entry:
    """A task, and when it began and ended."""

    task: Task
    began: float
    ended: float | None = None

    def age(self, now: float) -> str:
        """Return how long it has run, in whole seconds: the list is drawn again every second."""
        return amounts.seconds(int((now if self.ended is None else self.ended) - self.began))


class Tasks:
    """The tasks by their ids, in the order in which they began."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[str, Entry] = {}

    @property
    def running(self) -> int:
        """The number of tasks that run in the background."""
        return sum(entry.task.runs_in_background for entry in self._entries.values())

    @property
    def in_foreground(self) -> list[Task]:
        """The commands for which the agent waits, as far as they are tasks."""
        tasks = (entry.task for entry in self._entries.values() if entry.ended is None)
        return [task for task in tasks if task.tool and not (task.in_background or task.is_agent)]

    def apply(self, event: Event) -> None:
        """Apply an event; most have no effect."""
        match event:
            case TaskChanged(task):
                self._change(task)
            case Dead():
                for entry in list(self._entries.values()):
                    if entry.ended is None:
                        self._change(replace(entry.task, state=TaskState.STOPPED))

    def find(self, id_: str) -> Task | None:
        """Return a task by its id."""
        entry = self._entries.get(id_)
        return entry.task if entry else None

    def of_tool(self, tool: str) -> Task | None:
        """Return the task that a use of a tool has started."""
        entries = reversed(self._entries.values())
        return next((entry.task for entry in entries if entry.task.tool == tool), None)

    def rows(self) -> list[tuple[str, Row]]:
        """Return the ids and the rows of a list: those that run first, then the latest."""
        entries = [entry for entry in self._entries.values() if entry.task.in_background]
        entries.sort(key=lambda entry: (entry.ended is not None, -(entry.ended or 0)))
        now = self._clock()
        titles = [one_line(entry.task.title or entry.task.id, LONGEST_TITLE) for entry in entries]
        ages = [entry.age(now) for entry in entries]
        title_width, age_width = (max(map(len, texts), default=0) for texts in (titles, ages))
        return [
            (entry.task.id, _row(entry.task, title.ljust(title_width), age.rjust(age_width)))
            for entry, title, age in zip(entries, titles, ages, strict=True)
        ]

    def _change(self, task: Task) -> None:
        entry = self._entries.setdefault(task.id, Entry(task, self._clock()))
        entry.task = task
        if task.state is TaskState.RUNNING:
            entry.ended = None
        elif entry.ended is None:
            entry.ended = self._clock()
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        ended = [id_ for id_, entry in self._entries.items() if entry.ended is not None]
        for id_ in ended[:-MOST_ENDED]:
            del self._entries[id_]


def _row(task: Task, title: str, age: str) -> Row:
    sign, group = SIGNS[task.state]
    measures = progress.measures(replace(task, in_background=False))
    details = [progress.outcome(task), *measures, task.kind]
    return row(
        (" ", ""),
        (f"{sign} ", group),
        (title, "ClaudeChatDetail" if task.state is not TaskState.RUNNING else ""),
        (f"  {age}  ", META),
        (" · ".join(filter(None, details)), META),
        (" ", ""),
    )
