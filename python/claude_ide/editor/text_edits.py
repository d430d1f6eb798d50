"""Edits of texts, as language servers and formatters make them."""

from itertools import accumulate

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.text_diff import areas, hunks
from claude_ide.editor.protocol import Position, Range, character_of, index_of


class TextEdit(msgspec.Struct, frozen=True, rename="camel"):
    """An edit of one range."""

    range: Range
    new_text: str


def edited(lines: list[str], groups: list[list[TextEdit]], encoding: str) -> list[str]:
    """Return the lines of a text after edits.

    An empty file has one line in its buffer, which is no part of the text after an edit that ends
    with a line feed.
    """
    was_empty = lines == [""]
    for edits in groups:
        lines = _applied(lines, edits, encoding)
    return lines[:-1] if was_empty and len(lines) > 1 and lines[-1] == "" else lines


def _applied(lines: list[str], edits: list[TextEdit], encoding: str) -> list[str]:
    text = "\n".join(lines) + "\n"
    starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def offset(place: Position) -> int:
        if place.line >= len(lines):
            return len(text)
        line = lines[max(place.line, 0)]
        return starts[max(place.line, 0)] + index_of(line, place.character, encoding)

    def is_beyond(place: Position) -> bool:
        """Return whether a place is behind the end of its line: a server may count its end."""
        line = lines[place.line] if 0 <= place.line < len(lines) else None
        return line is not None and place.character > character_of(line, len(line), encoding)

    ordered = []
    for edit in edits:
        start, end = sorted((edit.range.start, edit.range.end))
        new = edit.new_text.replace("\r\n", "\n").replace("\r", "\n")
        if is_beyond(end):
            new = new.removesuffix("\n")
        ordered.append((offset(start), offset(end), new))
    parts, at = [], 0
    # Sorting keeps the order of insertions at one place; these come before what is replaced there.
    for first, last, new in sorted(ordered, key=lambda each: each[:2]):
        if first < at:
            raise EditorError("the language server answered edits that overlap")
        parts += [text[at:first], new]
        at = last
    return "".join([*parts, text[at:]]).removesuffix("\n").split("\n")


def count_changed(before: list[str], after: list[str]) -> int:
    """Return how many lines change: those removed or those added, whichever are more."""
    removed = added = 0
    for first, last, start, stop in hunks(before, after):
        removed, added = removed + last - first, added + stop - start
    return max(removed, added)


def within(before: list[str], after: list[str], first: int, last: int) -> list[str]:
    """Return the lines with only those changes that touch some lines, 1-based.

    An insertion touches the line after it.
    """
    lines = [*before]
    for start, stop, begin, end in reversed([*areas(before, after)]):
        if start < last and max(stop, start + 1) >= first:
            lines[start:stop] = after[begin:end]
    return lines
