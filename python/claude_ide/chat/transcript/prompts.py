"""The user's prompts: they wait at the end, and become turns when the agent starts them."""

from collections.abc import Iterable, Sequence

from claude_ide.agents.events import PromptStage
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.transcript.turns import Queued, Turn


class Prompts:
    """The prompts that the user has sent and that have not started."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._held: list[Queued] = []
        """Those that the agent does not have yet."""
        self._queued: dict[str, Queued] = {}
        self._stages: dict[str, PromptStage] = {}
        """The stages of waiting prompts, and of those that were reported before `add`."""
        self.current = ""
        """The prompt that has started last."""

    @property
    def is_empty(self) -> bool:
        """Whether no prompt waits."""
        return not self._held and not self._queued

    @property
    def queued(self) -> dict[str, str]:
        """The texts of the prompts that wait at the agent, by their ids."""
        return {prompt: view.text for prompt, view in self._queued.items()}

    def hold(self, text: str, chips: Sequence[str], *, at_once: bool) -> Queued:
        """Show a prompt that the agent does not have yet; `at_once` if it starts immediately."""
        view = self._sheet.add("queued", lambda part: Queued(part, "", text, chips), tail=True)
        view.hint = not at_once
        self._held.append(view)
        return view

    def drop(self, view: Queued) -> None:
        """Remove a prompt that the agent will not get."""
        if view in self._held:
            self._held.remove(view)
            self._sheet.remove(view)

    def sent(self, view: Queued, prompt: str, *, at_once: bool) -> None:
        """Give a prompt the id by which the agent names it; `at_once` if it starts immediately.

        The agent may have reported a stage of this prompt before.
        """
        stage = self._stages.get(prompt)
        if stage is PromptStage.CANCELLED or prompt in self._queued:
            self._stages.pop(prompt, None)
            return self.drop(view)
        self._held.remove(view)
        view.prompt, view.hint = prompt, not at_once
        self._sheet.changed(view)
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
                self.turn(prompt, view.text, view.chips, view.missing)

    def turn(
        self, prompt: str, text: str, chips: Sequence[str] = (), missing: Sequence[str] = ()
    ) -> None:
        """Show a prompt that has started."""
        self.current = prompt
        self._sheet.add("turn", lambda part: Turn(part, prompt, text, chips, missing))
