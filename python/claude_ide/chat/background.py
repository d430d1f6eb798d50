"""The tasks in the background of one chat: counted, listed, read, stopped; tools moved there."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from claude_ide.agents.agent import TaskOutput
from claude_ide.agents.events import Dead, Event, Task, TaskChanged, TaskState, ToolOutput
from claude_ide.base.errors import AgentError, EditorError, TransportClosed, UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand
from claude_ide.chat.life import Life
from claude_ide.chat.transcript.tool import task_measures, task_outcome
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.ui.listing import Listing, item
from claude_ide.ui.page import DETAIL, META, Row, row
from claude_ide.ui.text import as_printed, counted, elapsed, one_line

MOST_ENDED = 20
"""How many tasks that have ended remain in the list."""

LONGEST_TITLE = 40
SIGNS = {
    TaskState.RUNNING: ("▶", "ClaudeChatToolRunning"),
    TaskState.COMPLETED: ("✓", "ClaudeChatTool"),
    TaskState.FAILED: ("✗", "ClaudeChatToolFailed"),
    TaskState.STOPPED: ("⊘", "ClaudeChatToolRejected"),
}


@dataclass
class ListedTask:
    """A task, and when it began and ended."""

    task: Task
    began: float
    ended: float | None = None

    def age(self, now: float) -> str:
        """Return how long it has run, in whole seconds: the list is drawn again every second."""
        return elapsed(int((now if self.ended is None else self.ended) - self.began))


class KnownTasks:
    """The tasks by their ids, in the order in which they began."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[str, ListedTask] = {}

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
        entry = self._entries.setdefault(task.id, ListedTask(task, self._clock()))
        entry.task = task
        if task.state is TaskState.RUNNING:
            entry.ended = None
        elif entry.ended is None:
            entry.ended = self._clock()
            ended = [id_ for id_, entry in self._entries.items() if entry.ended is not None]
            for id_ in ended[:-MOST_ENDED]:
                del self._entries[id_]


def _row(task: Task, title: str, age: str) -> Row:
    sign, group = SIGNS[task.state]
    measures = task_measures(replace(task, in_background=False))
    details = [task_outcome(task), *measures, task.kind]
    return row(
        (" ", ""),
        (f"{sign} ", group),
        (title, DETAIL if task.state is not TaskState.RUNNING else ""),
        (f"  {age}  ", META),
        (" · ".join(filter(None, details)), META),
        (" ", ""),
    )


TICK_SECONDS = 1.0

NAME, TITLE, FILETYPE = "tasks", "Tasks", "claude-tasks"
KEYS = (
    ("<CR>", "output", "Show the task's output", "task-output"),
    ("x", "stop", "Stop the task", "stop-task"),
)


