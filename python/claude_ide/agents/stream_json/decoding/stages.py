"""How far our prompts have come: as the CLI tells it, or as far as what else it tells shows it.

2.1.197 tells no stages. It begins every turn with `init`, and echoes each prompt that the model
gets: one that joins a running turn at once; of those that make up a turn all but the last before
its `init`, and the last too late (doc/stream-json.md, "Prompts during a turn"). So an `init` begins
the next prompt in line.
"""

from claude_ide.agents.events import Event, PromptChanged, PromptStage
from claude_ide.agents.stream_json.wire.frames import Frame, text

AT_ONCE = "now"
"""The priority of a prompt that overtakes those that wait."""


class Stages:
    """The prompts that wait and that have begun, until the CLI has told a stage itself."""

    def __init__(self) -> None:
        self._told = False
        self._waiting: dict[str, str] = {}
        """Prompts that have not begun, with their priorities."""
        self._begun: list[str] = []
        self._running = False

    def told(self, frame: Frame) -> list[Event]:
        """Take a `command_lifecycle` frame; from then on nothing is concluded any more."""
        try:
            prompt, stage = text(frame.get("command_uuid")), PromptStage(frame.get("state"))
        except ValueError:
            return []
        concluded = stage is PromptStage.QUEUED and prompt in self._waiting
        self._told = True
        self._waiting.clear()
        self._begun.clear()
        return [] if concluded else [PromptChanged(prompt, stage)]

    def sent(self, prompt: str, priority: str) -> list[Event]:
        """Take a prompt that is sent."""
        if self._told:
            return []
        self._waiting[prompt] = priority
        return [PromptChanged(prompt, PromptStage.QUEUED)]

    def withdrawn(self, prompt: str) -> list[Event]:
        """Take note that the CLI has given up a prompt, or has never got it."""
        if self._waiting.pop(prompt, None) is None:
            return []
        return [PromptChanged(prompt, PromptStage.CANCELLED)]

    def echoed(self, frame: Frame) -> list[Event]:
        """Take a prompt that the CLI has echoed."""
        return self._begin(text(frame.get("uuid")))

    def turn_begun(self) -> list[Event]:
        """Take note of an `init`, which begins a turn unless one is under way."""
        if self._running or not self._waiting:
            return []
        self._running = True
        return self._begin(min(self._waiting, key=lambda id_: self._waiting[id_] != AT_ONCE))

    def turn_ended(self) -> list[Event]:
        """Take note of the turn's end."""
        ended, self._begun = self._begun, []
        self._running = False
        return [PromptChanged(prompt, PromptStage.COMPLETED) for prompt in ended]

    def _begin(self, prompt: str) -> list[Event]:
        if self._waiting.pop(prompt, None) is None:
            return []
        self._begun.append(prompt)
        return [PromptChanged(prompt, PromptStage.STARTED)]
