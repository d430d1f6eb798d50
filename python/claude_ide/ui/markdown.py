"""Renders Markdown line by line, given the code fence that is open before a line.

Each line is rendered independently, so the cost of a growing answer is that of its new lines. Only
a table is aligned once it is complete. A construct is rendered when it is complete: its marks are
concealed, and padding is virtual, so the buffer keeps the source.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from claude_ide.ui.page import META, Decoration, Mark, Row
from claude_ide.ui.text import cells

LONGEST_LINE = 10_000
"""Longer texts (in characters) are not searched."""

_TOKEN = re.compile(
    r"(?P<escape>\\.)"
    r"|(?P<ticks>`+)"
    r"|(?P<emphasis>\*+|_+)"
    r"|!?\[(?P<label>[^\[\]]*)(?P<target>\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?: \"[^\"]*\")?\))"
    r"|(?P<url>https?://[^\s<>\"'`|)\]]+)"
)
_SPECIAL = re.compile(r"[\\`*_\[]|://")
_EMPHASIS = {1: ("ClaudeChatItalic",), 2: ("ClaudeChatBold",)}
_BOTH = ("ClaudeChatBold", "ClaudeChatItalic")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(slots=True)
class Markup:
    """The highlights and looks of one line, in characters."""

    marks: list[Mark] = field(default_factory=list)
    looks: list[Decoration] = field(default_factory=list)
    has_link: bool = False

    def hide(self, *pieces: tuple[int, int]) -> None:
        """Conceal the marks of a construct."""
        self.looks += [Decoration(first, last) for first, last in pieces]

    def row(self, line: str) -> Row:
        """Return the line with them, in bytes."""
        marks, looks = self.marks, self.looks
        if not (marks or looks):
            return Row(line)
        if not line.isascii():
            wanted = {at for mark in marks for at in (mark.first, mark.last)}
            wanted |= {at for look in looks for at in (look.first, look.last)}
            columns = _bytes(line, wanted)
            marks = [Mark(columns[first], columns[last], group) for first, last, group in marks]
            looks = [
                look._replace(first=columns[look.first], last=columns[look.last]) for look in looks
            ]
        return Row(line, tuple(marks), tuple(looks))


def search(text: str, found: Markup, at: int = 0, *, links: bool = True) -> None:
    """Add what is in `text` from `at` on; without `links` their targets stay visible."""
    if len(text) > LONGEST_LINE or not _SPECIAL.search(text):
        return
    opened: dict[str, int] = {}
    closing = _closing_ticks(text, at)
    while token := _TOKEN.search(text, at):
        start, at = token.start(), token.end()
        if ticks := token["ticks"]:
            end = closing.get(start)
            if end is not None:
                found.hide((start, at), (end, end + len(ticks)))
                at = end + len(ticks)
                found.marks.append(Mark(start, at, "ClaudeChatCode"))
        elif target := token["target"]:
            found.has_link = True
            if links and token["label"]:
                found.hide((start, token.start("label")), (at - len(target), at))
            found.marks.append(Mark(start, at, "ClaudeChatLink"))
        elif token["url"]:
            found.marks.append(Mark(start, at, "ClaudeChatLink"))
        elif token["escape"]:
            if token["escape"][1] in _PUNCTUATION:
                found.hide((start, start + 1))
        else:
            _emphasis(text, token, opened, found)


def _emphasis(text: str, token: re.Match[str], opened: dict[str, int], found: Markup) -> None:
    run = token["emphasis"]
    begun = opened.get(run)
    if begun is not None and _can_close(text, token):
        del opened[run]
        inside = text[begun + len(run) : token.start()]
        # Most names like `__init__` are meant literally.
        if run != "__" or not inside.isidentifier():
            found.hide((begun, begun + len(run)), token.span())
        groups = _EMPHASIS.get(len(run), _BOTH)
        found.marks += [Mark(begun, token.end(), group) for group in groups]
    elif _can_open(text, token):
        opened[run] = token.start()


def _closing_ticks(text: str, at: int) -> dict[int, int]:
    """Map the column of each run of backticks to that of the next run of equal length."""
    closing: dict[int, int] = {}
    if "`" in text:
        latest: dict[int, int] = {}
        for run in re.compile("`+").finditer(text, at):
            length = len(run[0])
            if length in latest:
                closing[latest[length]] = run.start()
            latest[length] = run.start()
    return closing


def _can_open(text: str, token: re.Match[str]) -> bool:
    after = text[token.end() : token.end() + 1]
    if not after or after.isspace() or len(token[0]) > 3:
        return False
    return token[0][0] == "*" or not text[max(token.start() - 1, 0) : token.start()].isalnum()


def _can_close(text: str, token: re.Match[str]) -> bool:
    if text[token.start() - 1].isspace():
        return False
    return token[0][0] == "*" or not text[token.end() : token.end() + 1].isalnum()


def _bytes(line: str, wanted: set[int]) -> dict[int, int]:
    """Return the byte columns of columns in characters."""
    columns: dict[int, int] = {}
    at = in_bytes = 0
    for column in sorted(wanted):
        in_bytes += len(line[at:column].encode())
        columns[column] = in_bytes
        at = column
    return columns


RULE = "─" * 500
"""Longer than a window is wide; Neovim cuts it at the window's edge."""

