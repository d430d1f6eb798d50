"""Lines of files: of a buffer, saved or not, otherwise of the disk."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from claude_ide.editor.editor import Editor
from claude_ide.editor.protocol import Position, index_of

LARGEST_BYTES = 2_000_000
"""A larger file is not read."""

LONGEST = 300
"""Characters of a line."""


class Lines:
    """Lines of files, by path and row; one that is not known is empty."""

    def __init__(self, known: dict[tuple[str, int], str]) -> None:
        self._known = known

    def at(self, path: str, row: int) -> str:
        """Return a line."""
        return self._known.get((path, row), "")

    def place(self, path: str, start: Position, encoding: str) -> str:
        """Return the line and the column of a place, as a model counts them."""
        return f"{start.line + 1}:{column(self.at(path, start.line), start.character, encoding)}"

    def excerpt(self, path: str, start: Position, encoding: str) -> str:
        """Return the line of a place; of a long one, the part around it."""
        line = self.at(path, start.line)
        return excerpt(line, index_of(line, start.character, encoding))


async def lines_at(editor: Editor, places: Iterable[tuple[str, int]]) -> Lines:
    """Read lines of files, by path and row."""
    rows: defaultdict[str, set[int]] = defaultdict(set)
    for path, row in places:
        # Others are uris that name no file.
        if path.startswith("/"):
            rows[path].add(row)
    wanted: list[dict[str, Any]] = [
        {"path": path, "rows": sorted(each)} for path, each in rows.items()
    ]
    found = await editor.port.buffers.lines(wanted) if wanted else []
    known: dict[tuple[str, int], str] = {}
    unopened = {}
    for each, lines in zip(wanted, found, strict=True):
        path = each["path"]
        if isinstance(lines, bool):
            unopened[path] = rows[path]
        else:
            known |= {(path, row): line for row, line in zip(each["rows"], lines, strict=True)}
    if unopened:
        known |= await asyncio.to_thread(_on_disk, unopened)
    return Lines(known)


def column(line: str, character: int, encoding: str) -> int:
    """Return the column that a model counts; a line that is not known counts as ASCII."""
    return (index_of(line, character, encoding) if line else max(character, 0)) + 1


def excerpt(line: str, index: int) -> str:
    """Return a line without its indent; of a long one, the part around an index."""
    if len(line) <= LONGEST:
        return line.strip(" \t\v\f\r")
    first = max(min(index, len(line)) - LONGEST // 3, 0)
    last = first + LONGEST
    return f"{'…' * (first > 0)}{line[first:last]}{'…' * (last < len(line))}"


def _on_disk(rows: dict[str, set[int]]) -> dict[tuple[str, int], str]:
    return {
        (path, row): line
        for path, wanted in rows.items()
        for row, line in enumerate(_lines(path))
        if row in wanted
    }


def _lines(path: str) -> list[str]:
    """Return the lines of a file; none if it is large, or no regular file."""
    file = Path(path)
    try:
        # Opening a named pipe would wait for its other end.
        if not file.is_file() or file.stat().st_size > LARGEST_BYTES:
            return []
        text = file.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]
