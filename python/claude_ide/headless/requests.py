"""What can be asked; `question/init.lua` sends one of these, and the answer goes under its id."""

from typing import Any, Literal

import msgspec

READING = ("Read", "Grep", "Glob")
"""The tools that a question may use: none that changes or runs anything."""


class Lines(msgspec.Struct, frozen=True):
    """Lines of a buffer, 1-based and inclusive; `name` is its path, or what stands for one."""

    name: str
    first: int
    last: int
    text: str


class AskRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="ask"):
    """A question; with `lines` or `file` it is about those."""

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


class RewriteRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="rewrite"):
    """Lines that are to be rewritten, with all lines of their buffer."""

    id: int
    cwd: str
    instruction: str
    name: str
    filetype: str
    lines: list[str]
    first: int
    """0-based."""
    last: int
    """0-based, exclusive."""


class CommitRequest(msgspec.Struct, frozen=True, tag_field="kind", tag="commit"):
    """A commit message for what is staged; `path` is the message's file, if one is open."""

    id: int
    cwd: str
    path: str = ""


Request = AskRequest | RewriteRequest | CommitRequest


def decode(payload: dict[str, Any]) -> Request:
    """Decode what the editor's half has sent."""
    request: Request = msgspec.convert(payload, Request)
    return request
