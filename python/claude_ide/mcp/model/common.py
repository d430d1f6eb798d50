"""What several tools share: arguments, and answers of bounded length with a way to ask for more."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.base.unicode import readable
from claude_ide.mcp.tool import Arguments, Content, text

LARGEST = 24_000
"""Characters. The CLI saves a longer answer to a file, of which the model sees only the start."""

LONGEST_LINE = 500
"""Characters of one entry."""

LONGEST_HEADING = 2_000
"""Characters of what comes before the entries."""

FilePath = Annotated[str, Meta(min_length=1, description="Absolute path of the file")]
Line = Annotated[int, Meta(ge=1, description="Line, from 1")]
Offset = Annotated[int, Meta(ge=0, description="How many entries to skip")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many entries at most")]
Positive = Annotated[int, Meta(ge=1)]
Words = Annotated[str, Meta(min_length=1)]


class Place(Arguments, frozen=True):
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
    kept = [_shortened(heading, LONGEST_HEADING)]
    room = LARGEST - len(kept[0])
    left_out = 0
    for line in lines:
        # The end of a line, such as in a file's name, would end the entry.
        short = _shortened(line.replace("\r", "\\r").replace("\n", "\\n"), LONGEST_LINE)
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
