"""Markdown within a line: code, links and emphasis, in characters.

A construct looks rendered when it is complete: its marks are concealed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from claude_ide.chat.page.rows import Look, Mark, Row

LONGEST = 10_000
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
class Found:
    """The highlights and looks of one line, in characters."""

    marks: list[Mark] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    has_link: bool = False

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


@dataclass(slots=True)
class _Search:
    """A search in one text; each construct is recorded with the pieces that it hides."""

    text: str
    hidden: list[tuple[int, list[tuple[int, int]]]] = field(default_factory=list)
    limit: int = 0
    """Where a construct has begun that may still be completed."""


def search(
    text: str, found: Found, at: int = 0, *, links: bool = True, partial: bool = False
) -> None:
    """Add what is in `text` from `at` on.

    Without `links` their targets stay visible. If the text is `partial`, more of it will follow:
    only what no continuation can change is concealed.
    """
    if len(text) > LONGEST or not _SPECIAL.search(text):
        return
    looking = _Search(text, limit=len(text))
    for mark in _marks(looking, at, found, links=links and not partial):
        found.marks.append(mark)
    end = _settled(looking, found, at) if partial else len(text) + 1
    found.looks += [
        Look(first, last)
        for construct_end, pieces in looking.hidden
        if construct_end < end
        for first, last in pieces
    ]


def _marks(looking: _Search, at: int, found: Found, *, links: bool) -> Iterator[Mark]:
    """Find everything in one pass."""
    text, hidden = looking.text, looking.hidden
    opened: dict[str, int] = {}
    closing = _closing_ticks(text, at)
    while token := _TOKEN.search(text, at):
        start, at = token.start(), token.end()
        if ticks := token["ticks"]:
            end = closing.get(start)
            if end is None:
                looking.limit = min(looking.limit, start)
                continue
            hidden.append((end + len(ticks), [(start, at), (end, end + len(ticks))]))
            at = end + len(ticks)
            yield Mark(start, at, "ClaudeChatCode")
        elif target := token["target"]:
            found.has_link = True
            if links and token["label"]:
                hidden.append((at, [(start, token.start("label")), (at - len(target), at)]))
            yield Mark(start, at, "ClaudeChatLink")
        elif token["url"]:
            yield Mark(start, at, "ClaudeChatLink")
        elif token["escape"]:
            if token["escape"][1] in _PUNCTUATION:
                hidden.append((at, [(start, start + 1)]))
        else:
            yield from _emphasis(looking, token, opened)


def _emphasis(looking: _Search, token: re.Match[str], opened: dict[str, int]) -> Iterator[Mark]:
    text, run = looking.text, token["emphasis"]
    begun = opened.get(run)
    if begun is not None and _can_close(text, token):
        del opened[run]
        inside = text[begun + len(run) : token.start()]
        # Most names like `__init__` are meant literally.
        if run != "__" or not inside.isidentifier():
            pieces = [(begun, begun + len(run)), token.span()]
            looking.hidden.append((token.end(), pieces))
        for group in _EMPHASIS.get(len(run), _BOTH):
            yield Mark(begun, token.end(), group)
    elif _can_open(text, token):
        opened[run] = token.start()


def _settled(looking: _Search, found: Found, begin: int) -> int:
    """Return the end of the text in which nothing can change, whatever follows."""
    text = looking.text
    spans = [mark for mark in found.marks if mark.group in ("ClaudeChatCode", "ClaudeChatLink")]
    bracket = text.find("[", begin)
    while bracket >= 0 and any(first <= bracket < last for first, last, _ in spans):
        bracket = text.find("[", bracket + 1)
    return min(looking.limit, bracket) if bracket >= 0 else looking.limit


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
