"""The part of a conversation that a transcript no longer shows, from the stored history."""

from collections.abc import Container, Sequence

from claude_ide.agents.events import Event, Text, UserMessage
from claude_ide.chat.page.page import EARLIER
from claude_ide.chat.page.text import one_line
from claude_ide.chat.transcript.prompts import Turn
from claude_ide.chat.transcript.transcript import CLEARED, Transcript

PORTION_LINES = 2_000
"""The approximate number of lines that are shown at once."""

FIRST_LINES = 10_000
"""The approximate number of lines that a resumed session shows."""

MISSING = "*The conversation above this line belongs to another session.*"


def load(transcript: Transcript, history: Sequence[Event]) -> None:
    """Show the end of a stored history in an empty transcript.

    To draw a long one would block the host for seconds, only to drop most of it.
    """
    begin = _begin(history, FIRST_LINES)
    transcript.load_history(history[begin:])
    if any(isinstance(event, UserMessage) for event in history[:begin]):
        transcript.sheet.page.mark_earlier()


class Earlier:
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
        return document(self._transcript.name, title, [*above, *shown])

    def _new(self, events: Sequence[Event]) -> Transcript:
        above = Transcript(self._transcript.name, root=self._transcript.root)
        page, shown = above.sheet.page, self._transcript.sheet.page
        page.width, page.renders = shown.width, shown.renders
        above.load_history(events)
        return above


def _first(transcript: Transcript, prompts: Container[str]) -> Turn | None:
    """Return the first turn with one of these prompts, unless another session is above it."""
    for view in transcript.sheet.views():
        if view.part.kind == CLEARED:
            return None
        if type(view) is Turn and view.prompt in prompts:
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


def markdown(transcript: Transcript, title: str = "") -> str:
    """Return the shown part of a conversation: prompts, answers, thinking, tools."""
    return document(transcript.name, title, transcript.story())


def document(name: str, title: str, story: Sequence[str]) -> str:
    """Return a story below the title of the conversation with the agent of this name."""
    heading = f"# {one_line(title) or f'A conversation with {name}'}"
    return "\n\n".join([heading, *story]) + "\n"
