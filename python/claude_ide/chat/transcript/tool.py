"""The model's uses of tools: each is one line, which opens to show its input, change and output."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Change, Task, TaskState, ToolStatus
from claude_ide.base.paths import within
from claude_ide.chat.transcript import detail
from claude_ide.chat.transcript.detail import Detail
from claude_ide.ui.page import DETAIL, INDENT, META, Chunk, Page, Part, Row, row
from claude_ide.ui.sheet import Action, Location, Sheet, View, location_in
from claude_ide.ui.text import LONGEST_TITLE, counted, duration, elapsed, one_line

ICONS = {
    "read": "→",
    "edit": "±",
    "search": "?",
    "execute": "$",
    "fetch": "↓",
    "think": "◇",
    "switch_mode": "⇄",
}
OTHER_ICON = "•"
ENDS = {
    ToolStatus.COMPLETED: ("", "ClaudeChatTool", ""),
    ToolStatus.FAILED: ("✗", "ClaudeChatToolFailed", "failed"),
    ToolStatus.REJECTED: ("⊘", "ClaudeChatToolRejected", "rejected"),
    ToolStatus.INTERRUPTED: ("⊘", "ClaudeChatToolRejected", "interrupted"),
}
OF_TASKS = {
    TaskState.COMPLETED: ToolStatus.COMPLETED,
    TaskState.FAILED: ToolStatus.FAILED,
    TaskState.STOPPED: ToolStatus.REJECTED,
}
LONGEST_REASON = 100


class ToolUse(View):
    """One use of a tool, from its name to its result; paths below `root` are relative to it."""

    def __init__(self, part: Part, event: events.ToolStarted, root: str) -> None:
        super().__init__(part)
        self.tool = event.tool
        self.name, self.kind, self.title = event.name, event.kind, event.title
        self.open = False
        self.ended: events.ToolEnded | None = None
        self.task: Task | None = None
        """The task that it has started: it may run on after the tool has ended."""
        self._root = root
        self._arguments: dict[str, Any] | None = None
        self._size = 0
        self._path = ""
        self._line: int | None = None
        self._width = 80
        """The columns for its rows."""
        self._output: list[str] = []
        self._last_lines: tuple[str, ...] = ()
        """The end of the output at the last tick; empty in the first second."""
        self._began: float | None = None
        self._seconds: float | None = None
        self._shown_seconds = 0
        self._settled = False
        self._details: list[Detail] = []

    def rename(self, event: events.ToolStarted) -> None:
        """Update the name and title, which some agents report twice."""
        self.name, self.kind = event.name or self.name, event.kind or self.kind
        self.title = event.title or self.title

    def input(self, event: events.ToolInput, now: float | None) -> None:
        """Update the size of the input; the complete input starts the tool."""
        self._size = event.size
        self.title = event.title or self.title
        if event.arguments is not None:
            self._arguments = event.arguments
            self._path = event.path or self._path
            self._line = event.line
            self.restart_clock(now)

    def restart_clock(self, now: float | None) -> None:
        """Measure the duration from now on, which excludes the user's time to allow it."""
        self._began, self._shown_seconds = now, 0
        self._last_lines = ()

    def output(self, event: events.ToolOutput) -> None:
        """Add a piece of the output, or replace all of it."""
        if event.replaces:
            self._output.clear()
        self._output.append(event.text)

    def end(self, event: events.ToolEnded, now: float | None) -> None:
        """Set the result."""
        self.ended = event
        if event.output:
            self._output = [event.output]
        if event.changes:
            self._path = event.changes[0].path
        was_used = event.status in (ToolStatus.COMPLETED, ToolStatus.FAILED)
        if was_used and now is not None and self._began is not None:
            self._seconds = now - self._began

    def follow(self, task: Task, now: float | None) -> None:
        """Set the state of the task that it has started."""
        self.task = task
        if task.state is TaskState.RUNNING or not task.in_background:
            return
        if task.result:
            self._output = [task.result]
        if now is not None and self._began is not None:
            self._seconds = now - self._began

    def tick(self, now: float) -> bool:
        """Update the seconds that it has been running; return whether they have changed.

        With them changes what is shown of the output: not more often, and not of short commands.
        """
        shown = self._shown_seconds
        self._shown_seconds = int(now - self._began) if self._began is not None else 0
        if self._shown_seconds == shown:
            return False
        if self.kind == "execute":
            self._output = ["".join(self._output)]
            self._last_lines = detail.last_lines(self._output[0])
        return True

    def turn_ended(self) -> None:
        self._settled = True

    @property
    def is_running(self) -> bool:
        """Whether it, or the task that it has started, still runs."""
        if self.task is not None and self.task.in_background:
            return self.task.state is TaskState.RUNNING
        return self.ended is None and not self._settled

    @property
    def is_folded(self) -> bool:
        return not self.open

    def draw(self, page: Page) -> None:
        self._width = page.width - self.part.depth * len(INDENT)
        super().draw(page)

    def refit(self) -> bool:
        return self._is_live

    def rows(self) -> list[Row]:
        self._details = detail.below(self._inside() if self.open else self._live())
        return [row(*self._head()), *(each.row for each in self._details)]

    def press(self, offset: int) -> Action | None:
        """Open or close it; on the line with the number of further lines, open the whole text."""
        pressed = self._detail(offset)
        if pressed is not None and pressed.action is not None:
            return pressed.action
        self.open = not self.open
        return None

    def location(self, offset: int, column: int) -> Location | None:
        """Return the tool's file with the line under the cursor, or a location named there."""
        shown = self._detail(offset)
        if shown is None:
            return (self._path, self._line or self._first_changed()) if self._path else None
        if shown.line is not None and self._path:
            return shown.path or self._path, shown.line
        named = location_in(self.part.line(offset), column)
        return named or ((self._path, self._line) if self._path else None)

    def markdown(self) -> str:
        line = f"- {one_line(''.join(text for text, _ in self._head()))}"
        changed = [f"  {text}" for each in self._changes for h in each.hunks for text in h.lines]
        if not changed:
            return line
        return "\n".join([line, "", "  ```diff", *changed, "  ```"])

    @property
    def label(self) -> str:
        """Its name and title in one line."""
        return f"{self.name} {self._short_title()}".strip()

    def _head(self) -> list[Chunk]:
        icon, group, outcome = self._end()
        title = self._short_title()
        head: list[Chunk] = [(f"{icon} {self.name}", group)]
        if title:
            head += [(" ", ""), (title, DETAIL)]
        measures = task_measures(
            self.task, sum(isinstance(child, ToolUse) for child in self.children)
        )
        if self.is_running:
            if self._arguments is None and self._size:
                measures = [counted(self._size, "character")]
            if self._shown_seconds:
                measures.append(elapsed(self._shown_seconds))
            if measures:
                head.append((f"  {' · '.join(measures)}", META))
            return [*head, (" …", "ClaudeChatToolRunning")]
        if self._changes:
            added = sum(change.added for change in self._changes)
            removed = sum(change.removed for change in self._changes)
            head += [("  ", ""), *detail.sizes(added, removed)]
        if outcome:
            head += [("  ", ""), (outcome, group)]
        if self._seconds is not None:
            measures.append(duration(self._seconds))
        if measures:
            head += [("  ", ""), (" · ".join(measures), META)]
        return head

    def _end(self) -> tuple[str, str, str]:
        """Return its icon, its highlight group, and its outcome unless it succeeded."""
        icon = ICONS.get(self.kind, OTHER_ICON)
        if self.is_running:
            return icon, "ClaudeChatToolRunning", ""
        if self.task is not None and self.task.in_background:
            sign, group, _ = ENDS[OF_TASKS[self.task.state]]
            return sign or icon, group, task_outcome(self.task)
        if self.ended is None:
            return "⊘", "ClaudeChatToolRejected", "interrupted"
        sign, group, outcome = ENDS[self.ended.status]
        if self.ended.status is ToolStatus.FAILED and (why := _reason(self.ended.output)):
            outcome = f"{outcome}: {why}"
        if self.ended.denied_by:
            outcome = _denial(self.ended)
        return sign or icon, group, outcome

    def _inside(self) -> list[Detail]:
        if any(change.hunks for change in self._changes):
            return self._changed()
        found = detail.of_input(self.kind, self._arguments or {}, self.label)
        if not self._changes:
            output = "".join(self._output)
            self._output = [output]
            # The result of a subagent is what it has said last.
            if not self.children or output.strip() != self.children[-1].markdown().strip():
                found += detail.of_output(output, self.label)
        if not found and not self.children:
            found = [Detail(row(("nothing to show", META)))]
        return found

    @property
    def _is_live(self) -> bool:
        """Whether the end of its output is shown below its line."""
        is_waiting = self.is_running and self.ended is None
        return is_waiting and not self.open and bool(self._last_lines)

    def _live(self) -> list[Detail]:
        if not self._is_live:
            return []
        return detail.of_live(self._last_lines, self._width - detail.INDENTED * len(INDENT))

    @property
    def _changes(self) -> tuple[Change, ...]:
        return self.ended.changes if self.ended else ()

    def _changed(self) -> list[Detail]:
        """Return rows for the changes; several changes have the names of their files as heads."""
        if len(self._changes) == 1:
            return detail.of_change(self._changes[0], self.label)
        found: list[Detail] = []
        for change in self._changes:
            name = one_line(within(change.path, self._root))
            head = Detail(row((name, META)), line=1)
            below = [head, *detail.of_change(change, name)]
            found += [each._replace(path=change.path) for each in below]
        return found

    def _detail(self, offset: int) -> Detail | None:
        return self._details[offset - 1] if 0 < offset <= len(self._details) else None

    def _first_changed(self) -> int | None:
        hunks = self._changes[0].hunks if self._changes else ()
        if not hunks:
            return None
        hunk = hunks[0]
        same = next((n for n, text in enumerate(hunk.lines) if text[:1] in "+-"), 0)
        return hunk.new_start + same

    def _short_title(self) -> str:
        return one_line(within(self.title, self._root), LONGEST_TITLE)


