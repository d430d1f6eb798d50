"""Renders Markdown line by line, given the code fence that is open before a line.

Each line is rendered independently, so the cost of a growing answer is that of its new lines.
`page/tables.py` aligns the lines of a table, once it is complete.
"""

import re
from typing import NamedTuple

from claude_ide.chat.page.inline import LONGEST, Found, search
from claude_ide.chat.page.rows import Look, Mark, Row
from claude_ide.chat.page.visible import cells

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
    found = Found()
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
    fits = "](" in line and len(line) <= LONGEST and cells(line) <= width
    search(line, found, _begin(line, begin, found), links=fits)
    return Rendered(found.row(line), None, found.has_link)


def _quotes(line: str, found: Found) -> int:
    """Add a quotation's highlight, and a bar for each of its marks; return where its text begins.

    Only the bars are looks then, so their number is that of the marks.
    """
    quotes = _QUOTES.match(line)
    if quotes is None:
        return 0
    found.marks.append(Mark(0, len(line), "ClaudeChatQuote"))
    found.looks += [
        Look(at, at + 1, BAR, "ClaudeChatQuote") for at, each in enumerate(quotes[0]) if each == ">"
    ]
    return quotes.end()


def _begin(line: str, begin: int, found: Found) -> int:
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
        found.looks.append(Look(item.start(1), item.end(), sign, "ClaudeChatList"))
    return item.end()


def _rule(line: str) -> Row:
    found = Found([Mark(0, len(line), "ClaudeChatMeta")])
    if len(line) < len(RULE):
        each = (Look(at, at + 1, RULE[0], "ClaudeChatMeta") for at in range(len(line)))
        overlay = Look(len(line), len(line), RULE, "ClaudeChatMeta", "overlay")
        found.looks += [*each, overlay]
    return found.row(line)


def _in_fence(line: str, fence: Fence) -> Rendered:
    found = Found()
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
