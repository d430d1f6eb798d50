"""What the model says and thinks, while it does: pieces, then each block as a whole."""

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
    """The blocks of the answer that is under way. `tool` finds whose subagent speaks."""

    def __init__(
        self, sheet: Sheet, tool: Callable[[str], View | None], now: Callable[[], float | None]
    ) -> None:
        self._sheet = sheet
        self._tool = tool
        self._now = now
        self._prose: dict[str, Prose] = {}
        self._thoughts: dict[str, Thought] = {}
        self._unnamed: Thought | None = None
        """Tokens were counted of thinking that has said nothing."""
        self._counted: Thought | None = None

    def text(self, event: TextDelta | Text) -> None:
        """Take a piece of a text, or the whole of it."""
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
        """Take a piece of thinking, or the whole of it."""
        thought = self._thoughts.get(event.block) or self._thought(event.block, event.parent)
        if isinstance(event, ThinkingDelta):
            thought.add(event.text)
        else:
            told = event.milliseconds
            thought.end(event.text, None if told is None else told / 1000, self._now())
            if thought is self._counted:
                self._counted = None
        self._sheet.changed(thought)

    def tokens(self, event: ThinkingTokens) -> None:
        """Take how much was thought; it may be told before the first word."""
        if self._counted is None:
            self._counted = self._unnamed = self._new_thought("")
        self._counted.tokens = event.tokens
        self._sheet.changed(self._counted)

    def thinking_over(self) -> None:
        """Take note that the model goes on to something else."""
        if self._unnamed is not None:
            self._unnamed.end("", None, self._now())
            self._sheet.changed(self._unnamed)
        self._unnamed = self._counted = None

    def void(self, event: PreviewVoided) -> None:
        """Take away what never came to be."""
        for block in event.blocks:
            for view in (self._prose.pop(block, None), self._thoughts.pop(block, None)):
                if view is not None:
                    self._sheet.remove(view)
        if self._unnamed is not None:
            self._sheet.remove(self._unnamed)
        self._unnamed = self._counted = None

    def settle(self) -> None:
        """Take note that the turn is over."""
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