def _denial(ended: events.ToolEnded) -> str:
    why = one_line(ended.reason, LONGEST_REASON)
    return f"denied by {ended.denied_by}" + (f": {why}" if why else "")


def _reason(output: str) -> str:
    return one_line(output.strip().removeprefix("Error: "), LONGEST_REASON)


class Tools:
    """The uses of tools that are still shown."""

    def __init__(self, sheet: Sheet, now: Callable[[], float | None], root: str) -> None:
        self._sheet = sheet
        self._now = now
        self._root = root
        self._uses: dict[str, ToolUse] = {}
        self._parents: dict[str, str] = {}
        self._running: set[ToolUse] = set()

    def find(self, tool: str) -> ToolUse | None:
        """Return the use of a tool with this id."""
        return self._uses.get(tool)

    def apply(
        self, event: events.ToolStarted | events.ToolInput | events.ToolOutput | events.ToolEnded
    ) -> None:
        """Apply an event to the use of a tool; an event without `ToolStarted` is ignored."""
        use = self._uses.get(event.tool)
        match event:
            case events.ToolStarted():
                self._start(event, use)
            case _ if use is None:
                return
            case events.ToolInput():
                use.input(event, self._now())
                self._running.add(use)
            case events.ToolOutput():
                use.output(event)
            case events.ToolEnded():
                use.end(event, self._now())
        if use is not None:
            self._sheet.changed(use)

    def follow(self, task: Task) -> None:
        """Show the state of a task in the line of the tool that has started it."""
        if use := self._uses.get(task.tool):
            use.follow(task, self._now())
            self._sheet.changed(use)

    def restart_clock(self, tool: str) -> None:
        """Measure a tool's duration from now on: the user has answered its request."""
        if use := self._uses.get(tool):
            use.restart_clock(self._now())

    def tick(self) -> bool:
        """Update the seconds of the running uses; return whether any has changed."""
        now = self._now()
        self._running = {use for use in self._running if use.is_running and not use.part.is_removed}
        changed = [use for use in self._running if now is not None and use.tick(now)]
        for use in changed:
            self._sheet.changed(use)
        return bool(changed)

    def void(self, event: events.PreviewVoided) -> None:
        """Remove the uses that were abandoned."""
        for tool in event.tools:
            if use := self._uses.pop(tool, None):
                self._sheet.remove(use)

    def turn_ended(self, *, all_: bool) -> None:
        """Stop waiting for results: the turn is over.

        Tools of subagents may run on in the background; they are included only with `all_`.
        """
        for tool, use in list(self._uses.items()):
            if use.ended is None and (all_ or not self._parents.get(tool)):
                use.turn_ended()
                self._sheet.changed(use)
            if all_ and use.task and use.task.state is TaskState.RUNNING:
                self.follow(replace(use.task, state=TaskState.STOPPED))
            if use.part.is_removed:
                del self._uses[tool]

    def _start(self, event: events.ToolStarted, use: ToolUse | None) -> None:
        if use is not None:
            use.rename(event)
            return
        below = self._uses.get(event.parent) if event.parent else None
        self._parents[event.tool] = event.parent
        self._uses[event.tool] = self._sheet.add(
            "tool",
            lambda part: ToolUse(part, event, self._root),
            below=below,
            indent=bool(event.parent),
        )
        if below is not None:
            self._sheet.changed(below)


LONGEST_OUTCOME = 100


def task_measures(task: Task | None, tools: int = 0) -> list[str]:
    """Return the known facts about a task: where it runs, its tools and tokens, its last tool.

    `tools` is the number of tools that are known to have been used.
    """
    found: list[str] = []
    is_running = task is not None and task.state is TaskState.RUNNING
    if task is not None and is_running and task.in_background:
        found.append("in the background")
    if tools := max(tools, (task.tools or 0) if task else 0):
        found.append(counted(tools, "tool"))
    if task is not None and task.tokens:
        found.append(counted(task.tokens, "token"))
    if task is not None and is_running and task.last_tool:
        found.append(one_line(task.last_tool, 40))
    return found


def task_outcome(task: Task) -> str:
    """Return how a task has ended; empty if it succeeded."""
    match task.state:
        case TaskState.FAILED if task.result.startswith("failed"):
            return one_line(task.result, LONGEST_OUTCOME)
        case TaskState.FAILED:
            reason = one_line(task.result, LONGEST_OUTCOME)
            return f"failed: {reason}" if reason else "failed"
        case TaskState.STOPPED:
            return "stopped"
    return ""
