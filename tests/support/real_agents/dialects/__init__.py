"""How the APIs of several models say a turn: as one body, or as a stream of pieces."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from support.fake_api import Turn

Frame = tuple[str, dict[str, Any]]
"""One event of a stream: its name, or "", and its data."""

PIECE = 12
"""The length of the pieces of a text."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API: a turn as a whole, and as a stream."""

    whole: Callable[[Turn], dict[str, Any]]
    stream: Callable[[Turn], Iterator[Frame]]
    after_text: bytes
    """Words of the first event of a stream after a text."""
    end: str = ""
    """Data that ends a stream."""


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def joined(turn: Turn, kind: str) -> str:
    """Return all text of one kind in a turn: "text" or "thinking"."""
    return "".join(block[kind] for block in turn if block["type"] == kind)


def uses(turn: Turn) -> list[dict[str, Any]]:
    """Return the blocks of a turn that use tools."""
    return [block for block in turn if block["type"] == "tool_use"]
