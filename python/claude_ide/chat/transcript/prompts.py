"""The user's prompts: they wait at the end, and become turns when the agent starts them."""

from collections.abc import Iterable, Sequence

from claude_ide.agents.events import PromptStage
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.transcript.turns import Queued, Turn


class Prompts:
    """The prompts that were sent and have not started."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._queued: dict[str, Queued] = {}
        self._stages: dict[str, PromptStage] = {}
        """The stages of waiting prompts, and of those that were reported before `add`."""
        self.current = ""
        """The prompt that has started last."""

    @property
    def queued(self) -> dict[str, str]:
        """The texts of the waiting prompts, by their ids."""
        return {prompt: view.text for prompt, view in self._queued.items()}

    def add(self, prompt: str, text: str, chips: Sequence[str], *, at_once: bool) -> None:
        """Show a prompt that was sent; `at_once` if it starts immediately."""
        if prompt in self._queued:
            return
        stage = self._stages.get(prompt)
        if stage is PromptStage.CANCELLED:
            del self._stages[prompt]
            return
        view = self._sheet.add("queued", lambda part: Queued(part, prompt, text, chips), tail=True)
        view.hint = not at_once
        self._queued[prompt] = view
        if stage not in (None, PromptStage.QUEUED):
            self.begin([prompt])

    def apply(self, prompt: str, stage: PromptStage) -> bool:
        """Apply the stage of a prompt; return whether a turn starts with it."""
        if stage is PromptStage.CANCELLED and prompt in self._queued:
            self._sheet.remove(self._queued.pop(prompt))
            self._stages.pop(prompt, None)
            return False
        if prompt in self._queued and stage is not PromptStage.QUEUED:
            self.begin([prompt])
            return True
        self._stages[prompt] = stage
        return stage is PromptStage.STARTED

    def begin_next(self) -> None:
        """Start the first waiting prompt: a turn has started without a report of its prompt."""
        self.begin(list(self._queued)[:1])

    def begin(self, prompts: Iterable[str]) -> None:
        """Turn waiting prompts into turns."""
        for prompt in prompts:
            view = self._queued.pop(prompt, None)
            if view is not None:
                self._stages.pop(prompt, None)
                self._sheet.remove(view)
                self.turn(prompt, view.text, view.chips)

    def turn(self, prompt: str, text: str, chips: Sequence[str] = ()) -> None:
        """Show a prompt that has started."""
        self.current = prompt
        self._sheet.add("turn", lambda part: Turn(part, prompt, text, chips))
