"""A growing answer: events become its text and the CLI's progress, and frames for the editor.

It sends at most one frame every 33 ms, and the next only after the last has arrived, so that typing
never waits for them.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from claude_ide.agents.events import (
    Event,
    Notice,
    PreviewVoided,
    Retry,
    Text,
    TextDelta,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolStarted,
    Waiting,
)
from claude_ide.base.errors import EditorError

logger = logging.getLogger(__name__)

FRAME_SECONDS = 0.033

STARTING = "starting…"
WAITING = "waiting for the answer…"
THINKING = "thinking…"


class Answer:
    """The answer to one question, without the text of subagents."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        """The name of who answers."""
        self.chat = ""
        """The id of the agent in whose chat it can be continued; empty if it cannot."""
        self._blocks: dict[str, list[str]] = {}
        self.progress = STARTING
        self.error: Notice | None = None
        """The CLI's message after a failure of the API; None if there was none."""

    @property
    def text(self) -> str:
        """The model's text so far."""
        texts = ("".join(pieces) for pieces in self._blocks.values())
        return "\n\n".join(text for text in texts if text)

    def apply(self, event: Event) -> None:
        """Update the text, the progress or the error."""
        match event:
            case TextDelta(block, text, ""):
                self._blocks.setdefault(block, []).append(text)
                self.progress = ""
            case Text(block, text, ""):
                self._blocks[block] = [text]
            case PreviewVoided(blocks):
                for block in blocks:
                    self._blocks.pop(block, None)
            case Notice(level="error"):
                self.error = event
            case _:
                self.progress = _progress(event, self.progress)


def _progress(event: Event, before: str) -> str:
    match event:
        case Waiting() | ToolEnded():
            return WAITING
        case ThinkingDelta():
            return before if before.startswith(THINKING) else THINKING
        case ThinkingTokens(tokens):
            return f"{THINKING} ({tokens} tokens)"
        case ToolStarted():
            return f"using {event.name}…"
        case Retry():
            why = event.reason.replace("_", " ") or "no connection"
            count = f"{event.attempt} of {event.most}"
            return f"{why}: trying again in {event.seconds:.0f} s ({count})"
    return before


class AnswerFrames:
    """The frames of one answer; each has the changes since the last.

    A frame may have `keep` (how many bytes of the text stay) with `text` (the text after these),
    `progress` with the `name` of who answers, `chat` (the agent in whose chat the answer can be
    continued), and `events` (a list).
    """

    def __init__(self, answer: Answer, send: Callable[[dict[str, Any]], Awaitable[Any]]) -> None:
        self._answer = answer
        self._send = send
        self._sent_text = self._sent_progress = self._sent_chat = ""
        self._events: list[dict[str, Any]] = []
        self._changed = asyncio.Event()
        self._refused = False

    def changed(self) -> None:
        """Send a frame soon, if the answer has changed."""
        self._changed.set()

    def put_event(self, event: dict[str, Any]) -> None:
        """Send an event with the next frame."""
        self._events.append(event)
        self._changed.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send frames while this is open; after a normal end, send the remaining changes."""
        sending = asyncio.create_task(self._run())
        try:
            yield
        finally:
            sending.cancel()
            await asyncio.wait([sending])
        await self._flush()

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self._changed.wait()
            began = clock()
            await self._flush()
            took = clock() - began
            await asyncio.sleep(max(FRAME_SECONDS - took, took))

    async def _flush(self) -> None:
        self._changed.clear()
        frame = self._frame()
        if self._refused or not frame:
            return
        try:
            await self._send(frame)
        except EditorError as error:
            # Later frames depend on this one, so none is sent any more.
            self._refused = True
            logger.warning("an answer cannot be shown: %s", error)

    def _frame(self) -> dict[str, Any]:
        """Return the changes since the last frame; empty if there are none."""
        frame: dict[str, Any] = {}
        text, progress = self._answer.text, self._answer.progress
        if text != self._sent_text:
            # A preview may be corrected; then the whole text is sent again.
            kept = self._sent_text if text.startswith(self._sent_text) else ""
            frame["keep"] = len(kept.encode("utf-8", "surrogateescape"))
            frame["text"] = text[len(kept) :]
            self._sent_text = text
        if progress != self._sent_progress:
            frame["progress"] = self._sent_progress = progress
            frame["name"] = self._answer.name
        if self._answer.chat != self._sent_chat:
            frame["chat"] = self._sent_chat = self._answer.chat
        if self._events:
            frame["events"], self._events = self._events, []
        return frame
