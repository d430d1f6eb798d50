"""What language servers answer: locations, symbols, calls and texts, in order, each once."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.tools import LanguageServer, ServerReply
from claude_ide.editor.protocol import (
    Position,
    Range,
    index_of,
    kind_of,
    listed,
    path_of,
    range_of,
    shortened,
)
from claude_ide.editor.servers import ServerAnswer

MOST_CALLS = 20
"""Of one function."""

MOST_FUNCTIONS = 10
"""A place may stand for overloads."""

LONGEST_NAME = 200

TEXT_CHARACTERS = 50_000
"""An answer shows less."""


# Locations.


class Location(msgspec.Struct, frozen=True):
    """A range in a file, or in a uri that names no file; `rank` is the place of its server."""

    path: str
    range: Range
    encoding: str
    rank: int


def locations(answers: list[ServerAnswer]) -> list[Location]:
    """Return the locations in the order of paths and positions, each once.

    Several servers may give one: that of the first server stays.
    """
    kept: list[Location] = []
    for each in sorted(_locations(answers), key=lambda each: (each.path, each.range.start)):
        if not kept or not _is_same(kept[-1], each):
            kept.append(each)
        elif each.rank < kept[-1].rank:
            kept[-1] = each
    return kept


def _locations(answers: list[ServerAnswer]) -> Iterator[Location]:
    """Return each `Location` and `LocationLink`, and leave out anything else."""
    paths = cache(path_of)
    for rank, answer in enumerate(answers):
        result = answer.result
        for each in result if isinstance(result, list) else [result]:
            place = range_of(each, "range", "targetSelectionRange", "targetRange")
            uri = place and (each.get("uri") or each.get("targetUri"))
            if place and isinstance(uri, str) and (path := paths(uri)):
                yield Location(path, place, answer.server.encoding, rank)


def _is_same(one: Location, other: Location) -> bool:
    """Return whether two sorted locations are the same place.

    Two servers may give the same place: one the name, the other the whole definition. Some of them
    count characters in their own way, which moves the name a little.
    """
    start, end = other.range.start, one.range.end
    if one.path != other.path or one.range.start.line != start.line:
        return False
    if one.range.start == start:
        return True
    return one.rank != other.rank and (end.line > start.line or end.character > start.character)


# Symbols.


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


def document_symbols(answers: list[ServerAnswer]) -> tuple[list[Symbol], str]:
    """Return the symbols of a file in their order, and how their server counts characters.

    Of several servers, one that answers a tree is taken: together they would name all twice.
    """
    if not answers:
        return [], "utf-16"
    chosen = next((each for each in answers if _is_tree(each.result)), answers[0])
    symbols = _tree if _is_tree(chosen.result) else _flat
    return [*symbols(chosen.result)], chosen.server.encoding


def project_symbols(answers: list[ServerAnswer]) -> list[ProjectSymbol]:
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


def _tree(symbols: list[Any]) -> Iterator[Symbol]:
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


def _flat(symbols: list[Any]) -> Iterator[Symbol]:
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


# Calls.


class Function(msgspec.Struct, frozen=True):
    """A function at the place, and the server that knows it, to which its `data` goes back."""

    server: LanguageServer
    item: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.item.get("name"))[:LONGEST_NAME]


class HierarchyCall(msgspec.Struct, frozen=True):
    """The other function of some calls, and where these begin, in the file `calls_path`."""

    path: str
    name: str
    kind: str
    start: Position
    encoding: str
    calls: list[Position]
    calls_path: str

    def places(self) -> list[tuple[str, int]]:
        """Return the lines that describe it."""
        rows = [(self.calls_path, start.line) for start in self.calls[:MOST_CALLS]]
        return [(self.path, self.start.line), *rows]


def functions(answers: list[ServerAnswer]) -> list[Function]:
    """Return the functions at a place."""
    return [
        Function(answer.server, item)
        for answer in answers
        for item in (listed(answer.result) or [answer.result])[:MOST_FUNCTIONS]
        if isinstance(item, dict) and isinstance(item.get("uri"), str)
    ]


def callers(asked: list[Function], replies: list[ServerReply]) -> list[HierarchyCall]:
    """Return the functions of all calls, by path and place.

    Raises `EditorError` if all servers have failed.
    """
    failures, found = [], dict[object, HierarchyCall]()
    for function, reply in zip(asked, replies, strict=True):
        if reply.failure:
            failures.append(f"{function.server.name}: {reply.failure}")
        for call in listed(reply.result):
            if each := _caller(function, call):
                found.setdefault((each.path, each.start.line, each.name), each)
    if failures and len(failures) == len(replies):
        raise EditorError("; ".join(failures))
    return sorted(found.values(), key=lambda each: (each.path, each.start))


def _caller(function: Function, call: Any) -> HierarchyCall | None:
    """Return the other function of a call; None for anything else."""
    if not isinstance(call, dict):
        return None
    is_incoming = "from" in call
    item = call.get("from" if is_incoming else "to")
    place = range_of(item, "selectionRange", "range")
    path = path_of(item.get("uri")) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or place is None or not path:
        return None
    ranges = (range_of({"": each}, "") for each in listed(call.get("fromRanges")))
    # Some servers give each range twice.
    starts = dict.fromkeys(each.start for each in ranges if each)
    return HierarchyCall(
        path,
        str(item.get("name"))[:LONGEST_NAME],
        kind_of(item.get("kind")),
        place.start,
        function.server.encoding,
        [*starts],
        path if is_incoming else path_of(function.item["uri"]),
    )


# Documentation.


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a signature, and what is said about it."""

    label: str
    text: str