BAR, BULLET = "▎", "•"
BOXES = {" ": "☐", "x": "☑", "X": "☑"}

_FENCE = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$")
_HEADING = re.compile(r" {0,3}(#{1,6}(?:\s+|$))")
_QUOTES = re.compile(r" {0,3}>(?: {0,3}>)* ?")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"\s*([-*+]|\d{1,9}[.)])(?: \[([ xX])\])?(?=\s)")


class Fence(NamedTuple):
    """An open code fence; `quotes` is the number of quotation marks before it."""

    marker: str
    language: str
    quotes: int = 0


class Rendered(NamedTuple):
    """A line, the fence that is open after it, and whether its look depends on the width."""

    row: Row
    fence: Fence | None = None
    is_fitted: bool = False


def render(line: str, fence: Fence | None = None, *, width: int = 0) -> Rendered:
    """Render a line in a window of this width."""
    if fence is not None and not fence.quotes:
        return _in_fence(line, fence)
    found = Markup()
    begin = _quotes(line, found)
    if fence is not None and len(found.looks) >= fence.quotes:
        return _in_fence(line, fence)
    opening = _FENCE.match(line, begin)
    if opening:
        fence = Fence(opening[1], opening[2].lower(), len(found.looks))
        found.marks.append(Mark(begin, len(line), "ClaudeChatFence"))
        found.hide(opening.span(1))
        return Rendered(found.row(line), fence)
    if not begin and _RULE.match(line):
        return Rendered(_rule(line))
    fits = "](" in line and len(line) <= LONGEST_LINE and cells(line) <= width
    search(line, found, _begin(line, begin, found), links=fits)
    return Rendered(found.row(line), None, found.has_link)


def _quotes(line: str, found: Markup) -> int:
    """Add a quotation's highlight, and a bar for each of its marks; return where its text begins.

    Only the bars are looks then, so their number is that of the marks.
    """
    quotes = _QUOTES.match(line)
    if quotes is None:
        return 0
    found.marks.append(Mark(0, len(line), "ClaudeChatQuote"))
    found.looks += [
        Decoration(at, at + 1, BAR, "ClaudeChatQuote")
        for at, each in enumerate(quotes[0])
        if each == ">"
    ]
    return quotes.end()


def _begin(line: str, begin: int, found: Markup) -> int:
    """Add a heading's marks or an item's marker; return where the text after it begins."""
    if not begin and (heading := _HEADING.match(line)):
        found.marks.append(Mark(0, len(line), "ClaudeChatHeading"))
        if heading.end() < len(line):
            found.hide(heading.span(1))
        return heading.end()
    item = _ITEM.match(line, begin)
    if item is None:
        return begin
    found.marks.append(Mark(item.start(1), item.end(), "ClaudeChatList"))
    if not item[1][0].isdigit():
        sign = BOXES[item[2]] if item[2] else BULLET
        found.looks.append(Decoration(item.start(1), item.end(), sign, "ClaudeChatList"))
    return item.end()


def _rule(line: str) -> Row:
    found = Markup([Mark(0, len(line), META)])
    if len(line) < len(RULE):
        each = (Decoration(at, at + 1, RULE[0], META) for at in range(len(line)))
        overlay = Decoration(len(line), len(line), RULE, META, "overlay")
        found.looks += [*each, overlay]
    return found.row(line)


