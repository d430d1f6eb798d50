"""What several tools share: arguments, lines of files, and answers of bounded length."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.base.unicode import readable
from claude_ide.editor.editor import Editor
from claude_ide.editor.protocol import Position, index_of
from claude_ide.mcp.tool import Arguments, Content, text

ANSWER_CHARACTERS = 24_000
"""The CLI saves a longer answer to a file, of which the model sees only the start."""

ENTRY_CHARACTERS = 500
HEADING_CHARACTERS = 2_000
EXCERPT_CHARACTERS = 300
LARGEST_FILE_BYTES = 2_000_000
"""Of a larger file no lines are read."""

FilePath = Annotated[str, Meta(min_length=1, description="Absolute path of the file")]
Line = Annotated[int, Meta(ge=1, description="Line, from 1")]
Offset = Annotated[int, Meta(ge=0, description="How many entries to skip")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many entries at most")]
Positive = Annotated[int, Meta(ge=1)]
Words = Annotated[str, Meta(min_length=1)]


class SymbolPlace(Arguments, frozen=True):
    """A position in a file, by its column or by the symbol that is there."""

    file: FilePath
    line: Line
    column: Annotated[
        Positive | None,
        Meta(description="Column, from 1, in characters; or name the symbol instead"),
    ] = None
    symbol: Annotated[Words | None, Meta(description="Text of the symbol in that line")] = None

    def fields(self) -> dict[str, Any]:
        """Return what names the place for the editor."""
        return msgspec.structs.asdict(self)


def page(heading: str, lines: Iterable[str], rest: str = "") -> Content:
    """Return a heading and lines as one text.

    `rest` says how to get what was left out before. Lines that do not fit are left out, too.
    """
    kept = [_shortened(heading, HEADING_CHARACTERS)]
    room = ANSWER_CHARACTERS - len(kept[0])
    left_out = 0
    for line in lines:
        # The end of a line, such as in a file's name, would end the entry.
        short = _shortened(line.replace("\r", "\\r").replace("\n", "\\n"), ENTRY_CHARACTERS)
        room -= len(short) + 1
        if left_out or room < 0:
            left_out += 1
        else:
            kept.append(short)
    if left_out:
        kept.append(f"({left_out:,} more lines do not fit; ask for fewer entries)")
    if rest:
        kept.append(rest)
    # Half of a surrogate pair, which a buffer may have, is no valid JSON.
    return text(readable("\n".join(kept)))


def remaining(total: int, offset: int, shown: Sequence[object]) -> str:
    """Return the line that says how to get the entries after those shown; "" if there are none."""
    end = offset + len(shown)
    return f"({total - end:,} more: offset={end})" if end < total else ""


def count(number: int, noun: str) -> str:
    """Return `1 file` or `2 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


class FileLines:
    """Lines of files, by path and row; one that is not known is empty.

    They are those of a buffer, saved or not, otherwise of the disk.
    """

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


async def lines_at(editor: Editor, places: Iterable[tuple[str, int]]) -> FileLines:
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
    return FileLines(known)


def column(line: str, character: int, encoding: str) -> int:
    """Return the column that a model counts; a line that is not known counts as ASCII."""
    return (index_of(line, character, encoding) if line else max(character, 0)) + 1


def excerpt(line: str, index: int) -> str:
    """Return a line without its indent; of a long one, the part around an index."""
    if len(line) <= EXCERPT_CHARACTERS:
        return line.strip(" \t\v\f\r")
    first = max(min(index, len(line)) - EXCERPT_CHARACTERS // 3, 0)
    last = first + EXCERPT_CHARACTERS
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
        if not file.is_file() or file.stat().st_size > LARGEST_FILE_BYTES:
            return []
        text = file.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]
