"""OpenAI's chat completions."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from support.fake_api import Turn
from support.real_agents.dialects import Dialect, Frame, joined, pieces, uses

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
_ids = itertools.count(1)


def _base(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{next(_ids)}", "object": kind, "created": 1, "model": "fake-model"}


def _calls(turn: Turn) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": f"call_{next(_ids)}",
            "type": "function",
            "function": {"name": use["name"], "arguments": json.dumps(use["input"])},
        }
        for index, use in enumerate(uses(turn))
    ]


def _reason(turn: Turn) -> str:
    return "tool_calls" if uses(turn) else "stop"


def _whole(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": joined(turn, "text") or None}
    if calls := _calls(turn):
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _reason(turn)}
    return _base("chat.completion") | {"choices": [choice], "usage": USAGE}


def _stream(turn: Turn) -> Iterator[Frame]:
    base = _base("chat.completion.chunk")

    def delta(reason: str | None = None, **fields: Any) -> Frame:
        return "", base | {"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}

    yield delta(role="assistant", content="")
    for piece in pieces(joined(turn, "thinking")):
        yield delta(reasoning_content=piece)
    for piece in pieces(joined(turn, "text")):
        yield delta(content=piece)
    for call in _calls(turn):
        yield delta(tool_calls=[call])
    yield delta(_reason(turn))
    yield "", base | {"choices": [], "usage": USAGE}


COMPLETIONS = Dialect(_whole, _stream, b'"finish_reason": "stop"', end="[DONE]")
