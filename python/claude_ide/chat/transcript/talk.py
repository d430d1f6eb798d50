"""What the model says: text and thinking, first in pieces, then each block as a whole."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from claude_ide.agents import events
from claude_ide.ui.markdown import Fence, Rendered, Table, Tables, align, render
from claude_ide.ui.page import INDENT, Code, Page, Part, Row, all_in, row
from claude_ide.ui.sheet import Action, Sheet, V, View
from claude_ide.ui.text import counted, duration, harmless, lines


class Drained(NamedTuple):
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

    def drain(self) -> Drained:
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
        return Drained(first, complete, "" if self._partial.isspace() else self._partial)


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

    def turn_ended(self) -> None:
        """Stop waiting for more: the last line is complete, as are a table and a code block."""
        self._is_over = True

    def refit(self) -> bool:
        is_fitted = self._is_fitted
        if is_fitted:
            self._text.restart()
            self._restart()
        return is_fitted

    def draw(self, page: Page) -> None:
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
        rows = align(table, self.width)
        if rows is not None:
            begin = max(table.first - self.first, 0)
            end = max(table.first + len(rows) - self.first, 0)
            self.rows[begin:end] = rows
            self.first = min(self.first, table.first)


LANGUAGES = {
    "c++": "cpp",
    "console": "bash",
    "docker": "dockerfile",
    "golang": "go",
    "js": "javascript",
    "jsonc": "json",
    "jsx": "javascript",
    "md": "markdown",
    "node": "javascript",
    "py": "python",
    "python3": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    "ts": "typescript",
    "vimscript": "vim",
    "viml": "vim",
    "yml": "yaml",
    "zsh": "bash",
}
"""By other words for them: how most parsers are called."""


def _code(fence: Fence, first: int, last: int) -> list[Code]:
    """Return the rows in a fence; in a quotation, its marks are no code that could be coloured."""
    named = re.match(r"[\w+#-]+", "" if fence.quotes else fence.language.lower())
    word = named[0] if named else ""
    return [Code(first, last, LANGUAGES.get(word, word))] if first < last else []


THINKING = "ClaudeChatThinking"


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
        self.turn_ended()
        self._seconds = seconds
        if seconds is None and self._began is not None and now is not None:
            self._seconds = now - self._began

    def turn_ended(self) -> None:
        self._over = True

    def rows(self) -> list[Row]:
        if self._over and self._blank and not self.tokens and not self._seconds:
            return []
        shown = lines(self.text.strip("\n").rstrip()) if self.open else []
        return [self._head(), *all_in(THINKING, (f"  {line}".rstrip() for line in shown))]

    def press(self, offset: int) -> Action | None:
        self.open = not self.open and not self._blank
        return None

    def markdown(self) -> str:
        return "\n".join(f"> {line}".rstrip() for line in lines(self.text.strip()))

    def _head(self) -> Row:
        sign = "▾" if self.open else "·" if self._blank else "▸"
        measures = [counted(self.tokens, "token")] if self.tokens else []
        if not self._over:
            # Without a token count, an open line need not be redrawn whenever its text grows.
            return row((" ".join([f"{sign} Thinking…", *measures[: not self.open]]), THINKING))
        if self._seconds is not None:
            measures.insert(0, duration(self._seconds))
        return row((f"{sign} Thought {' · '.join(measures)}".rstrip(), THINKING))


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

    def text(self, event: events.TextDelta | events.Text) -> None:
        """Show a piece of a text, or the complete text."""
        if not event.parent:
            self.thinking_over()
        prose = self._prose.get(event.block)
        if prose is None:
            prose = self._prose[event.block] = self._add("text", Prose, event.parent)
        if isinstance(event, events.TextDelta):
            prose.add(event.text)
        else:
            prose.replace(event.text)
        self._sheet.changed(prose)

    def thinking(self, event: events.ThinkingDelta | events.Thinking) -> None:
        """Show a piece of thinking, or all of it."""
        thought = self._thoughts.get(event.block) or self._thought(event.block, event.parent)
        if isinstance(event, events.ThinkingDelta):
            thought.add(event.text)
        else:
            took = event.milliseconds
            thought.end(event.text, None if took is None else took / 1000, self._now())
            if thought is self._counted:
                self._counted = None
        self._sheet.changed(thought)

    def tokens(self, event: events.ThinkingTokens) -> None:
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

    def void(self, event: events.PreviewVoided) -> None:
        """Remove the blocks that were abandoned."""
        for block in event.blocks:
            for view in (self._prose.pop(block, None), self._thoughts.pop(block, None)):
                if view is not None:
                    self._sheet.remove(view)
        if self._unnamed is not None:
            self._sheet.remove(self._unnamed)
        self._unnamed = self._counted = None

    def turn_ended(self) -> None:
        """Stop waiting for more: the turn is over."""
        self.thinking_over()
        live: Iterable[View] = (*self._prose.values(), *self._thoughts.values())
        for view in live:
            view.turn_ended()
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
