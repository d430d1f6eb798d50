"""OpenAI's responses."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from support.fake_api import Block, Turn
from support.real_agents.dialects import Dialect, Frame, pieces

USAGE = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 1050,
}
_ids = itertools.count(1)


def _item(block: Block) -> dict[str, Any]:
    number = next(_ids)
    if block["type"] == "text":
        content = {"type": "output_text", "text": block["text"], "annotations": []}
        return {
            **{"type": "message", "id": f"msg_{number}", "role": "assistant"},
            **{"status": "completed", "content": [content]},
        }
    if block["type"] == "thinking":
        summary = {"type": "summary_text", "text": block["thinking"]}
        return {"type": "reasoning", "id": f"rs_{number}", "summary": [summary]}
    # Codex offers the tools of an MCP server in a namespace.
    namespace, _, name = block["name"].rpartition("/")
    return {
        **{"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"},
        **{"name": name, "arguments": json.dumps(block["input"]), "status": "completed"},
        **({"namespace": namespace} if namespace else {}),
    }


def _response(status: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        **{"id": f"resp_{next(_ids)}", "object": "response", "created_at": 1, "status": status},
        **{"model": "fake-model", "output": items, "usage": USAGE if items else None},
    }


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
    }
    return item | empty.get(item["type"], {}) | {"status": "in_progress"}


def _inside(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events between an item's begin and end: their types and fields."""
    if item["type"] == "message":
        [content] = item["content"]
        yield "content_part.added", {"content_index": 0, "part": content | {"text": ""}}
        for piece in pieces(content["text"]):
            yield "output_text.delta", {"content_index": 0, "delta": piece}
        yield "output_text.done", {"content_index": 0, "text": content["text"]}
    elif item["type"] == "reasoning":
        [summary] = item["summary"]
        part = {"summary_index": 0, "part": summary | {"text": ""}}
        yield "reasoning_summary_part.added", part
        said = summary["text"]
        yield "reasoning_summary_text.delta", {"summary_index": 0, "delta": said}
        yield "reasoning_summary_text.done", {"summary_index": 0, "text": said}
    else:
        yield "function_call_arguments.delta", {"delta": item["arguments"]}
        yield "function_call_arguments.done", {"arguments": item["arguments"]}


def _events(turn: Turn) -> Iterator[tuple[str, dict[str, Any]]]:
    items = [_item(block) for block in turn]
    yield "created", {"response": _response("in_progress", [])}
    for index, item in enumerate(items):
        place = {"output_index": index}
        yield "output_item.added", place | {"item": _begun(item)}
        for kind, fields in _inside(item):
            yield kind, place | {"item_id": item["id"], **fields}
        yield "output_item.done", place | {"item": item}
    yield "completed", {"response": _response("completed", items)}


def _stream(turn: Turn) -> Iterator[Frame]:
    for number, (kind, fields) in enumerate(_events(turn)):
        name = f"response.{kind}"
        yield name, {"type": name, "sequence_number": number, **fields}


def _whole(turn: Turn) -> dict[str, Any]:
    return _response("completed", [_item(block) for block in turn])


RESPONSES = Dialect(_whole, _stream, b"response.output_text.done")
