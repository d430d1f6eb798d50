"""Highlights Markdown line by line, given the code fence that is open before a line.

Each line is highlighted independently, so the cost of a growing answer is that of its new lines.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from claude_ide.chat.page.rows import Mark, Row, size

LONGEST = 10_000
"""Longer lines (in characters) are not searched for emphasis."""

_FENCE = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)")
_QUOTE = re.compile(r"^ {0,3}>")
_RULE = re.compile(r"^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?: \[[ xX]\])?(?=\s)")
_TOKEN = re.compile(
    r"\\."
    r"|(?P<ticks>`+)"
    r"|(?P<emphasis>\*+|_+)"
    r"|(?P<link>!?\[[^\[\]]*\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?: \"[^\"]*\")?\))"
    r"|(?P<url>https?://[^\s<>\"'`|)\]]+)"
)
_EMPHASIS = {1: ("ClaudeChatItalic",), 2: ("ClaudeChatBold",)}
_BOTH = ("ClaudeChatBold", "ClaudeChatItalic")


class Fence(NamedTuple):
    """An open code fence."""

    marker: str
    language: str


def highlight(line: str, fence: Fence | None = None) -> tuple[Row, Fence | None]:
    """Return a line with its highlights, and the fence that is open after it."""
    if fence is not None:
        if _closes(line, fence):
            return _whole(line, "ClaudeChatFence"), None
        return _whole(line, "ClaudeChatCodeBlock"), fence
    if opening := _FENCE.match(line):
        return _whole(line, "ClaudeChatFence"), Fence(opening[1], opening[2].lower())
    if _HEADING.match(line):
        return _whole(line, "ClaudeChatHeading"), None
    if _RULE.match(line):
        return _whole(line, "ClaudeChatMeta"), None
    found: list[tuple[int, int, str]] = []
    if _QUOTE.match(line):
        found.append((0, len(line), "ClaudeChatQuote"))
    elif item := _ITEM.match(line):
        begin = len(line) - len(line.lstrip())
        found.append((begin, item.end(), "ClaudeChatList"))
    if len(line) <= LONGEST:
        found += _inline(line, found[0][1] if found and found[0][2] == "ClaudeChatList" else 0)
    return Row(line, _in_bytes(line, found)), None


def _whole(line: str, group: str) -> Row:
    return Row(line, (Mark(0, size(line), group),) if line else ())


def _closes(line: str, fence: Fence) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence.marker) and not stripped.strip(fence.marker[0])


def _inline(line: str, begin: int) -> Iterator[tuple[int, int, str]]:
    """Find code, links and emphasis in one pass."""
    opened: dict[str, int] = {}
    closing = _closing_ticks(line)
    at = begin
    while token := _TOKEN.search(line, at):
        at = token.end()
        if ticks := token["ticks"]:
            end = closing.get(token.start())
            if end is not None:
                yield token.start(), end + len(ticks), "ClaudeChatCode"
                at = end + len(ticks)
        elif token["link"] or token["url"]:
            yield token.start(), token.end(), "ClaudeChatLink"
        elif run := token["emphasis"]:
            begun = opened.get(run)
            if begun is not None and _can_close(line, token):
                del opened[run]
                for group in _EMPHASIS.get(len(run), _BOTH):
                    yield begun, token.end(), group
            elif _can_open(line, token):
                opened[run] = token.start()


def _closing_ticks(line: str) -> dict[int, int]:
    """Map the column of each run of backticks to that of the next run of equal length."""
    closing: dict[int, int] = {}
    if "`" in line:
        latest: dict[int, int] = {}
        for run in re.finditer("`+", line):
            length = len(run[0])
            if length in latest:
                closing[latest[length]] = run.start()
            latest[length] = run.start()
    return closing


def _can_open(line: str, token: re.Match[str]) -> bool:
    after = line[token.end() : token.end() + 1]
    if not after or after.isspace() or len(token[0]) > 3:
        return False
    return token[0][0] == "*" or not line[max(token.start() - 1, 0) : token.start()].isalnum()


def _can_close(line: str, token: re.Match[str]) -> bool:
    if line[token.start() - 1].isspace():
        return False
    return token[0][0] == "*" or not line[token.end() : token.end() + 1].isalnum()


def _in_bytes(line: str, found: list[tuple[int, int, str]]) -> tuple[Mark, ...]:
    if line.isascii() or not found:
        return tuple(Mark(*each) for each in found)
    columns: dict[int, int] = {}
    at = in_bytes = 0
    for column in sorted({column for first, last, _ in found for column in (first, last)}):
        in_bytes += len(line[at:column].encode())
        columns[column] = in_bytes
        at = column
    return tuple(Mark(columns[first], columns[last], group) for first, last, group in found)
