"""Google's API for Gemini."""

import itertools
from collections.abc import Iterator
from typing import Any

from support.fake_api import Block, Turn
from support.real_agents.dialects import Dialect, Frame, pieces

USAGE = {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050}
_ids = itertools.count(1)


def _parts(block: Block) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        yield from ({"text": piece} for piece in pieces(block["text"]))
    elif block["type"] == "thinking":
        yield {"text": block["thinking"], "thought": True}
    else:
        call = {"id": f"call_{next(_ids)}", "name": block["name"], "args": block["input"]}
        yield {"functionCall": call}


def _answer(*parts: dict[str, Any], ends: bool = False) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if not ends:
        return {"candidates": [candidate], "modelVersion": "fake"}
    candidate["finishReason"] = "STOP"
    return {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "fake"}


def _whole(turn: Turn) -> dict[str, Any]:
    return _answer(*(part for block in turn for part in _parts(block)), ends=True)


def _stream(turn: Turn) -> Iterator[Frame]:
    for block in turn:
        for part in _parts(block):
            yield "", _answer(part)
    yield "", _answer({"text": ""}, ends=True)


GEMINI = Dialect(_whole, _stream, b'"finishReason"')
