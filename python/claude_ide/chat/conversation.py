"""The conversation of one chat: shown with each event, read back from history, exported."""

import asyncio
from collections.abc import Container, Sequence
from pathlib import Path

from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.events import Event, Text, UserMessage
from claude_ide.base.errors import UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand
from claude_ide.chat.transcript.prompts import StartedPrompt
from claude_ide.chat.transcript.transcript import CLEARED, Transcript
from claude_ide.ui.page import EARLIER
from claude_ide.ui.text import one_line

PORTION_LINES = 2_000
"""The approximate number of lines that are shown at once."""

FIRST_LINES = 10_000
"""The approximate number of lines that a resumed session shows."""

FORKED = "a fork: what follows is in a session of its own (:ClaudeChat resume lists the other one)"

MOST_LINES = 120_000
"""A longer transcript is not extended."""

EXPORT = ":ClaudeChat export writes all of it"

MISSING = "*The conversation above this line belongs to another session.*"


def load(transcript: Transcript, history: Sequence[Event]) -> None:
    """Show the end of a stored history in an empty transcript.

    To draw a long one would block the host for seconds, only to drop most of it.
    """
    begin = _begin(history, FIRST_LINES)
    transcript.load_history(history[begin:])
    if any(isinstance(event, UserMessage) for event in history[:begin]):
        transcript.sheet.page.mark_earlier()


class Above:
    """The conversation above the first turn of a transcript that the history knows."""

    def __init__(self, transcript: Transcript, history: Sequence[Event]) -> None:
        at = {
            event.prompt: index
            for index, event in enumerate(history)
            if isinstance(event, UserMessage) and event.prompt
        }
        self._turn = _first(transcript, at)
        self._events = history[: at[self._turn.prompt]] if self._turn else ()
        self._transcript = transcript

    @property
    def is_known(self) -> bool:
        """Whether the history contains anything from before the turn."""
        return any(isinstance(event, UserMessage) for event in self._events)

    def portion(self, lines: int = PORTION_LINES) -> Transcript:
        """Return the end of it: complete turns with about this many lines."""
        begin = _begin(self._events, lines)
        above = self._new(self._events[begin:])
        if any(isinstance(event, UserMessage) for event in self._events[:begin]):
            above.sheet.page.mark_earlier()
        return above

    def show(self, above: Transcript) -> None:
        """Show a portion above the turn."""
        if self._turn is not None:
            self._transcript.sheet.put_above(self._turn, above.sheet)

    def document(self, title: str) -> str:
        """Return the whole conversation as Markdown."""
        shown = self._transcript.story(self._turn if self.is_known else None)
        above = self._new(self._events).story() if self.is_known else [EARLIER, MISSING]
        return markdown(self._transcript.name, title, [*above, *shown])

    def _new(self, events: Sequence[Event]) -> Transcript:
        above = Transcript(self._transcript.name, root=self._transcript.root)
        page, shown = above.sheet.page, self._transcript.sheet.page
        page.width, page.renders = shown.width, shown.renders
        above.load_history(events)
        return above


def _first(transcript: Transcript, prompts: Container[str]) -> StartedPrompt | None:
    """Return the first turn with one of these prompts, unless another session is above it."""
    for view in transcript.sheet.views():
        if view.part.kind == CLEARED:
            return None
        if type(view) is StartedPrompt and view.prompt in prompts:
            return view
    return None


def _begin(events: Sequence[Event], lines: int) -> int:
    """Return the index of the turn with which a portion of about `lines` lines begins."""
    for index in reversed(range(len(events))):
        event = events[index]
        lines -= event.text.count("\n") + 1 if isinstance(event, Text | UserMessage) else 1
        if isinstance(event, UserMessage) and lines <= 0:
            return index
    return 0


def markdown(name: str, title: str, story: Sequence[str]) -> str:
    """Return a story below the title of the conversation with the agent of this name."""
    heading = f"# {one_line(title) or f'A conversation with {name}'}"
    return "\n\n".join([heading, *story]) + "\n"


class Conversation(ChatPart):
    """Shows and exports the conversation."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._busy = asyncio.Lock()

    async def prepare(self, opening: Opening) -> None:
        if isinstance(opening, NewSession) or not opening.id or not self._chat.sheet.is_empty:
            return
        load(self._transcript, await self._agent.history(opening.id))
        if opening.fork:
            self._transcript.note("branch", FORKED)
        self._chat.painter.now()

    def apply(self, event: Event) -> None:
        is_urgent = True
        try:
            is_urgent = self._transcript.apply(event)
        finally:
            painter = self._chat.painter
            (painter.now if is_urgent else painter.soon)()

    async def show_earlier(self) -> None:
        """Show the previous portion of the conversation above the transcript."""
        if self._busy.locked():
            return
        async with self._busy:
            if len(self._transcript.lines) > MOST_LINES:
                raise UserError(f"the transcript cannot grow further; {EXPORT}")
            above = await self._above()
            if not above.is_known:
                raise UserError("the conversation above this line belongs to another session")
            above.show(await asyncio.to_thread(above.portion))
            self._chat.painter.now()

    @subcommand("export")
    async def export(self, path: str) -> None:
        """Write the whole conversation to a file as Markdown, or show it."""
        text = await self._markdown()
        if not path:
            shown = self._chat.name, "conversation.md", text, "markdown"
            await self._editor.port.windows.show_text(*shown)
            return
        target = Path(self._chat.root, Path(path).expanduser())
        try:
            target.touch(exist_ok=False)
            target.write_text(text, encoding="utf-8")
        except FileExistsError:
            raise UserError(f"{path} already exists") from None
        except OSError as error:
            raise UserError(f"cannot write {target}: {error.strerror}") from None
        self._editor.notify(f"wrote {path}")

    async def _markdown(self) -> str:
        if self._transcript.sheet.page.earlier is None:
            return markdown(self._chat.name, self._chat.title, self._transcript.story())
        above = await self._above()
        return await asyncio.to_thread(above.document, self._chat.title)

    async def _above(self) -> Above:
        self._chat.require_capability("stored_history")
        history = await self._agent.history(self._agent.session)
        return Above(self._transcript, history)