def _in_fence(line: str, fence: Fence) -> Rendered:
    found = Markup()
    begin = _quotes(line, found) if fence.quotes else 0
    found.marks.clear()
    if begin:
        found.marks.append(Mark(0, begin, "ClaudeChatQuote"))
    inside = line[begin:]
    closes = _closes(inside, fence)
    group = "ClaudeChatFence" if closes else "ClaudeChatCodeBlock"
    found.marks.append(Mark(begin, len(line), group))
    if closes:
        found.hide((begin + inside.index(fence.marker), len(line.rstrip())))
    return Rendered(found.row(line), None if closes else fence)


def _closes(line: str, fence: Fence) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence.marker) and not stripped.strip(fence.marker[0])


MOST_ROWS = 200
MOST_COLUMNS = 30
LONGEST_ROW = 1_000
"""A table with more lines, more columns or longer lines (in characters) stays as it is."""

LEAST_WIDTH = 3

_META = META
_RULE_ROW = re.compile(r"[\s|:-]+$")
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
    found: Markup
    width: int


def align(table: Table, width: int) -> list[Row] | None:
    """Return the rows of a table; None if it is too large for a window of this width."""
    lines = table.lines
    columns = len(_split(lines[1]))
    if len(lines) > MOST_ROWS or columns > MOST_COLUMNS or max(map(len, lines)) > LONGEST_ROW:
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
        _text(line, row, widths, sides)
        for line, row in zip([lines[0], *lines[2:]], texts, strict=True)
    ]
    shown[0].marks += [Mark(cell.begin, cell.end, "ClaudeChatBold") for cell in texts[0]]
    shown.insert(1, _rule_row(lines[1], rule, widths))
    if any(_room(line, found) > width for line, found in zip(lines, shown, strict=True)):
        return None
    return [found.row(line) for line, found in zip(lines, shown, strict=True)]


def _cell(line: str, first: int, last: int, conceals: bool) -> _Cell:
    text = line[first:last]
    begin = first + len(text) - len(text.lstrip())
    end = max(begin, first + len(text.rstrip()))
    inside, found = Markup(), Markup()
    search(line[begin:end], inside)
    found.marks += [Mark(begin + a, begin + b, group) for a, b, group in inside.marks]
    if conceals:
        found.looks += [Decoration(begin + look.first, begin + look.last) for look in inside.looks]
    hidden = sum(cells(line[look.first : look.last]) for look in found.looks)
    return _Cell(first, last, begin, end, found, cells(text) - hidden)


def _text(line: str, row: list[_Cell], widths: list[int], sides: list[str]) -> Markup:
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


def _rule_row(line: str, row: list[_Cell], widths: list[int]) -> Markup:
    found = _pipes(line, "├┼┤")
    for cell, width in zip(row, widths, strict=True):
        columns = range(cell.first, cell.last)
        found.looks += [
            Decoration(at, at + 1, "─" if shown < width else "", _META)
            for shown, at in enumerate(columns)
        ]
        found.looks += _padding(cell.last, width - len(columns), "─")
    return found


def _pipes(line: str, signs: str) -> Markup:
    """Return the pipes as lines; `signs` are those of the first, of the others, of the last."""
    found = Markup()
    pipes = [pipe.start() for pipe in _PIPE.finditer(line)]
    for at in pipes:
        is_first, is_last = not line[:at].strip(), not line[at + 1 :].strip()
        sign = signs[0] if is_first else signs[2] if is_last else signs[1]
        found.looks.append(Decoration(at, at + 1, sign, _META))
    return found


def _padding(at: int, missing: int, sign: str = " ") -> list[Decoration]:
    return [Decoration(at, at, sign * missing, _META, "inline")] if missing > 0 else []


def _room(line: str, found: Markup) -> int:
    """Return the width of a line without concealing anything."""
    return cells(line) + sum(len(look.text) for look in found.looks if look.how == "inline")


def _may_begin(line: str) -> bool:
    return "|" in line and not line.lstrip().startswith(">")


def _is_rule(line: str, columns: int) -> bool:
    if len(line) > LONGEST_ROW or not _RULE_ROW.match(line):
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
