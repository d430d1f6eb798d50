"""What the user says: words, and what the editor adds to them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What the user typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture."""

    data: bytes
    media_type: str = "image/png"


@dataclass(frozen=True, slots=True)
class Selection:
    """The text that is selected in the editor; lines are 1-based and inclusive."""

    path: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class OpenFile:
    """The file that the editor shows."""

    path: str


Prompt = Sequence[Words | Image | Selection | OpenFile]
