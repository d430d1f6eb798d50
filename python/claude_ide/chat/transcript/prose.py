"""Text of the model: draws pieces of Markdown, each line once."""

from typing import NamedTuple

from claude_ide.chat.page import tables
from claude_ide.chat.page.markdown import Fence, Rendered, render
from claude_ide.chat.page.page import Code, Page, Part
from claude_ide.chat.page.plain import harmless
from claude_ide.chat.page.rows import INDENT, Row
from claude_ide.chat.page.tables import Table, Tables
from claude_ide.chat.page.view import View


class Lines(NamedTuple):
    """The new part of a text: complete lines from number `first` on, and an incomplete one."""

    first: int
    complete: list[str]
    partial: str


class Growing:
    """A text that is drained line by line, without blank lines at its beginning and its end."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._new: list[str] = []
        self._partial = ""
        self._drained = 0

    @property
    def text(self) -> str:
        """The whole text."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def add(self, piece: str) -> None:
        """Append a piece; the work is done by the next `drain`."""
        self._pieces.append(piece)
        self._new.append(piece)

    def replace(self, text: str) -> bool:
        """Replace the text; True if it differs, and `drain` then starts over."""
        if text == self.text:
            return False
        self._pieces = [text]
        self.restart()
        return True

    def restart(self) -> None:
        """Have `drain` start over."""
        self._new, self._partial, self._drained = [self.text], "", 0

    def drain(self) -> Lines:
        """Return the lines that are new since the last call, and always the partial line."""
        *complete, self._partial = "".join((self._partial, *self._new)).split("\n")
        self._new.clear()
        first = self._drained
        if first == 0:
            begin = next((at for at, line in enumerate(complete) if line.strip()), len(complete))
            del complete[:begin]
        while complete and not self._partial.strip() and not complete[-1].strip():
            # Blank lines at the end are left out, and these may turn out to be the last ones.
            self._partial = f"{complete.pop()}\n{self._partial}"
        self._drained += len(complete)
        return Lines(first, complete, "" if self._partial.isspace() else self._partial)


class Prose(View):
    """Markdown that grows at its end until it is replaced as a whole."""

    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self._text = Growing()
        self._is_over = False
        self._restart()

    def _restart(self) -> None:
        self._fence: Fence | None = None
        self._opened = 0
        self._tables = Tables()
        self._is_fitted = False

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._text.add(piece)
        self._is_over = False

    def replace(self, text: str) -> None:
        """Replace the pieces with the complete text, which is authoritative."""
        if self._text.replace(text):
            self._restart()
        self._is_over = True

    def settle(self) -> None:
        """Stop waiting for more: the last line is complete, as are a table and a code block."""
        self._is_over = True

    def refit(self) -> bool:
        """Render the text again if its look depends on the width of the window."""
        is_fitted = self._is_fitted
        if is_fitted:
            self._text.restart()
            self._restart()
        return is_fitted

    def draw(self, page: Page) -> None:
        """Write the new lines, and rewrite the last one and a table that is complete."""
        if self.is_hidden:
            self._text.restart()
            self._restart()
            return page.write(self.part, [])
        first, complete, partial = self._text.drain()
        new = _Lines(page, self.part, first)
        code: list[Code] = []
        for number, line in enumerate(map(harmless, complete), first):
            before = self._fence
            shown = render(line, before, width=new.width)
            self._fence = shown.fence
            new.add(shown, self._tables.add(number, None if before or shown.fence else line))
            code += self._closed(before, number)
            self._is_fitted = self._is_fitted or shown.is_fitted
        self._add_last(new, code, harmless(partial))
        self._is_fitted = self._is_fitted or new.has_table
        page.write(self.part, self.indented(new.rows), new.first, code)

    def markdown(self) -> str:
        """Return the text itself."""
        return self._text.text

    def _closed(self, before: Fence | None, number: int) -> list[Code]:
        """Return the block that a line closes; remember where a fence was opened."""
        opened = self._opened
        if self._fence is before:
            return []
        self._opened = number
        return _code(before, opened + 1, number) if before is not None else []

    def _add_last(self, new: "_Lines", code: list[Code], partial: str) -> None:
        """Add the line that may still grow; if the text is over, what it ends with is complete."""
        before = fence = self._fence
        if partial:
            shown = render(partial, before, width=new.width)
            fence = shown.fence
            new.add(shown)
        if self._is_over:
            new.align(self._tables.last(partial if partial and not (before or fence) else None))
            closed = bool(partial) and fence is not before
            if before is not None:
                code += _code(before, self._opened + 1, new.end - closed)


class _Lines:
    """The rows to write from number `first` on."""

    def __init__(self, page: Page, part: Part, first: int) -> None:
        self.width = page.width - part.depth * len(INDENT)
        self.renders = page.renders
        self.first = first
        self.rows: list[Row] = []
        self.has_table = False

    @property
    def end(self) -> int:
        return self.first + len(self.rows)

    def add(self, shown: Rendered, table: Table | None = None) -> None:
        """Add a line; `table` has ended before it."""
        self.align(table)
        self.rows.append(shown.row if self.renders else shown.row._replace(looks=()))

    def align(self, table: Table | None) -> None:
        """Replace the rows of a table, which may begin before `first`."""
        if table is None or not self.renders:
            return
        self.has_table = True
        rows = tables.align(table, self.width)
        if rows is not None:
            begin = max(table.first - self.first, 0)
            end = max(table.first + len(rows) - self.first, 0)
            self.rows[begin:end] = rows
            self.first = min(self.first, table.first)


def _code(fence: Fence, first: int, last: int) -> list[Code]:
    """Return the rows in a fence; in a quotation, its marks are no code that could be coloured."""
    return [Code(first, last, "" if fence.quotes else fence.language)] if first < last else []
