"""The changes of a chat's turns: recorded from events, counted at the end, reviewed on request."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript import search
from claude_ide.chat.transcript.changes import Summary
from claude_ide.chat.transcript.notices import Announcement
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.witness import Witness
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.panel import Panel
from claude_ide.errors import UserError
from claude_ide.review.reviews import Reviews

LONGEST_PROMPT = 50


class Reviewing:
    """The review of one chat's changes. `run` starts a task and shows its errors to the user."""

    def __init__(
        self,
        witness: Witness,
        transcript: Transcript,
        painter: Painter,
        panel: Panel,
        source: str,
        editor: Editor,
        run: Callable[[Awaitable[Any]], Any],
    ) -> None:
        self._journal = witness.journal
        self._transcript = transcript
        self._painter = painter
        self._panel = panel
        self._run = run
        self._reviews = Reviews(*(editor, self._journal, source, transcript.name, transcript.root))
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
                case events.FileWritten():
                    self._journal.reported(event.path, event.before, event.after)
        self._journal.end_earlier()
        self._reviews.resume()

    def apply(self, event: Event) -> None:
        """Record what an event reports, after the transcript has applied it."""
        journal = self._journal
        if self._transcript.turn != self._prompt:
            self._prompted(self._transcript.turn)
        match event:
            case events.FileWritten():
                journal.reported(event.path, event.before, event.after)
            case events.TurnEnded():
                self._is_over = True
                if journal.is_running(journal.turn):
                    self._run(self._count(journal.turn, self._transcript.end))
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
            self._run(self._journal.settle(turn))

    async def show_at(self, part: int) -> None:
        """Show the changes of the turn to which a part of the transcript belongs."""
        turn = search.turn_at(self._transcript.sheet, part)
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
            self._painter.soon()

    async def _note(self) -> str:
        news = await self._reviews.news()
        if news.summary:
            name = self._transcript.name
            self._transcript.note("notice", f"{name} now knows that you {news.summary}")
            self._painter.soon()
        return news.note