class Signature(msgspec.Struct, frozen=True):
    """A signature. `active` is the number of the parameter at the place; -1 if it is not known."""

    label: str
    text: str
    parameters: list[Parameter]
    is_active: bool
    active: int


def words(contents: Any) -> str:
    """Return documentation in any of the forms of the protocol as one text."""
    text = "\n".join(_lines(contents)).strip()
    return text if len(text) <= TEXT_CHARACTERS else text[:TEXT_CHARACTERS] + "…"


def _lines(contents: Any) -> list[str]:
    match contents:
        case str():
            return contents.strip().splitlines()
        case {"kind": _}:
            return _lines(contents.get("value"))
        case {"language": language}:
            return [f"```{language}", *str(contents.get("value") or "").splitlines(), "```"]
        case list():
            return [line for each in contents for line in _lines(each)]
    return []


def signatures(result: Any) -> list[Signature]:
    """Return the signatures of an answer."""
    chosen = result.get("activeSignature")
    chosen = chosen if isinstance(chosen, int) else 0
    return [
        _signature(each, result, is_active=index == chosen)
        for index, each in enumerate(listed(result.get("signatures")))
        if isinstance(each, dict) and isinstance(each.get("label"), str)
    ]


def _signature(each: dict[str, Any], result: dict[str, Any], *, is_active: bool) -> Signature:
    index = each.get("activeParameter", result.get("activeParameter"))
    label = each["label"]
    found = (_parameter(one, label) for one in listed(each.get("parameters")))
    parameters = [one for one in found if one is not None]
    active = index if is_active and isinstance(index, int) else -1
    return Signature(label, words(each.get("documentation")), parameters, is_active, active)


def _parameter(each: Any, signature: str) -> Parameter | None:
    """Return a parameter: its label is its text, or a part of the signature in UTF-16."""
    if not isinstance(each, dict):
        return None
    match each.get("label"):
        case str() as label:
            pass
        case [int() as first, int() as last]:
            start, end = (index_of(signature, at, "utf-16") for at in (first, last))
            label = signature[start:end]
        case _:
            return None
    return Parameter(label, words(each.get("documentation")))
