"""Tells the editor which files tools change, and keeps its notes for the next prompt."""

import asyncio
from collections.abc import Awaitable

from claude_ide.agents.acp.decoding.tools import Call, Tools
from claude_ide.agents.events import Event, ToolEnded, ToolInput
from claude_ide.agents.workbench import Edits


class Observing:
    """The observed tool calls of one session; without `edits` nothing is observed."""

    def __init__(self, edits: Edits | None) -> None:
        self._edits = edits
        self._begun: dict[str, asyncio.Task[None]] = {}
        self._ended: set[asyncio.Task[None]] = set()
        self._notes: list[str] = []

    def follow(self, event: Event, tools: Tools) -> None:
        """Observe the call that an event is about."""
        match event:
            case ToolInput(tool) if call := tools.find(tool):
                self.begin(call)
            case ToolEnded():
                self._end(event)

    def begin(self, call: Call) -> None:
        """Examine the files of a call that is about to change them, once for each call."""
        paths = [diff.path for diff in call.diffs] or [call.path]
        is_edit = call.shown_kind == "edit" and paths[0]
        if self._edits is not None and is_edit and call.id not in self._begun:
            self._begun[call.id] = _task(self._before(self._edits, call.id, paths))

    async def examined(self, call: Call) -> None:
        """Wait until the files of a call are examined."""
        self.begin(call)
        if call.id in self._begun:
            await asyncio.wait([self._begun[call.id]])

    def note(self, text: str) -> None:
        """Have the next prompt carry a note for the model."""
        self._notes.append(text)

    def before_prompt(self, work: Awaitable[None]) -> None:
        """Do something before the next prompt is sent."""
        self._track(_task(work))

    async def notes(self) -> str:
        """Return the notes for the model that a prompt carries."""
        if self._ended:
            await asyncio.wait(self._ended)
        notes, self._notes = self._notes, []
        if self._edits is not None:
            notes.append(await self._edits.prompted())
        return "\n\n".join(filter(None, notes))

    def _end(self, event: ToolEnded) -> None:
        """Compare the files of a call that has ended with what they were."""
        if self._edits is not None:
            begun = self._begun.pop(event.tool, None)
            self._track(_task(self._after(self._edits, event, begun)))

    def _track(self, task: asyncio.Task[None]) -> None:
        self._ended.add(task)
        task.add_done_callback(self._ended.discard)

    @staticmethod
    async def _before(edits: Edits, tool: str, paths: list[str]) -> None:
        for path in paths:
            await edits.before(tool, path)

    async def _after(
        self, edits: Edits, event: ToolEnded, begun: asyncio.Task[None] | None
    ) -> None:
        if begun is not None:
            await asyncio.wait([begun])
        changes = event.changes or (None,)
        for change in changes:
            path = change.path if change is not None else ""
            self._notes.append(await edits.after(event.tool, path, change))


def _task(work: Awaitable[None]) -> asyncio.Task[None]:
    return asyncio.ensure_future(work)
