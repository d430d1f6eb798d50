"""Tables of Markdown: found line by line, and aligned once they are complete.

The padding is virtual, so the buffer keeps the source.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from claude_ide.chat.page.inline import Found, search
from claude_ide.chat.page.rows import Look, Mark, Row
from claude_ide.chat.page.visible import cells

MOST_LINES = 200
MOST_COLUMNS = 30
LONGEST = 1_000
"""A table with more lines, more columns or longer lines (in characters) stays as it is."""

LEAST_WIDTH = 3

_META = "ClaudeChatMeta"
_RULE = re.compile(r"[\s|:-]+$")
_RULED = re.compile(r"\s*:?-+:?\s*$")
_PIPE = re.compile(r"(?<!\\)\|")


class Table(NamedTuple):
    """Lines of a text from number `first` on, which are a table."""

    first: int
    lines: list[str]


class Tables:
    """Finds tables in the lines of a text, which are added one after the other."""

    def __init__(self) -> None:
        self._first = 0
        self._lines: list[str] = []

    def add(self, number: int, line: str | None) -> Table | None:
        """Add a line, None for one of code; return the table that has ended before it."""
        if line is not None and self._continues(line):
            self._lines.append(line)
            return None
        ended = self._table(self._lines)
        self._first = number
        self._lines = [line] if line is not None and _may_begin(line) else []
        return ended

    def last(self, line: str | None) -> Table | None:
        """Return the table that the text ends with; `line` is its last line if that is new."""
        continues = line is not None and self._continues(line)
        return self._table([*self._lines, line] if line is not None and continues else self._lines)

    def _table(self, lines: list[str]) -> Table | None:
        return Table(self._first, lines) if len(lines) > 1 else None

    def _continues(self, line: str) -> bool:
        if not self._lines or not _may_begin(line):
            return False
        return len(self._lines) > 1 or _is_rule(line, len(_split(self._lines[0])))


class _Cell(NamedTuple):
    """What is between two pipes: its columns and those of its text, and how that looks."""

    first: int
    last: int
    begin: int
    end: int
    found: Found
    width: int


def align(table: Table, width: int) -> list[Row] | None:
    """Return the rows of a table; None if it is too large for a window of this width."""
    lines = table.lines
    columns = len(_split(lines[1]))
    if len(lines) > MOST_LINES or columns > MOST_COLUMNS or max(map(len, lines)) > LONGEST:
        return None
    # Neovim wraps a line as if its concealed marks were shown, so they may need the room.
    return _aligned(lines, columns, width, True) or _aligned(lines, columns, width, False)


def _aligned(lines: list[str], columns: int, width: int, conceals: bool) -> list[Row] | None:
    head, rule, *below = ([_cell(line, *span, conceals) for span in _split(line)] for line in lines)
    texts = [cells[:columns] for cells in (head, *below)]
    widths = [LEAST_WIDTH] * columns
    for row in texts:
        for at, cell in enumerate(row):
            widths[at] = max(widths[at], cell.width)
    sides = [_side(lines[1][cell.first : cell.last]) for cell in rule]
    shown = [
        _text(line, row, widths, sides) for line, row in zip(_texts(lines), texts, strict=True)
    ]
    shown[0].marks += [Mark(cell.begin, cell.end, "ClaudeChatBold") for cell in texts[0]]
    shown.insert(1, _rule(lines[1], rule, widths))
    if any(_room(line, found) > width for line, found in zip(lines, shown, strict=True)):
        return None
    return [found.row(line) for line, found in zip(lines, shown, strict=True)]


def _texts(lines: list[str]) -> list[str]:
    return [lines[0], *lines[2:]]


def _cell(line: str, first: int, last: int, conceals: bool) -> _Cell:
    text = line[first:last]
    begin = first + len(text) - len(text.lstrip())
    end = max(begin, first + len(text.rstrip()))
    inside, found = Found(), Found()
    search(line[begin:end], inside)
    found.marks += [Mark(begin + a, begin + b, group) for a, b, group in inside.marks]
    if conceals:
        found.looks += [Look(begin + look.first, begin + look.last) for look in inside.looks]
    hidden = sum(cells(line[look.first : look.last]) for look in found.looks)
    return _Cell(first, last, begin, end, found, cells(text) - hidden)


def _text(line: str, row: list[_Cell], widths: list[int], sides: list[str]) -> Found:
    found = _pipes(line, "│││")
    for cell, width, side in zip(row, widths, sides, strict=False):
        found.marks += cell.found.marks
        found.looks += cell.found.looks
        missing = width - cell.width
        before = {"left": 0, "right": missing, "centre": missing // 2}[side]
        found.looks += _padding(cell.begin, before)
        if cell.last < len(line):
            found.looks += _padding(cell.last, missing - before)
    return found


def _rule(line: str, row: list[_Cell], widths: list[int]) -> Found:
    found = _pipes(line, "├┼┤")
    for cell, width in zip(row, widths, strict=True):
        columns = range(cell.first, cell.last)
        found.looks += [
            Look(at, at + 1, "─" if shown < width else "", _META)
            for shown, at in enumerate(columns)
        ]
        found.looks += _padding(cell.last, width - len(columns), "─")
    return found


def _pipes(line: str, signs: str) -> Found:
    """Return the pipes as lines; `signs` are those of the first, of the others, of the last."""
    found = Found()
    pipes = [pipe.start() for pipe in _PIPE.finditer(line)]
    for at in pipes:
        is_first, is_last = not line[:at].strip(), not line[at + 1 :].strip()
        sign = signs[0] if is_first else signs[2] if is_last else signs[1]
        found.looks.append(Look(at, at + 1, sign, _META))
    return found


def _padding(at: int, missing: int, sign: str = " ") -> list[Look]:
    return [Look(at, at, sign * missing, _META, "inline")] if missing > 0 else []


def _room(line: str, found: Found) -> int:
    """Return the width of a line without concealing anything."""
    return cells(line) + sum(len(look.text) for look in found.looks if look.how == "inline")


def _may_begin(line: str) -> bool:
    return "|" in line and not line.lstrip().startswith(">")


def _is_rule(line: str, columns: int) -> bool:
    if len(line) > LONGEST or not _RULE.match(line):
        return False
    spans = _split(line)
    return len(spans) == columns and all(_RULED.match(line[first:last]) for first, last in spans)


def _side(rule: str) -> str:
    rule = rule.strip()
    if not rule.endswith(":"):
        return "left"
    return "centre" if rule.startswith(":") else "right"


def _split(line: str) -> list[tuple[int, int]]:
    """Return the columns of the cells of a line, without the outer pipes."""
    edges = [pipe.start() for pipe in _PIPE.finditer(line)]
    if not edges or line[: edges[0]].strip():
        edges.insert(0, -1)
    if line[edges[-1] + 1 :].strip() or len(edges) == 1:
        edges.append(len(line))
    return [(first + 1, last) for first, last in pairwise(edges)]
