"""What a chat's agent changes: kept for the review, announced, diagnosed for the model."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event, FileWritten, ToolStatus
from claude_ide.agents.workbench import Edits
from claude_ide.announcer import Announcer, seen, whole
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript import search
from claude_ide.chat.transcript.changes import Summary
from claude_ide.chat.transcript.notices import Announcement
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import chat as panel
from claude_ide.editor.port.binding import handles
from claude_ide.errors import UserError
from claude_ide.paths import normalized
from claude_ide.review.commands import Commands
from claude_ide.review.journal import FileChange, Journal
from claude_ide.review.reviews import Reviews

ACCESS = ("read", "edit")
"""The kinds of tools with which an agent gets the text of a file."""

LONGEST_PROMPT = 50
"""Characters."""


async def _nothing() -> str:
    return ""


class Witness:
    """Fills the journal of one agent, and asks `diagnosis` for its notes (implements `Edits`)."""

    def __init__(self, editor: Editor, diagnosis: Edits) -> None:
        self.journal = Journal()
        self.reverted: Callable[[], Awaitable[str]] = _nothing
        """Returns a note for the model on what the user has reverted, or ""."""
        self._diagnosis = diagnosis
        self._commands = Commands(editor)
        self._found: dict[str, list[FileChange]] = {}

    async def before(self, tool: str, path: str) -> None:
        """Keep the text of a file that a tool is about to change."""
        await self.journal.before_write(path)
        await self._diagnosis.before(tool, path)

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Look for files that a command has changed; return the note on diagnostics."""
        if path:
            await self._commands.used(path)
        elif found := await self._commands.changed():
            self._found[tool] = found
            for each in found:
                self.journal.written(each.path, each.before)
        return await self._diagnosis.after(tool, path, change)

    def take_found(self, tool: str) -> list[FileChange]:
        """Return the files that a use of a tool has changed without reporting them, once."""
        return self._found.pop(tool, [])

    async def prompted(self) -> str:
        """Return the notes on reverted changes and on diagnostics."""
        await self._commands.prompted()
        notes = [await self.reverted(), await self._diagnosis.prompted()]
        return "\n\n".join(filter(None, notes))


class Reviewing(ChatPart):
    """The review of one chat's changes, which are counted at the end of each turn."""

    def __init__(self, chat: ChatContext, witness: Witness) -> None:
        super().__init__(chat)
        self._journal = witness.journal
        self._reviews = Reviews(
            *(chat.editor, self._journal, f"chat {chat.id}", chat.name, chat.root)
        )
        self._prompt = ""
        self._is_over = True
        self._turns: dict[str, str] = {}
        """The turns of prompts that did not start one, by prompt."""
        witness.reverted = self._note

    def load_history(self, history: Iterable[Event]) -> None:
        """Record the changes of an earlier conversation, which the transcript shows."""
        self._prompt = self._transcript.turn
        for event in history:
            match event:
                case events.UserMessage(_, prompt):
                    self._journal.begin_earlier(prompt)
                case FileWritten():
                    self._journal.reported(event.path, event.before, event.after)
        self._journal.end_earlier()
        self._reviews.resume()

    def apply(self, event: Event) -> None:
        """Record what an event reports, after the transcript has applied it."""
        journal = self._journal
        if self._transcript.turn != self._prompt:
            self._prompted(self._transcript.turn)
        match event:
            case FileWritten():
                journal.reported(event.path, event.before, event.after)
            case events.TurnEnded():
                self._is_over = True
                if journal.is_running(journal.turn):
                    self._chat.run(self._count(journal.turn, self._transcript.end))
            case events.Dead():
                self._is_over = True
                self._settle(journal.turn)

    def _prompted(self, prompt: str) -> None:
        """Begin the turn of a prompt, unless the prompt has reached the model in a turn."""
        self._prompt = prompt
        if not self._is_over:
            self._turns[prompt] = self._journal.turn
            return
        self._is_over = False
        self._settle(self._journal.turn)
        self._journal.begin(prompt)

    def _settle(self, turn: str) -> None:
        if self._journal.is_running(turn):
            self._chat.run(self._journal.settle(turn))

    @handles(panel.ChangesWanted)
    async def show_at(self, wanted: panel.ChangesWanted) -> None:
        """Show the changes of the turn to which a part of the transcript belongs."""
        turn = search.turn_at(self._transcript.sheet, wanted.part)
        if turn is None:
            raise UserError("there is no turn under the cursor")
        await self._show(self._turns.get(turn, turn))

    async def has_changes(self) -> bool:
        """Return whether a turn has changed a file."""
        return await self._journal.latest() is not None

    async def show(self, only: Sequence[str], *, whole: bool) -> None:
        """Show the changes of the last turn that changed a file; with `whole`, of all turns."""
        turn = None if whole else await self._journal.latest()
        await self._show(turn, only)

    async def _show(self, turn: str | None, only: Sequence[str] = ()) -> None:
        await self._reviews.show(turn, self._title(turn), only)
        await self._panel.uncover()

    def _title(self, turn: str | None) -> str:
        if turn is None:
            return "all changes of this chat"
        prompt = self._transcript.prompts.get(turn, "")
        return f"changes of “{one_line(prompt, LONGEST_PROMPT)}”" if prompt else "changes of a turn"

    async def _count(self, turn: str, end: Announcement | None) -> None:
        await self._journal.settle(turn)
        counted = await self._reviews.count(turn)
        if counted is not None and end is not None:
            self._transcript.show_changes(end, Summary(*counted))
            self._chat.painter.soon()

    async def _note(self) -> str:
        news = await self._reviews.news()
        if news.summary:
            self._chat.note("notice", f"{self._chat.name} now knows that you {news.summary}")
        return news.note


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
            case FileWritten(tool):
                self._written.setdefault(tool, []).append(event)
            case events.ToolEnded(tool, status):
                self._start(tool)
                announcer.tool_ended(tool, status, self._changes(event))
                if (path := self._accessed.pop(tool, "")) and status is ToolStatus.COMPLETED:
                    self._has_read(normalized(str(Path(self._chat.root) / path)))
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
        return changes + [seen(found) for found in self._witness.take_found(event.tool)]
