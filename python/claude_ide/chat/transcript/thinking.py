"""Thinking: one dim line with its time and its tokens, which opens to show the text."""

from claude_ide.chat.page import amounts
from claude_ide.chat.page.growing import Growing
from claude_ide.chat.page.page import Page, Part
from claude_ide.chat.page.plain import harmless, lines
from claude_ide.chat.page.rows import Row, all_in, row
from claude_ide.chat.page.view import Action, View

GROUP = "ClaudeChatThinking"


class Thought(View):
    """One block of thinking; `began` is its start in seconds, None if unknown."""

    def __init__(self, part: Part, began: float | None) -> None:
        super().__init__(part)
        self.open = False
        self.tokens = 0
        self._began = began
        self._seconds: float | None = None
        self._over = False
        self._shown = False
        self._text = Growing()

    @property
    def text(self) -> str:
        """The text so far; models may hide all or parts of it."""
        return self._text.text

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._text.add(piece)

    def end(self, text: str, seconds: float | None, now: float | None) -> None:
        """End it with the complete text; `seconds` is the agent's measurement, if it has one."""
        if text.strip():
            self._text.replace(text)
        self.settle()
        self._seconds = seconds
        if seconds is None and self._began is not None and now is not None:
            self._seconds = now - self._began

    def settle(self) -> None:
        """Stop waiting for more."""
        self._over = True
        self._shown = False

    def draw(self, page: Page) -> None:
        """Write the line and, if it is open, the new text below it."""
        if self.is_hidden:
            self._shown = False
            return page.write(self.part, [])
        if not self._shown:
            head = [] if self._is_empty() else [self._head()]
            page.write(self.part, self.indented(head))
        if self.open:
            if not self._shown:
                self._text.restart()
            first, complete, partial = self._text.drain()
            new = [*complete, partial] if partial else complete
            shown = (f"  {harmless(line)}".rstrip() for line in new)
            page.write(self.part, self.indented(all_in(GROUP, shown)), first + 1)
        self._shown = self.open

    def press(self, offset: int) -> Action | None:
        """Open or close the text."""
        self.open = not self.open and not self._text.blank
        self._shown = False
        return None

    def markdown(self) -> str:
        """Return the text as a quotation."""
        return "\n".join(f"> {line}".rstrip() for line in lines(self.text.strip()))

    def _head(self) -> Row:
        sign = "▾" if self.open else "·" if self._text.blank else "▸"
        measures = [amounts.count(self.tokens, "token")] if self.tokens else []
        if not self._over:
            # Without a token count, an open line need not be redrawn whenever its text grows.
            return row((" ".join([f"{sign} Thinking…", *measures[: not self.open]]), GROUP))
        if self._seconds is not None:
            measures.insert(0, amounts.duration(self._seconds))
        return row((f"{sign} Thought {' · '.join(measures)}".rstrip(), GROUP))

    def _is_empty(self) -> bool:
        return self._over and self._text.blank and not self.tokens and not self._seconds
