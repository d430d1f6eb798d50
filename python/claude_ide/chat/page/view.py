"""What every part of the transcript can do: be drawn, pressed, pointed at, exported."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from claude_ide.chat.page.page import Page, Part
from claude_ide.chat.page.rows import Row, indented

_PLACE = re.compile(r"(?P<path>[\w.~@+/-]*[\w/])(?:(?::|#L|\()(?P<line>\d+))?")
LONGEST_PATH = 500

Place = tuple[str, int | None]
"""A path as it was written, and a line of it, 1-based, where that is known."""


@dataclass(frozen=True, slots=True)
class OpenOutput:
    """The user wants to read a whole text, which is shown in part."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Review:
    """The user wants to answer this request where there is room for it: a plan, questions."""

    request: str


Action = OpenOutput | Review
"""What the panel is to do after a press; what changes in the transcript itself it does alone."""


class View:
    """One part and what it shows; kinds of parts derive from this."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.children: list[View] = []

    def draw(self, page: Page) -> None:
        """Write what has changed to the page."""
        page.write(self.part, self.indented(self.rows()), kind=self.part_kind)

    def rows(self) -> list[Row]:
        """Return what is shown now."""
        return []

    @property
    def part_kind(self) -> str:
        """What the editor lets the user do with the part, as it is shown now."""
        return self.part.kind

    def indented(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows as far to the right as this part stands."""
        return indented(rows, self.part.depth)

    def last(self) -> Part:
        """Return the last part that stands below this one and belongs to it."""
        shown = [child for child in self.children if not child.part.gone]
        return shown[-1].last() if shown else self.part

    def settle(self) -> None:
        """Take note that nothing more comes: the turn is over."""

    def press(self, offset: int) -> Action | None:
        """Open or close; return what is left to do for others."""
        return None

    def place(self, offset: int, column: int) -> Place | None:
        """Return the file that is named under the cursor (`column` in bytes)."""
        return place_in(self.part.line(offset), column)

    def markdown(self) -> str:
        """Return what belongs into an export, or nothing."""
        return ""


def place_in(line: str, column: int) -> Place | None:
    """Return the path and the line that a text names around a byte column."""
    at = len(line.encode()[:column].decode(errors="ignore"))
    begin = max(0, at - LONGEST_PATH)
    for found in _PLACE.finditer(line[begin : at + LONGEST_PATH]):
        if found.start() <= at - begin < found.end():
            path, number = found["path"], found["line"]
            name = path.strip("./")
            if number or (name and ("/" in path or "." in name)):
                return path, int(number) if number else None
            return None
    return None
