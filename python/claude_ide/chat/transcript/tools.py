"""The model's uses of tools, by their ids."""

from collections.abc import Callable

from msgspec.structs import replace

from claude_ide.agents.events import (
    PreviewVoided,
    Task,
    TaskState,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
)
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.transcript.tool import ToolUse


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

    def apply(self, event: ToolStarted | ToolInput | ToolOutput | ToolEnded) -> None:
        """Apply an event to the use of a tool; an event without `ToolStarted` is ignored."""
        use = self._uses.get(event.tool)
        match event:
            case ToolStarted():
                self._start(event, use)
            case _ if use is None:
                return
            case ToolInput():
                use.input(event, self._now())
                self._running.add(use)
            case ToolOutput():
                use.output(event)
            case ToolEnded():
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

    def void(self, event: PreviewVoided) -> None:
        """Remove the uses that were abandoned."""
        for tool in event.tools:
            if use := self._uses.pop(tool, None):
                self._sheet.remove(use)

    def settle(self, *, all_: bool) -> None:
        """Stop waiting for results: the turn is over.

        Tools of subagents may run on in the background; they are included only with `all_`.
        """
        for tool, use in list(self._uses.items()):
            if use.ended is None and (all_ or not self._parents.get(tool)):
                use.settle()
                self._sheet.changed(use)
            if all_ and use.task and use.task.state is TaskState.RUNNING:
                self.follow(replace(use.task, state=TaskState.STOPPED))
            if use.part.is_removed:
                del self._uses[tool]

    def _start(self, event: ToolStarted, use: ToolUse | None) -> None:
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
