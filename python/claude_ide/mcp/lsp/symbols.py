"""The symbols that language servers know: those of a file as a tree, and those of the project."""

from collections.abc import Iterator
from typing import Any

import msgspec

from claude_ide.editor.protocol import (
    Position,
    Range,
    kind_of,
    listed,
    path_of,
    range_of,
    shortened,
)
from claude_ide.editor.servers import Answer


class DocumentSymbol(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A symbol of a file, and those in it."""

    name: str
    range: Range
    selection_range: Range | None = None
    kind: Any = None
    detail: Any = None
    children: "list[DocumentSymbol] | None" = None


class Symbol(msgspec.Struct, frozen=True):
    """A symbol of a file and its depth, from 0."""

    depth: int
    node: DocumentSymbol

    def __str__(self) -> str:
        """Return its kind, its name and, if the server tells it, more about it."""
        words = kind_of(self.node.kind), shortened(self.node.name), shortened(self.node.detail)
        return " ".join(filter(None, words))

    @property
    def range(self) -> Range:
        """The whole symbol."""
        return self.node.range

    @property
    def start(self) -> Position:
        """Where its name begins."""
        return (self.node.selection_range or self.node.range).start


class ProjectSymbol(msgspec.Struct, frozen=True):
    """A symbol of the project. Some servers give only its file."""

    path: str
    name: str
    kind: str
    container: str
    range: Range | None
    encoding: str


def of_document(answers: list[Answer]) -> tuple[list[Symbol], str]:
    """Return the symbols of a file in their order, and how their server counts characters.

    Of several servers, one that answers a tree is taken: together they would name all twice.
    """
    if not answers:
        return [], "utf-16"
    chosen = next((each for each in answers if _is_tree(each.result)), answers[0])
    symbols = _of_tree if _is_tree(chosen.result) else _of_list
    return [*symbols(chosen.result)], chosen.server.encoding


def of_project(answers: list[Answer]) -> list[ProjectSymbol]:
    """Return the symbols in the order of the servers, which rank what they find."""
    found: dict[object, ProjectSymbol] = {}
    for answer in answers:
        for symbol in answer.result:
            location = symbol.get("location") if isinstance(symbol, dict) else None
            path = path_of(location.get("uri")) if isinstance(location, dict) else ""
            if path and isinstance(symbol.get("name"), str):
                name, kind = shortened(symbol["name"]), kind_of(symbol.get("kind"))
                container, place = (
                    shortened(symbol.get("containerName")),
                    range_of(location, "range"),
                )
                key = path, symbol["name"], place and place.start
                each = ProjectSymbol(path, name, kind, container, place, answer.server.encoding)
                found.setdefault(key, each)
    return [*found.values()]


def _is_tree(result: list[Any]) -> bool:
    first = result[0]
    return isinstance(first, DocumentSymbol) or (
        isinstance(first, dict) and "location" not in first
    )


def _plain(symbol: Any) -> DocumentSymbol | None:
    """Return a symbol in any form; a `SymbolInformation` has no children."""
    if isinstance(symbol, DocumentSymbol):
        return symbol
    if not isinstance(symbol, dict) or not isinstance(symbol.get("name"), str):
        return None
    whole = range_of(symbol, "range") or range_of(symbol.get("location"), "range")
    if whole is None:
        return None
    return DocumentSymbol(
        symbol["name"],
        whole,
        range_of(symbol, "selectionRange"),
        symbol.get("kind"),
        symbol.get("detail"),
        listed(symbol.get("children")),
    )


def _of_tree(symbols: list[Any]) -> Iterator[Symbol]:
    path = [iter(symbols)]
    while path:
        for symbol in path[-1]:
            if plain := _plain(symbol):
                yield Symbol(len(path) - 1, plain)
                if plain.children:
                    path.append(iter(plain.children))
                    break
        else:
            path.pop()


def _of_list(symbols: list[Any]) -> Iterator[Symbol]:
    """Return a flat list as a tree: each symbol is in those around it."""
    around: list[Range] = []
    for each in sorted(filter(None, map(_plain, symbols)), key=_order):
        while around and around[-1].end < each.range.end:
            around.pop()
        yield Symbol(len(around), each)
        around.append(each.range)


def _order(symbol: DocumentSymbol) -> tuple[int, ...]:
    start, end = symbol.range.start, symbol.range.end
    return start.line, start.character, -end.line, -end.character
