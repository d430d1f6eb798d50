"""Rows: one line of a buffer with its highlights, whose columns are bytes as Neovim's are."""

from collections.abc import Iterable
from typing import NamedTuple

from claude_ide.chat.page.plain import harmless

Chunk = tuple[str, str]
"""A text and its highlight group; an empty group is none."""

INDENT = "  "


class Mark(NamedTuple):
    """A highlight in a row; columns are 0-based bytes, the last one exclusive."""

    first: int
    last: int
    group: str


class Row(NamedTuple):
    """One line and what is highlighted in it."""

    text: str
    marks: tuple[Mark, ...] = ()


BLANK = Row("")


def size(text: str) -> int:
    """Return how many bytes a text takes in a buffer."""
    return len(text) if text.isascii() else len(text.encode())


def row(*chunks: Chunk) -> Row:
    """Return the row that is made of these chunks, whose texts may come from outside."""
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
    """Return a row for each line, highlighted from end to end."""
    return [row((line, group)) for line in lines]


def indented(rows: Iterable[Row], depth: int) -> list[Row]:
    """Return the rows, moved to the right; empty ones stay empty."""
    if not depth:
        return list(rows)
    by = len(INDENT) * depth
    return [_moved(each, by) if each.text else each for each in rows]


def _moved(each: Row, by: int) -> Row:
    marks = tuple(Mark(first + by, last + by, group) for first, last, group in each.marks)
    return Row(" " * by + each.text, marks)
