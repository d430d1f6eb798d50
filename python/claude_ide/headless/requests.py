"""The requests that `question/init.lua` sends; answers refer to them by id."""

from typing import Any, Literal

import msgspec

READING = ("Read", "Grep", "Glob")
"""The tools that a question may use; none of them changes or runs anything."""


class Lines(msgspec.Struct, frozen=True):
    """Lines of a buffer, 1-based and inclusive; `name` is its path or another name."""

    name: str
    first: int
    last: int
    text: str


class AskRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="ask"):
    """A question, about `lines` or `file` if given."""

    id: int
    cwd: str
    prompt: str
    format: Literal["text", "json", "stream-json"] = "text"
    schema: str = ""
    model: str = ""
    tools: tuple[str, ...] = READING
    lines: Lines | None = None
    file: str = ""
    wants_events: bool = False
    is_kept: bool = False
    """Whether the answer can be continued in the chat until `question_closed`."""


class RewriteRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="rewrite"):
    """Lines to rewrite; `text` has all lines of their buffer, without a last line feed."""

    id: int
    cwd: str
    instruction: str
    name: str
    filetype: str
    text: str
    first: int
    """0-based."""
    last: int
    """0-based, exclusive."""


class Original(msgspec.Struct, frozen=True):
    """Lines as they were before they were rewritten."""

    text: str


class RefineRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="refine"):
    """A rewrite to refine; `text` has all lines of the proposal, `first` and `last` mark some."""

    id: int
    cwd: str
    instruction: str
    earlier: list[str]
    """The instructions so far, the oldest first."""
    original: Original
    name: str
    filetype: str
    text: str
    first: int
    """0-based."""
    last: int
    """0-based, exclusive."""


class CommitRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="commit"):
    """A message for the staged changes; `path` is the file of the message, if it is open."""

    id: int
    cwd: str
    path: str = ""


Request = AskRequest | RewriteRequest | RefineRequest | CommitRequest


def decode(payload: dict[str, Any]) -> Request:
    """Decode the payload of `question_asked`."""
    request: Request = msgspec.convert(payload, Request)
    return request
