"""Rows: lines of a buffer with their highlights; columns are bytes, as in Neovim."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from claude_ide.chat.page.text import harmless

Chunk = tuple[str, str]
"""A text and its highlight group; "" means no highlight."""

INDENT = "  "


class Mark(NamedTuple):
    """A highlight in a row; columns are 0-based bytes, the last one exclusive."""

    first: int
    last: int
    group: str


class Look(NamedTuple):
    """A part of a row that is shown as another text, while the buffer keeps the source.

    `conceal` replaces the part by at most one character; `inline` inserts text at `first`;
    `overlay` covers the rest of the window's row from `first` on.
    """

    first: int
    last: int
    text: str = ""
    group: str = ""
    how: Literal["conceal", "inline", "overlay"] = "conceal"


class Row(NamedTuple):
    """One line, its highlights, and how parts of it look."""

    text: str
    marks: tuple[Mark, ...] = ()
    looks: tuple[Look, ...] = ()


BLANK = Row("")

META, KEY, DETAIL = "ClaudeChatMeta", "ClaudeChatKey", "ClaudeChatDetail"
REQUEST, WARNING = "ClaudeChatRequest", "ClaudeChatWarning"


def size(text: str) -> int:
    """Return the size of a text in a buffer, in bytes."""
    return len(text) if text.isascii() else len(text.encode())


def row(*chunks: Chunk) -> Row:
    """Return a row made of chunks; their texts are made harmless."""
    marks = []
    texts = [harmless(text) for text, _ in chunks]
    column = 0
    for text, (_, group) in zip(texts, chunks, strict=True):
        end = column + size(text)
        if group and text:
            marks.append(Mark(column, end, group))
        column = end
    return Row("".join(texts), tuple(marks))


def all_in(group: str, lines: Iterable[str]) -> list[Row]:
    """Return a row for each line, wholly highlighted."""
    return [row((line, group)) for line in lines]


def indented(rows: Iterable[Row], depth: int) -> list[Row]:
    """Return the rows, indented `depth` times; empty rows stay empty."""
    if not depth:
        return list(rows)
    by = len(INDENT) * depth
    return [moved(each, by) if each.text else each for each in rows]


def moved(each: Row, by: int) -> Row:
    """Return a row with so many blanks before it."""
    marks = tuple(Mark(first + by, last + by, group) for first, last, group in each.marks)
    looks = tuple(look._replace(first=look.first + by, last=look.last + by) for look in each.looks)
    return Row(" " * by + each.text, marks, looks)


def key_row(key: str, meaning: str) -> Row:
    """Return a row for a key that answers a request."""
    return row(("  ", ""), (key, KEY), (f"  {meaning}", DETAIL))


def drawn(rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows as a page for the editor (`chat/page.lua`)."""
    marks = [(number, *mark) for number, each in enumerate(rows) for mark in each.marks]
    return {"lines": [each.text for each in rows], "marks": marks}
