"""The locations that language servers answer, in order, each place once."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from claude_ide.editor.protocol import Position, Range, index_of, path_of, range_of
from claude_ide.editor.servers import Answer
from claude_ide.mcp.lsp.source import Line


class Location(msgspec.Struct, frozen=True):
    """A range in a file, or in a uri that names no file; `rank` is the place of its server."""

    path: str
    range: Range
    encoding: str
    rank: int

    def places(self) -> list[tuple[str, int]]:
        """Return the lines in which it begins and ends."""
        return [(self.path, self.range.start.line), (self.path, self.range.end.line)]


def gathered(answers: list[Answer]) -> list[Location]:
    """Return all locations in the order of paths and positions; several servers may give one."""
    return sorted(_plain(answers), key=_order)


def has_mixed_encodings(answers: list[Answer]) -> bool:
    """Return whether the servers count characters in different ways."""
    return len({answer.server.encoding for answer in answers}) > 1


def in_indices(locations: list[Location], line_at: Line) -> list[Location]:
    """Return locations with indices of characters, in order: these can be compared."""

    def convert(each: Location) -> Location:
        start, end = (
            Position(
                place.line, index_of(line_at(each.path, place.line), place.character, each.encoding)
            )
            for place in (each.range.start, each.range.end)
        )
        return Location(each.path, Range(start, end), "utf-32", each.rank)

    return sorted(map(convert, locations), key=_order)


def without_duplicates(locations: list[Location]) -> list[Location]:
    """Return sorted locations, of the same places only that of the first server."""
    kept: list[Location] = []
    for each in locations:
        if not kept or not _is_same(kept[-1], each):
            kept.append(each)
        elif each.rank < kept[-1].rank:
            kept[-1] = each
    return kept


def _plain(answers: list[Answer]) -> Iterator[Location]:
    """Return each `Location` and `LocationLink`, and leave out anything else."""
    paths = cache(path_of)
    for rank, answer in enumerate(answers):
        result = answer.result
        for each in result if isinstance(result, list) else [result]:
            place = range_of(each, "range", "targetSelectionRange", "targetRange")
            uri = place and (each.get("uri") or each.get("targetUri"))
            if place and isinstance(uri, str) and (path := paths(uri)):
                yield Location(path, place, answer.server.encoding, rank)


def _order(location: Location) -> tuple[Any, ...]:
    return location.path, location.range.start


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
