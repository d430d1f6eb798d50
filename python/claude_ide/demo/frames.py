"""The frames of the CLI's stream-json that the demo writes (doc/stream-json.md)."""

import difflib
import json
import sys
import uuid
from collections.abc import Iterator
from typing import Any

Frame = dict[str, Any]

MODEL = "demo"
PIECE = 6
"""Characters that arrive at a time."""


def write(*frames: Frame) -> None:
    """Write frames, one JSON object per line."""
    sys.stdout.write("".join(f"{json.dumps(frame)}\n" for frame in frames))
    sys.stdout.flush()


def success(request: str, response: Frame | None = None) -> Frame:
    """Return the answer to a control request."""
    answer = {"subtype": "success", "request_id": request, "response": response or {}}
    return {"type": "control_response", "response": answer}


def permission(tool: str, name: str, arguments: Frame) -> tuple[str, Frame]:
    """Return the id of a request to use a tool, and the request."""
    id_ = str(uuid.uuid4())
    asked = {"subtype": "can_use_tool", "tool_name": name, "input": arguments}
    asked |= {"tool_use_id": tool, "permission_suggestions": []}
    return id_, {"type": "control_request", "request_id": id_, "request": asked}


class Stream:
    """The frames of one session."""

    def __init__(self, session: str) -> None:
        self._common = {"session_id": session, "parent_tool_use_id": None}

    def init(self, mode: str) -> Frame:
        """Return the frame that begins a turn."""
        fields = {"model": MODEL, "permissionMode": mode, "tools": [], "mcp_servers": []}
        return {"type": "system", "subtype": "init", **fields, **self._common}

    def stage(self, prompt: str, state: str) -> Frame:
        """Return the frame that reports a stage of a prompt."""
        frame = {"type": "command_lifecycle", "command_uuid": prompt, "state": state}
        return frame | self._common

    def block(self, block: Frame) -> Iterator[Frame]:
        """Yield a content block: in pieces, and then as a whole."""
        kind = str(block["type"])
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": MODEL}
        yield self._event(type="message_start", message=message | {"content": []})
        begun = dict(block)
        begun[kind if kind in block else "input"] = "" if kind in block else {}
        yield self._event(type="content_block_start", index=0, content_block=begun)
        for piece in _pieces(str(block.get(kind, ""))):
            delta = {"type": f"{kind}_delta", kind: piece}
            yield self._event(type="content_block_delta", index=0, delta=delta)
        yield {"type": "assistant", "message": message | {"content": [block]}, **self._common}
        yield self._event(type="content_block_stop", index=0)
        yield self._event(type="message_stop")

    def tool_result(
        self, tool: str, output: str, *, failed: bool = False, detail: Any = ""
    ) -> Frame:
        """Return the result of a tool; `detail` is the part that only programs read."""
        block = {"type": "tool_result", "tool_use_id": tool, "content": output, "is_error": failed}
        message = {"role": "user", "content": [block]}
        return {"type": "user", "message": message, "tool_use_result": detail, **self._common}

    def result(self, text: str = "", *, interrupted: bool = False, **fields: Any) -> Frame:
        """Return the end of a turn."""
        subtype = "error_during_execution" if interrupted else "success"
        reason = "aborted_streaming" if interrupted else "completed"
        frame = {"type": "result", "subtype": subtype, "is_error": interrupted, "result": text}
        frame |= {
            "terminal_reason": reason,
            "total_cost_usd": 0.0,
            "duration_ms": 0,
            "num_turns": 1,
        }
        return frame | fields | self._common

    def _event(self, **fields: Any) -> Frame:
        return {"type": "stream_event", "event": fields, **self._common}


def edit_detail(path: str, old: str, new: str) -> Frame:
    """Return what the result of an edit says about the file."""
    before, after = old.splitlines(), new.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes():
        first, last = group[0], group[-1]
        lines = []
        for tag, old_first, old_last, new_first, new_last in group:
            if tag == "equal":
                lines += [f" {line}" for line in before[old_first:old_last]]
                continue
            lines += [f"-{line}" for line in before[old_first:old_last]]
            lines += [f"+{line}" for line in after[new_first:new_last]]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return {"filePath": path, "originalFile": old, "structuredPatch": hunks, "userModified": False}


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
