"""Markdown within a line: code, links and emphasis, in characters.

A construct looks rendered when it is complete: its marks are concealed.
"""

import re
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

    def hide(self, *pieces: tuple[int, int]) -> None:
        """Conceal the marks of a construct."""
        self.looks += [Look(first, last) for first, last in pieces]

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


def search(text: str, found: Found, at: int = 0, *, links: bool = True) -> None:
    """Add what is in `text` from `at` on; without `links` their targets stay visible."""
    if len(text) > LONGEST or not _SPECIAL.search(text):
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


def _emphasis(text: str, token: re.Match[str], opened: dict[str, int], found: Found) -> None:
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
