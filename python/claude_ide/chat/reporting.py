"""Announces what a chat's agent does, as for a CLI in a terminal."""

from collections.abc import Callable

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event, FileWritten
from claude_ide.announcer import Announcer, seen, whole
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.review.journal import FileChange


class Reporting:
    """Announces one chat's events. `found` returns what a use of a tool has changed unreported."""

    def __init__(
        self,
        editor: Editor,
        chat: int,
        transcript: Transcript,
        found: Callable[[str], list[FileChange]],
    ) -> None:
        name, root = transcript.name, transcript.root
        self._announcer = Announcer(editor.announce, name, root, chat)
        self._transcript = transcript
        self._found = found
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
            case events.ToolStarted(tool, name):
                self._names[tool] = name
            case events.ToolInput(tool, arguments=arguments) if arguments is not None:
                self._start(tool, event.path, arguments.get("command"))
            case events.FileWritten(tool):
                self._written.setdefault(tool, []).append(event)
            case events.ToolEnded(tool, status):
                self._start(tool)
                announcer.tool_ended(tool, status, self._changes(event))
            case events.TurnEnded(why):
                self._names.clear()
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
