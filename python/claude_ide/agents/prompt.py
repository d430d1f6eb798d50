"""A prompt: the user's words, and the context that the editor adds to them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Text that the user typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image that the user pasted."""

    data: bytes
    media_type: str = "image/png"


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected text; lines are 1-based and inclusive."""

    path: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class OpenFile:
    """The file in the editor's current window.

    `text` is its text, saved or not; None if the agent does not take it, or it is too large.
    """

    path: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A file that the words mention, or lines of it, which are 1-based and inclusive.

    `path` is absolute; `name` is the mention as it was typed, without its `@`.
    """

    path: str
    name: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class ShellResult:
    """A shell command that the user has run, and its output; it failed if it was interrupted."""

    command: str
    output: str
    failed: bool = False


Prompt = Sequence[Words | Image | Selection | OpenFile | Mention | ShellResult]
