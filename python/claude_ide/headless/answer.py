"""A growing answer: turns events into its text and the CLI's progress."""

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

STARTING = "starting…"
WAITING = "waiting for the answer…"
THINKING = "thinking…"


class Answer:
    """The answer to one question, without the text of subagents."""

    def __init__(self) -> None:
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