class TaskList(ChatPart):
    """The tasks of one chat. The list is drawn again only while the user sees it."""

    def __init__(self, chat: ChatContext, life: Life) -> None:
        super().__init__(chat)
        self._life = life
        self._tasks = KnownTasks()
        self._wanted: set[str] = set()
        """Tool uses that the user wants to move as soon as the agent can."""
        self._asked: set[str] = set()
        """The tasks whose output the agent was asked for, until it answers. It is not asked again
        about one for which it has refused."""
        self.list_name = f"{NAME} {chat.id}"
        look: dict[str, Any] = {"filetype": FILETYPE, "closing": ("q", "<Esc>")}
        self._listing = Listing(self.list_name, KEYS, self._editor.port, chat.run, **look)
        self._has_ended = False

    def apply(self, event: Event) -> None:
        """Count the tasks, and draw their list again."""
        if not isinstance(event, TaskChanged | Dead):
            return
        self._tasks.apply(event)
        if isinstance(event, TaskChanged) and event.task.tool in self._wanted:
            self._wanted.discard(event.task.tool)
            if not event.task.in_background:
                self._chat.run(self._agent.background(event.task.tool))
        if (running := self._tasks.running) != self._chat.tasks:
            self._chat.tasks = running
            self._chat.run(self._panel.update({"tasks": running}))
        if self._listing.is_open:
            self._chat.run(self._draw())

    def tick(self) -> None:
        """Show the outputs so far of the commands for which the agent waits."""
        for task in self._tasks.in_foreground:
            if task.id not in self._asked and self._transcript.awaits(task.tool):
                self._asked.add(task.id)
                self._chat.run(self._report(task))

    def close(self) -> None:
        self._has_ended = True
        self._listing.end()

    async def _report(self, task: Task) -> None:
        with contextlib.suppress(AgentError, TransportClosed):
            output = await self._agent.task_output(task.id)
            self._asked.discard(task.id)
            if self._transcript.awaits(task.tool):
                text = shown(output) if output.text else ""
                self._transcript.apply(ToolOutput(task.tool, text, replaces=True))

    # The user's actions.

    @subcommand("tasks")
    async def show(self) -> None:
        """Show the list of tasks."""
        await self._life.started("tasks")
        if not self._tasks.rows():
            raise UserError(f"{self._agent.name} runs nothing in the background")
        await self._listing.open(TITLE, self._draw)

    async def press(self, key: str, id_: str) -> None:
        """Handle a key of the list on a task, or its end."""
        if key == "closed":
            self._listing.end()
        elif key == "x":
            await self.stop(id_)
        else:
            await self._listing.close()
            await self.show_output(id_)

    async def show_output(self, id_: str) -> None:
        """Show the end of a command's output, or the work of a subagent, until the task ends."""
        task = self._tasks.find(id_)
        if task is None:
            raise UserError("this task is no longer known")
        text = await self._output(task)
        look = (f"{task.title}.md", text, "markdown") if task.is_agent else (task.title, text)
        buffer = await self._editor.port.windows.show_text(self._agent.name, *look)
        await self._editor.port.windows.replace_text(buffer, text, to_end=True)
        with contextlib.suppress(AgentError, EditorError, TransportClosed):
            await self._follow(task, buffer)

    async def stop(self, id_: str) -> None:
        """Stop a task."""
        self._chat.require("stop-task")
        task = self._tasks.find(id_)
        if task is None or not task.runs_in_background:
            raise UserError("this task has ended")
        await self._agent.stop_task(id_)

    @handles(panel.BackgroundAsked)
    async def move(self, asked: panel.BackgroundAsked) -> None:
        """Move the tool in a part of the transcript to the background."""
        self._chat.require("background")
        use = self._transcript.tool_at(asked.part)
        if use is None:
            raise UserError("there is no command or subagent under the cursor")
        task = self._tasks.of_tool(use.tool)
        if not use.is_running or (task is not None and task.in_background):
            where = "runs in the background already" if use.is_running else "has ended"
            raise UserError(f"{use.name} {where}")
        if use.kind not in ("execute", "think"):
            raise UserError(f"{use.name} cannot run in the background")
        if not await self._agent.background(use.tool):
            self._wanted.add(use.tool)
            self._editor.notify(f"{use.name} moves to the background as soon as possible")

    def report(self) -> None:
        """Report how many tasks run on, although the user has stopped the turn."""
        if running := self._chat.tasks:
            runs = "runs" if running == 1 else "run"
            count = counted(running, "task")
            self._editor.notify(f"{count} {runs} on in the background (:ClaudeChat tasks)")

    async def _follow(self, task: Task, buffer: Any) -> None:
        """Update an output while the user sees it and the task runs, and once more at its end."""
        last: Task | None = task
        while last is not None and last.runs_in_background and not self._has_ended:
            await asyncio.sleep(TICK_SECONDS)
            last = self._tasks.find(task.id)
            text = await self._output(last or task)
            if not await self._editor.port.windows.replace_text(buffer, text):
                return

    async def _output(self, task: Task) -> str:
        if not task.is_agent:
            return shown(await self._agent.task_output(task.id))
        work = self._transcript.work_of(task.tool)
        report = [task.result] if task.result not in work else []
        nothing = "nothing yet" if task.runs_in_background else "nothing to show"
        return "\n\n".join(filter(None, [*work, *report])) or nothing

    async def _draw(self) -> None:
        """Show the tasks in an open list."""
        lacks = [] if self._chat.has("stop_task") else ["stop"]
        items = [item(id_, [row], lacks) for id_, row in self._tasks.rows()]
        await self._listing.show(TITLE, items)


def shown(output: TaskOutput) -> str:
    """Return the end of an output; if it is cut, below a line that says so."""
    text = as_printed(output.text).removesuffix("\n")
    if not output.is_cut:
        return text or "no output yet"
    where = f"; all of it is in {output.path}" if output.path else ""
    _, _, whole_lines = text.partition("\n")
    return f"[the end of {output.size:,} bytes{where}]\n{whole_lines or text}"
