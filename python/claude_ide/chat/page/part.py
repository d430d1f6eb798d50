"""A part of a page: its rows, and those that the editor has."""

from dataclasses import dataclass, field
from typing import NamedTuple

from claude_ide.chat.page.rows import Row

NOT_SENT = Row("\n")
"""A row that equals no real row."""


class Code(NamedTuple):
    """The rows of a part that are inside a closed code fence; `last` is exclusive."""

    first: int
    last: int
    language: str


@dataclass(slots=True, eq=False)
class Part:
    """A piece of the page with an id, by which the editor names it. Only the page changes it.

    It knows which of its rows the editor has.
    """

    id: int
    kind: str
    """Determines which keys the editor offers on it."""
    depth: int = 0
    tail: bool = False
    is_removed: bool = False
    rows: list[Row] = field(default_factory=list)
    sent: list[Row] = field(default_factory=list)
    clean: int = 0
    """The number of rows at the beginning that are unchanged since they were sent."""
    lead: int = 0
    """1 if its first row is the blank line before it."""
    code: list[Code] = field(default_factory=list)
    code_sent: set[Code] = field(default_factory=set)
    """The fences in `code` that the editor knows."""

    def line(self, offset: int) -> str:
        """Return the text of a row; empty if there is no such row."""
        at = offset + self.lead
        return self.rows[at].text if offset >= 0 and at < len(self.rows) else ""

    def resend_mark(self) -> None:
        """Have the first row sent again, which carries the id and the kind."""
        if len(self.sent) > self.lead:
            self.sent[self.lead] = NOT_SENT
            self.clean = min(self.clean, self.lead)

    def resend(self) -> None:
        """Have everything sent again."""
        self.sent, self.clean, self.code_sent = [], 0, set()

    def forget_code(self, first: int, last: int) -> None:
        """Forget that the editor knows the fences to which these sent rows belong."""
        self.code_sent = {code for code in self.code_sent if not self._overlaps(code, first, last)}

    def difference(self) -> tuple[int, int]:
        """Return how many rows at the beginning and at the end are unchanged."""
        rows, sent = self.rows, self.sent
        first, shorter = self.clean, min(len(rows), len(sent))
        while first < shorter and rows[first] == sent[first]:
            first += 1
        end, most = 0, shorter - first
        if first <= self.lead:
            # The row that carries the part's mark in the buffer must be rewritten.
            most = min(most, max(shorter - self.lead - 1, 0))
        while end < most and rows[-1 - end] == sent[-1 - end]:
            end += 1
        return first, end

    def is_sent(self, code: Code) -> bool:
        """Return whether the editor has a fence's rows and, if it is closed, the row after them."""
        last = code.last + self.lead
        return last < self.clean or last == self.clean == len(self.rows)

    def _overlaps(self, code: Code, first: int, last: int) -> bool:
        """Return whether the rows from `first` to `last` belong to a fence."""
        opened, closed = code.first + self.lead - 1, code.last + self.lead
        return opened < max(first, last) and closed >= first
