"""Lines of files: of a buffer, saved or not, otherwise of the disk."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from claude_ide.editor.editor import Editor
from claude_ide.editor.protocol import index_of

LARGEST_BYTES = 2_000_000
"""A larger file is not read."""

LONGEST = 300
"""Characters of a line."""

Line = Callable[[str, int], str]
"""From a path and a row to a line; empty if it is not known."""


async def lines_at(editor: Editor, places: Iterable[tuple[str, int]]) -> Line:
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
    return lambda path, row: known.get((path, row), "")


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
