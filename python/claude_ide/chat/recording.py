"""What a chat's agent changes: kept for the review, announced, diagnosed for the model."""

from collections.abc import Callable
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event, FileWritten, ToolStatus, TurnEndReason
from claude_ide.agents.fields import text
from claude_ide.agents.requests import PermissionAsked
from claude_ide.agents.workbench import Edits
from claude_ide.announcer import Announcer, found_change, whole
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.transcript import search
from claude_ide.chat.transcript.changes import Summary
from claude_ide.chat.transcript.notices import Announcement
from claude_ide.editor.port import chat as panel
from claude_ide.editor.port.binding import handles
from claude_ide.errors import UserError
from claude_ide.last_words import sentence
from claude_ide.paths import normalized
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService
from claude_ide.review.snapshot import Found

ACCESS = ("read", "edit")
"""The kinds of tools with which an agent gets the text of a file."""


class Witness:
    """Records what one agent writes (implements `Edits`, and observes `AgentFiles`).

    `diagnosis` adds its notes.
    """

    def __init__(self, recorder: Recorder, diagnosis: Edits) -> None:
        self.recorder = recorder
        self._diagnosis = diagnosis
        self._found: dict[str, list[Found]] = {}

    async def before_write(self, path: str) -> None:
        """Note a file that is about to be written."""
        await self.recorder.before_write(path)

    async def wrote(self, path: str, *, is_seen: bool) -> None:
        """Record that it was written; `is_seen`: the user has accepted the text."""
        if is_seen:
            self.recorder.asked(path)
        await self.recorder.wrote(path)

    def replaced(self, path: str, saved: str | None, unsaved: str) -> None:
        """Know that a write has replaced unsaved text, while another text was on disk."""
        self.recorder.replaced(path, unsaved)

    async def before(self, tool: str, path: str) -> None:
        """Note a file that a tool is about to change; without a path, that it may change any."""
        if path:
            self.recorder.not_asked(path, tool)
            await self.recorder.before_write(path)
            await self._diagnosis.before(tool, path)
        else:
            await self.recorder.command_begun(tool)

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Record what a tool has changed; return the note on diagnostics."""
        if path and self.recorder.is_writing(path):
            await self.recorder.wrote(path)
        elif path:
            self.recorder.used(path)
        else:
            self._found[tool] = await self.recorder.command_ended(tool)
        return await self._diagnosis.after(tool, path, change)

    def take_found(self, tool: str) -> list[Found]:
        """Return the files that a use of a tool has changed without reporting them, once."""
        return self._found.pop(tool, [])

    async def prompted(self) -> str:
        """Begin a turn; return the notes on reverted changes and on diagnostics."""
        await self.recorder.prompted()
        notes = [await self.recorder.note(), await self._diagnosis.prompted()]
        return "\n\n".join(filter(None, notes))


class Reviewing(ChatPart):
    """The review of one chat's changes, which are counted at the end of each turn."""

    def __init__(self, chat: ChatContext, witness: Witness, review: ReviewService) -> None:
        super().__init__(chat)
        self._recorder = witness.recorder
        self._review = review
        self._recorder.tell_user = self._tell

    @property
    def session(self) -> str:
        """The session that is recorded."""
        return self._recorder.session

    def apply(self, event: Event) -> None:
        """Record what an event reports, after the transcript has applied it."""
        match event:
            case events.Session(id):
                self._recorder.session = id
            case events.ToolInput(arguments={**given}, path=""):
                if given.get("run_in_background"):
                    self._recorder.in_background()
                self._chat.run(self._recorder.runs(text(given.get("command"))))
            case events.ToolInput(tool, path=path) if path and self._transcript.is_edit(tool):
                words = sentence(search.last_text(self._transcript.sheet))
                if words:
                    self._chat.run(self._recorder.explain(path, words))
            case events.TurnEnded(why):
                self._chat.run(self._count(self._transcript.end, why))

    def asked(self, asked: PermissionAsked) -> None:
        """Know about which edits the user decides."""
        for edit in asked.edits:
            self._recorder.asked(str(Path(self._chat.root, edit.path)), asked.tool)

    @handles(panel.ChangesWanted)
    async def show_at(self, wanted: panel.ChangesWanted) -> None:
        """Show the changes of the turn to which a part of the transcript belongs."""
        turn = search.turn_at(self._transcript.sheet, wanted.part)
        if turn is None:
            raise UserError("there is no turn under the cursor")
        since = "turn" if turn == self._transcript.turn else "session"
        await self._review.show(self._chat.root, since=since, session=self._recorder.session)
        await self._panel.uncover()

    async def _count(self, end: Announcement | None, why: TurnEndReason) -> None:
        counts = await self._recorder.turn_ended()
        if counts[0] and end is not None:
            self._transcript.show_changes(end, Summary(*counts))
            self._chat.painter.soon()
        # With prompts in its queue, the session goes on.
        if not self._agent.state.busy:
            self._review.turn_ended(self._chat.session, why, counts)

    def _tell(self, what: str) -> None:
        self._chat.note("notice", f"{self._chat.name} now knows that you {what}")


class Reporting(ChatPart):
    """Announces what the agent does, as for a CLI in a terminal.

    `has_read` is called with each file that the agent has read or changed by its own tools.
    """

    def __init__(
        self, chat: ChatContext, witness: Witness, has_read: Callable[[str], object]
    ) -> None:
        super().__init__(chat)
        announce = chat.editor.port.windows.announce
        self._announcer = Announcer(announce, chat.name, chat.root, chat.id)
        self._witness = witness
        self._has_read = has_read
        self._accessed: dict[str, str] = {}
        """The files of the tools that read or change one, by the ids of their uses."""
        self._prompt = self._transcript.turn
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
            self._witness.recorder.prompt = self._transcript.prompt
            announcer.prompted(self._transcript.prompt)
            self._editor.attention.prompted(self._chat.session)
        match event:
            case events.ToolStarted(tool, name, kind):
                self._names[tool] = name
                if kind in ACCESS:
                    self._accessed[tool] = ""
            case events.ToolInput(tool, arguments=arguments) if arguments is not None:
                if tool in self._accessed:
                    self._accessed[tool] = event.path
                self._start(tool, event.path, arguments.get("command"))
            case FileWritten(tool):
                self._written.setdefault(tool, []).append(event)
            case events.ToolEnded(tool, status):
                self._start(tool)
                announcer.tool_ended(tool, status, self._changes(event))
                if (path := self._accessed.pop(tool, "")) and status is ToolStatus.COMPLETED:
                    self._has_read(normalized(str(Path(self._chat.root) / path)))
            case events.Happened():
                announcer.happened(event)
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
        return changes + [found_change(found) for found in self._witness.take_found(event.tool)]
