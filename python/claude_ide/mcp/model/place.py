"""Arguments that several tools share: a file, a place in it, and a part of a long answer."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from claude_ide.mcp.tool import Arguments

Line = Annotated[int, Meta(ge=1, description="Line, from 1")]
Offset = Annotated[int, Meta(ge=0, description="How many entries to skip")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many entries at most")]


class File(Arguments, frozen=True):
    """A file."""

    file: Annotated[str, Meta(min_length=1, description="Absolute path of the file")]

    def fields(self) -> dict[str, Any]:
        """Return what Lua needs."""
        return msgspec.structs.asdict(self)


class Place(File, frozen=True):
    """A position in a file, by its column or by the symbol that is there."""

    line: Line
    column: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Column, from 1, in characters; or name the symbol instead"),
    ] = None
    symbol: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="Text of the symbol in that line"),
    ] = None
