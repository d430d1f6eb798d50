"""The parts of the Language Server Protocol that are needed: places in texts, and edits of them.

Rows and characters are 0-based. A server counts characters in UTF-8, UTF-16 or UTF-32.
"""

import re
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.paths import from_uri
from claude_ide.base.text_diff import areas, hunks
from claude_ide.editor.port.tools import LanguageServer, ServersView, Spot

LONGEST = 120
"""Characters of a name. Some servers put a whole value into the detail."""

KINDS = (
    *("symbol", "file", "module", "namespace", "package", "class", "method", "property", "field"),
    *("constructor", "enum", "interface", "function", "variable", "constant", "string", "number"),
    *("boolean", "array", "object", "key", "null", "enummember", "struct", "event", "operator"),
    "typeparameter",
)

T = TypeVar("T")

SHOWN = 80
"""Characters of a line in an error."""

MOST_COLUMNS = 20
WORD = "[0-9A-Za-z_\x80-\U0010ffff]"
INSIDE = f"(?<={WORD}){WORD}"
"""A place inside a word; a symbol begins and ends in none."""


class Position(msgspec.Struct, frozen=True, order=True, gc=False):
    """A place between two characters."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True, order=True, gc=False):
    """What is between two places."""

    start: Position
    end: Position


def parsed(value: Any, kind: type[T]) -> T | None:
    """Return a value of a server as a type; None if it has another form."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def range_of(value: Any, *keys: str) -> Range | None:
    """Return the first range that a value of a server has under one of the keys."""
    if not isinstance(value, dict):
        return None
    return next((found for key in keys if (found := parsed(value.get(key), Range))), None)


def listed(value: Any) -> list[Any]:
    """Return a value of a server if it is a list, otherwise an empty one."""
    return value if isinstance(value, list) else []


def path_of(uri: Any) -> str:
    """Return the path of a uri, or the uri if it names no file, as for a class in an archive."""
    if not isinstance(uri, str):
        return ""
    return from_uri(uri)


def kind_of(number: Any) -> str:
    """Return the name of a symbol's kind."""
    is_known = isinstance(number, int) and 0 < number < len(KINDS)
    return KINDS[number if is_known else 0]


def shortened(words: Any, longest: int = LONGEST) -> str:
    """Return words of a server in one line; nothing for anything else."""
    if not isinstance(words, str):
        return ""
    line = " ".join(words[: 4 * longest].split())
    return line if len(line) <= longest else line[:longest] + "…"


def place_in(view: ServersView, server: LanguageServer) -> dict[str, Any]:
    """Return the parameters of a request about the first spot of a view."""
    return {"textDocument": {"uri": view.uri}, "position": position_of(view.first, server)}


def position_of(spot: Spot | None, server: LanguageServer) -> dict[str, int]:
    """Return a spot as a server counts it."""
    assert spot is not None
    return {"line": spot.row, "character": character_of(spot.text, spot.index, server.encoding)}


def word_at(spot: Spot | None) -> str:
    """Return the word at a spot, or the empty string."""
    index = spot.index if spot else 0
    words = re.finditer(r"\w+", spot.text if spot else "")
    return next((word[0] for word in words if word.start() <= index <= word.end()), "")


def index_of(line: str, character: int, encoding: str) -> int:
    """Return the index of a server's character in a line; of a place inside one, the next."""
    if line.isascii() or encoding == "utf-32":
        return min(max(character, 0), len(line))
    passed = 0
    for index, each in enumerate(line):
        if passed >= character:
            return index
        passed += _width(each, encoding)
    return len(line)


def character_of(line: str, index: int, encoding: str) -> int:
    """Return how a server counts the character with this index."""
    before = line[:index]
    if before.isascii() or encoding == "utf-32":
        return len(before)
    return sum(_width(each, encoding) for each in before)


def _width(character: str, encoding: str) -> int:
    if encoding == "utf-16":
        return 2 if ord(character) > 0xFFFF else 1
    return len(character.encode("utf-8", "surrogateescape"))


def index_in(text: str, line: int, column: int | None, symbol: str | None) -> int:
    """Return the index of a column, from 1, or of a symbol; without both, of the first word.

    `line` is the number of the line. Raises `EditorError` that says what is wrong.
    """
    if column is not None:
        if column > len(text) + 1:
            why = f"line {line} has no column {column}; it has {len(text)} characters"
            raise EditorError(why)
        return column - 1
    if symbol is None:
        return len(text) - len(text.lstrip(" \t\v\f\r"))
    whole = f"(?!{INSIDE})(?={re.escape(symbol)}(?!{INSIDE}))"
    columns = [match.start() + 1 for match in re.finditer(whole, text)]
    if len(columns) == 1:
        return columns[0] - 1
    if not columns:
        raise EditorError(f'line {line} has no "{_cut(symbol)}"; it is: {_cut(text)}')
    listed = ", ".join(map(str, columns[:MOST_COLUMNS]))
    more = ", …" if len(columns) > MOST_COLUMNS else ""
    raise EditorError(f'line {line} has "{_cut(symbol)}" in columns {listed}{more}; give one')


def _cut(text: str) -> str:
    return f"{text[:SHOWN]}…" if len(text) > SHOWN else text


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
