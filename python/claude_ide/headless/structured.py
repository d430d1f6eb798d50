"""Answers that have to conform to a schema; a model may still decorate them."""

from typing import TypeVar

import msgspec

from claude_ide.agents.stream_json.headless import FENCED, Result
from claude_ide.errors import AgentError

S = TypeVar("S", bound=msgspec.Struct)


def structured(result: Result, type_: type[S]) -> S:
    """Return an answer as the schema describes it. Raises `AgentError` if it has another shape."""
    try:
        return msgspec.convert(result.structured, type_)
    except msgspec.ValidationError:
        raise AgentError("Claude's answer could not be used; try again") from None


def without_fence(text: str, replaced: str = "") -> str:
    """Return a text without the code fence around it, unless the text that it replaces has one."""
    fenced = FENCED.fullmatch(text.strip())
    if fenced is None or replaced.lstrip().startswith("```"):
        return text
    return fenced["text"]
