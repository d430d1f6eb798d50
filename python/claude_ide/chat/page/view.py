"""The common base of all views: drawing, key presses, file locations, export."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from claude_ide.chat.page.page import Page, Part
from claude_ide.chat.page.rows import Row, indented

_LOCATION = re.compile(r"(?P<path>[\w.~@+/-]*[\w/])(?:(?::|#L|\()(?P<line>\d+))?")
LONGEST_PATH = 500

Location = tuple[str, int | None]
"""A path as it was written, and a 1-based line, or None if the line is unknown."""


@dataclass(frozen=True, slots=True)
class OpenOutput:
    """The user wants to read the whole of a text that is shown in part."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Review:
    """The user wants to answer this request in a larger window, such as a plan or questions."""

    request: str


@dataclass(frozen=True, slots=True)
class ShowEarlier:
    """The user wants to read what is above the first line."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The user wants to resume this stored session in place of an empty one."""

    session: str


Action = OpenOutput | Review | ShowEarlier | Resume
"""What the panel has to do after a press, apart from changes within the transcript."""


class View:
    """The view of one part; each kind of view derives from this class."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.above: View | None = None
        """The view of which this one is a child."""
        self.is_nested = False
        """Whether it is folded together with the view above."""
        self.children: list[View] = []

    @property
    def is_folded(self) -> bool:
        """Whether the views nested in this one are hidden."""
        return False

    @property
    def is_hidden(self) -> bool:
        """Whether it is nested in a view that is folded."""
        above = self.above
        return above is not None and (above.is_hidden or (self.is_nested and above.is_folded))

    def draw(self, page: Page) -> None:
        """Write the changed rows to the page."""
        rows = [] if self.is_hidden else self.indented(self.rows())
        page.write(self.part, rows, kind=self.part_kind)

    def rows(self) -> list[Row]:
        """Return the current rows."""
        return []

    @property
    def part_kind(self) -> str:
        """The part's current kind, which determines its keys in the editor."""
        return self.part.kind

    def indented(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows with the indentation of this part."""
        return indented(rows, self.part.depth)

    def last(self) -> Part:
        """Return the last part of this view and its children."""
        shown = [child for child in self.children if not child.part.is_removed]
        return shown[-1].last() if shown else self.part

    def below(self) -> Iterator["View"]:
        """Yield the children that are still shown, with theirs."""
        for child in self.children:
            if not child.part.is_removed:
                yield child
                yield from child.below()

    def settle(self) -> None:
        """Stop waiting for more: the turn is over."""

    def refit(self) -> bool:
        """Prepare for another width of the window; return whether it has to be drawn again."""
        return False

    def press(self, offset: int) -> Action | None:
        """Open or close the part; return the action that remains for the panel."""
        return None

    def location(self, offset: int, column: int) -> Location | None:
        """Return the file location under the cursor (`column` in bytes)."""
        return location_in(self.part.line(offset), column)

    def markdown(self) -> str:
        """Return the part's text in an export; empty if it has none."""
        return ""


def location_in(line: str, column: int) -> Location | None:
    """Return the path and the line that a text contains at a byte column."""
    at = len(line.encode()[:column].decode(errors="ignore"))
    begin = max(0, at - LONGEST_PATH)
    for found in _LOCATION.finditer(line[begin : at + LONGEST_PATH]):
        if found.start() <= at - begin < found.end():
            path, number = found["path"], found["line"]
            name = path.strip("./")
            if number or (name and ("/" in path or "." in name)):
                return path, int(number) if number else None
            return None
    return None
