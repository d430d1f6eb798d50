"""The model's text and thinking: first in pieces, then each block as a whole."""

from collections.abc import Callable, Iterable

from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
)
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.sheet import Sheet, V
from claude_ide.chat.page.view import View
from claude_ide.chat.transcript.prose import Prose
from claude_ide.chat.transcript.thinking import Thought


class Talk:
    """The blocks of the current answer. `tool` finds the view of a tool use, by its id."""

    def __init__(
        self, sheet: Sheet, tool: Callable[[str], View | None], now: Callable[[], float | None]
    ) -> None:
        self._sheet = sheet
        self._tool = tool
        self._now = now
        self._prose: dict[str, Prose] = {}
        self._thoughts: dict[str, Thought] = {}
        self._unnamed: Thought | None = None
        """Thinking whose tokens were reported before its first text."""
        self._counted: Thought | None = None

    def text(self, event: TextDelta | Text) -> None:
        """Show a piece of a text, or the complete text."""
        if not event.parent:
            self.thinking_over()
        prose = self._prose.get(event.block)
        if prose is None:
            prose = self._prose[event.block] = self._add("text", Prose, event.parent)
        if isinstance(event, TextDelta):
            prose.add(event.text)
        else:
            prose.replace(event.text)
        self._sheet.changed(prose)

    def thinking(self, event: ThinkingDelta | Thinking) -> None:
        """Show a piece of thinking, or all of it."""
        thought = self._thoughts.get(event.block) or self._thought(event.block, event.parent)
        if isinstance(event, ThinkingDelta):
            thought.add(event.text)
        else:
            took = event.milliseconds
            thought.end(event.text, None if took is None else took / 1000, self._now())
            if thought is self._counted:
                self._counted = None
        self._sheet.changed(thought)

    def tokens(self, event: ThinkingTokens) -> None:
        """Show the tokens of the current thinking; they may precede its first text."""
        if self._counted is None:
            self._counted = self._unnamed = self._new_thought("")
        self._counted.tokens = event.tokens
        self._sheet.changed(self._counted)

    def thinking_over(self) -> None:
        """End the current thinking: the model continues with something else."""
        if self._unnamed is not None:
            self._unnamed.end("", None, self._now())
            self._sheet.changed(self._unnamed)
        self._unnamed = self._counted = None

    def void(self, event: PreviewVoided) -> None:
        """Remove the blocks that were abandoned."""
        for block in event.blocks:
            for view in (self._prose.pop(block, None), self._thoughts.pop(block, None)):
                if view is not None:
                    self._sheet.remove(view)
        if self._unnamed is not None:
            self._sheet.remove(self._unnamed)
        self._unnamed = self._counted = None

    def settle(self) -> None:
        """Stop waiting for more: the turn is over."""
        self.thinking_over()
        live: Iterable[View] = (*self._prose.values(), *self._thoughts.values())
        for view in live:
            view.settle()
            self._sheet.changed(view)
        self._prose.clear()
        self._thoughts.clear()

    def _thought(self, block: str, parent: str) -> Thought:
        if self._unnamed is not None and not parent:
            thought, self._unnamed = self._unnamed, None
        else:
            thought = self._new_thought(parent)
        if not parent:
            self._counted = thought
        self._thoughts[block] = thought
        return thought

    def _new_thought(self, parent: str) -> Thought:
        began = self._now()
        return self._add("thinking", lambda part: Thought(part, began), parent)

    def _add(self, kind: str, make: Callable[[Part], V], parent: str) -> V:
        below = self._tool(parent) if parent else None
        return self._sheet.add(kind, make, below=below, indent=bool(parent))
