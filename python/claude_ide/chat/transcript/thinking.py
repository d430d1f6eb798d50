"""Thinking: one dim line with its time and its tokens, which opens to show the text."""

from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import lines
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
        self._pieces: list[str] = []
        self._blank = True

    @property
    def text(self) -> str:
        """The text so far; models may hide all or parts of it."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._pieces.append(piece)
        self._blank = self._blank and not piece.strip()

    def end(self, text: str, seconds: float | None, now: float | None) -> None:
        """End it with the complete text; `seconds` is the agent's measurement, if it has one."""
        if text.strip():
            self._pieces, self._blank = [text], False
        self.settle()
        self._seconds = seconds
        if seconds is None and self._began is not None and now is not None:
            self._seconds = now - self._began

    def settle(self) -> None:
        """Stop waiting for more."""
        self._over = True

    def rows(self) -> list[Row]:
        """Return the line and, if it is open, the text below it."""
        if self._over and self._blank and not self.tokens and not self._seconds:
            return []
        shown = lines(self.text.strip("\n").rstrip()) if self.open else []
        return [self._head(), *all_in(GROUP, (f"  {line}".rstrip() for line in shown))]

    def press(self, offset: int) -> Action | None:
        """Open or close the text."""
        self.open = not self.open and not self._blank
        return None

    def markdown(self) -> str:
        """Return the text as a quotation."""
        return "\n".join(f"> {line}".rstrip() for line in lines(self.text.strip()))

    def _head(self) -> Row:
        sign = "▾" if self.open else "·" if self._blank else "▸"
        measures = [amounts.count(self.tokens, "token")] if self.tokens else []
        if not self._over:
            # Without a token count, an open line need not be redrawn whenever its text grows.
            return row((" ".join([f"{sign} Thinking…", *measures[: not self.open]]), GROUP))
        if self._seconds is not None:
            measures.insert(0, amounts.duration(self._seconds))
        return row((f"{sign} Thought {' · '.join(measures)}".rstrip(), GROUP))
