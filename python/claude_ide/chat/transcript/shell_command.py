"""The view of a shell command: its line, and the end of its output."""

from collections.abc import Callable

from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import as_printed, one_line
from claude_ide.chat.page.rows import Chunk, Row, row
from claude_ide.chat.page.view import Action, View
from claude_ide.chat.transcript import detail
from claude_ide.chat.transcript.detail import DETAIL, Detail
from claude_ide.quotation import fenced

"""The output of a command; of a long one, only the beginning and the end are kept."""

KEPT = 15_000
"""How many bytes of the output are kept at its beginning, and as many at its end."""


class Output:
    """The output of a command so far."""

    def __init__(self) -> None:
        self.size = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        self.size += len(piece)
        missing = KEPT - len(self._head)
        self._head += piece[:missing]
        self._tail += piece[missing:]
        del self._tail[:-KEPT]

    @property
    def text(self) -> str:
        """The output, with a line for the bytes that are missing."""
        missing = self.size - len(self._head) - len(self._tail)
        if not missing:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (kept.decode("utf-8", "replace") for kept in (self._head, self._tail))
        return f"{head}\n… {missing:,} bytes are missing here …\n{tail}"


PREVIEW = 10
"""How many lines are shown before the user opens it."""

LONGEST_TITLE = 200


class Ran(View):
    """A command of the user; `clock` returns seconds, or None in the history of a session."""

    def __init__(self, part: Part, command: str, clock: Callable[[], float | None]) -> None:
        super().__init__(part)
        self.command = command
        self.output = Output()
        self.outcome = ""
        """How it has failed; empty if it has not."""
        self._open = False
        self._clock = clock
        self._began = clock()
        self._is_over = False
        self._seconds: float | None = None
        self._details: list[Detail] = []

    def end(self, outcome: str) -> None:
        """Show that it has ended."""
        self.outcome = outcome
        self._is_over = True
        self._seconds = self._elapsed()

    @property
    def text(self) -> str:
        """The output without colours."""
        return as_printed(self.output.text)

    def rows(self) -> list[Row]:
        """Return its line and its output, or the end of that."""
        details = detail.below(detail.of_output(self.output.text, self.command))
        self._details = details if self._open else details[-PREVIEW:]
        if above := len(details) - len(self._details):
            label = f"    … {amounts.count(above, 'line')} above"
            self._details = [Detail(row((label, DETAIL))), *self._details]
        return [row(*self._head()), *(each.row for each in self._details)]

    def press(self, offset: int) -> Action | None:
        """Show all of the output, or only its end."""
        if 0 < offset <= len(self._details) and (action := self._details[offset - 1].action):
            return action
        self._open = not self._open
        return None

    def markdown(self) -> str:
        """Return the command and its output as a code block."""
        output = self.text.rstrip("\n")
        return fenced("console", f"$ {self.command}\n{output}")

    def _head(self) -> list[Chunk]:
        head = [("! ", "ClaudeChatUser"), (one_line(self.command, LONGEST_TITLE), "ClaudeChatCode")]
        if not self._is_over:
            running = amounts.seconds(int(self._elapsed() or 0))
            return [*head, (f"  {running} …", "ClaudeChatToolRunning")]
        if self.outcome:
            head.append((f"  {self.outcome}", "ClaudeChatToolFailed"))
        if self._seconds is not None:
            head.append((f"  {amounts.duration(self._seconds)}", "ClaudeChatMeta"))
        return head

    def _elapsed(self) -> float | None:
        now = self._clock()
        return None if now is None or self._began is None else now - self._began
