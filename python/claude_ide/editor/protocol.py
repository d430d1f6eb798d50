"""The parts of the Language Server Protocol that are needed, and how servers count characters.

Rows and characters are 0-based. A server counts characters in UTF-8, UTF-16 or UTF-32.
"""

import re
from typing import Any, TypeVar

import msgspec

from claude_ide.base.paths import from_uri
from claude_ide.editor.port.servers import Server, Spot, View

LONGEST = 120
"""Characters of a name. Some servers put a whole value into the detail."""

KINDS = (
    *("symbol", "file", "module", "namespace", "package", "class", "method", "property", "field"),
    *("constructor", "enum", "interface", "function", "variable", "constant", "string", "number"),
    *("boolean", "array", "object", "key", "null", "enummember", "struct", "event", "operator"),
    "typeparameter",
)

T = TypeVar("T")


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


def place_in(view: View, server: Server) -> dict[str, Any]:
    """Return the parameters of a request about the first spot of a view."""
    return {"textDocument": {"uri": view.uri}, "position": position_of(view.first, server)}


def position_of(spot: Spot | None, server: Server) -> dict[str, int]:
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
