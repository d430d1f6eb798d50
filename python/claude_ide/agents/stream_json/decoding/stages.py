"""The progress of our prompts: reported by the CLI, or inferred from its other frames.

2.1.197 does not report stages. It begins every turn with `init`, and echoes each prompt that the
model receives. The echo of a prompt that joins a running turn is immediate. Of the prompts that
start a turn, all but the last are echoed before `init`; the echo of the last one is too late
(doc/stream-json.md, "Prompts during a turn"). So an `init` means that the next prompt has started.
"""

from claude_ide.agents.events import Event, PromptChanged, PromptStage
from claude_ide.agents.fields import text
from claude_ide.agents.stream_json.wire.frames import Frame

AT_ONCE = "now"
"""The priority of a prompt that overtakes the waiting ones."""


class Stages:
    """The waiting and the started prompts, until the CLI reports a stage itself."""

    def __init__(self) -> None:
        self._is_reported = False
        self._waiting: dict[str, str] = {}
        """Prompts that have not started, with their priorities."""
        self._begun: list[str] = []
        self._running = False
        self._started: set[str] = set()
        """Prompts that the CLI has reported as started, and not yet as completed."""

    @property
    def has_started(self) -> bool:
        """Whether a prompt belongs to the present turn."""
        return bool(self._started or self._begun)

    def reported(self, frame: Frame) -> list[Event]:
        """Decode a `command_lifecycle` frame; from now on no stage is inferred."""
        try:
            prompt, stage = text(frame.get("command_uuid")), PromptStage(frame.get("state"))
        except ValueError:
            return []
        (self._started.add if stage is PromptStage.STARTED else self._started.discard)(prompt)
        is_known = stage is PromptStage.QUEUED and prompt in self._waiting
        self._is_reported = True
        self._waiting.clear()
        self._begun.clear()
        return [] if is_known else [PromptChanged(prompt, stage)]

    def sent(self, prompt: str, priority: str) -> list[Event]:
        """Add a prompt that is being sent."""
        if self._is_reported:
            return []
        self._waiting[prompt] = priority
        return [PromptChanged(prompt, PromptStage.QUEUED)]

    def withdrawn(self, prompt: str) -> list[Event]:
        """Remove a prompt that the CLI has withdrawn, or has never received."""
        if self._waiting.pop(prompt, None) is None:
            return []
        return [PromptChanged(prompt, PromptStage.CANCELLED)]

    def echoed(self, frame: Frame) -> list[Event]:
        """Start a prompt that the CLI has echoed."""
        return self._begin(text(frame.get("uuid")))

    def turn_begun(self) -> list[Event]:
        """Start the next prompt on an `init`, which begins a turn unless one is running."""
        if self._running or not self._waiting:
            return []
        self._running = True
        return self._begin(min(self._waiting, key=lambda id_: self._waiting[id_] != AT_ONCE))

    def turn_ended(self) -> list[Event]:
        """Complete the prompts of the turn."""
        ended, self._begun = self._begun, []
        self._running = False
        return [PromptChanged(prompt, PromptStage.COMPLETED) for prompt in ended]

    def _begin(self, prompt: str) -> list[Event]:
        if self._waiting.pop(prompt, None) is None:
            return []
        self._begun.append(prompt)
        return [PromptChanged(prompt, PromptStage.STARTED)]
