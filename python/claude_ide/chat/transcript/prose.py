"""Text of the model: draws pieces of Markdown, each line once."""

from claude_ide.chat.page.growing import Growing
from claude_ide.chat.page.markdown import Fence, highlight
from claude_ide.chat.page.page import Code, Page, Part
from claude_ide.chat.page.plain import harmless
from claude_ide.chat.page.rows import Row
from claude_ide.chat.page.view import View


class Prose(View):
    """Markdown that grows at its end until it is replaced as a whole."""

    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self._text = Growing()
        self._fence: Fence | None = None
        self._opened = 0

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._text.add(piece)

    def replace(self, text: str) -> None:
        """Replace the pieces with the complete text, which is authoritative."""
        if self._text.replace(text):
            self._fence = None

    def draw(self, page: Page) -> None:
        """Write the new lines, and rewrite the last one."""
        if self.is_hidden:
            self._text.restart()
            self._fence = None
            return page.write(self.part, [])
        first, complete, partial = self._text.drain()
        rows: list[Row] = []
        code: list[Code] = []
        for number, line in enumerate(complete, first):
            before = self._fence
            shown, self._fence = highlight(harmless(line), before)
            rows.append(shown)
            if before is None:
                self._opened = number
            elif self._fence is None and before.language and self._opened + 1 < number:
                code.append(Code(self._opened + 1, number, before.language))
        if partial:
            rows.append(highlight(harmless(partial), self._fence)[0])
        page.write(self.part, self.indented(rows), first, code)

    def markdown(self) -> str:
        """Return the text itself."""
        return self._text.text
