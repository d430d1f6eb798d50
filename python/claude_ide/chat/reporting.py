"""Announces what a chat's agent does, as for a CLI in a terminal."""

from collections.abc import Callable
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event, FileWritten, ToolStatus
from claude_ide.announcer import Announcer, seen, whole
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.paths import normalized
from claude_ide.review.journal import FileChange

ACCESS = ("read", "edit")
"""The kinds of tools with which an agent gets the text of a file."""


class Reporting:
    """Announces one chat's events. `found` returns what a use of a tool has changed unreported.

    `has_read` is called with each file that the agent has read or changed by its own tools.
    """

    def __init__(
        self,
        editor: Editor,
        chat: int,
        transcript: Transcript,
        found: Callable[[str], list[FileChange]],
        has_read: Callable[[str], object],
    ) -> None:
        name, root = transcript.name, transcript.root
        self._announcer = Announcer(editor.port.windows.announce, name, root, chat)
        self._transcript = transcript
        self._found = found
        self._has_read = has_read
        self._accessed: dict[str, str] = {}
        """The files of the tools that read or change one, by the ids of their uses."""
        self._prompt = transcript.turn
        self._names: dict[str, str] = {}
        """The tools whose input is not complete yet, by the ids of their uses."""
        self._written: dict[str, list[FileWritten]] = {}

    def close(self) -> None:
        """End the session: the chat has closed."""
        self._announcer.session_ended()

    def apply(self, event: Event) -> None:
        """Announce an event, after the transcript has applied it."""
        announcer = self._announcer
        if isinstance(event, events.Session):
            announcer.session(event.id)
        if self._transcript.turn != self._prompt:
            self._prompt = self._transcript.turn
            announcer.prompted(self._transcript.prompt)
        match event:
            case events.ToolStarted(tool, name, kind):
                self._names[tool] = name
                if kind in ACCESS:
                    self._accessed[tool] = ""
            case events.ToolInput(tool, arguments=arguments) if arguments is not None:
                if tool in self._accessed:
                    self._accessed[tool] = event.path
                self._start(tool, event.path, arguments.get("command"))
            case events.FileWritten(tool):
                self._written.setdefault(tool, []).append(event)
            case events.ToolEnded(tool, status):
                self._start(tool)
                announcer.tool_ended(tool, status, self._changes(event))
                if (path := self._accessed.pop(tool, "")) and status is ToolStatus.COMPLETED:
                    self._has_read(normalized(str(Path(self._transcript.root) / path)))
            case events.TurnEnded(why):
                self._names.clear()
                self._accessed.clear()
                self._written.clear()
                announcer.turn_ended(why)
            case events.Cleared() | events.Dead():
                announcer.session_ended()

    def _start(self, tool: str, path: str = "", command: object = None) -> None:
        if name := self._names.pop(tool, ""):
            given = command if isinstance(command, str) else ""
            self._announcer.tool_started(tool, name, path, given)

    def _changes(self, event: events.ToolEnded) -> list[Change]:
        changes = whole(event.changes, self._written.pop(event.tool, ()))
        return changes + [seen(found) for found in self._found(event.tool)]
