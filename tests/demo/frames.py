"""The frames of the CLI's stream-json that the demo writes (doc/stream-json.md)."""

import difflib
import json
import os
import sys
import uuid
from collections.abc import Iterator
from typing import Any

Frame = dict[str, Any]

PIECE = 6
"""Characters that arrive at a time."""


def write(*frames: Frame) -> None:
    """Write frames, one JSON object per line."""
    try:
        sys.stdout.write("".join(f"{json.dumps(frame)}\n" for frame in frames))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def success(request: str, response: Frame | None = None) -> Frame:
    """Return the answer to a control request."""
    answer = {"subtype": "success", "request_id": request, "response": response or {}}
    return {"type": "control_response", "response": answer}


def failure(request: str, error: str, code: str = "") -> Frame:
    """Return the refusal of a control request."""
    answer = {"subtype": "error", "request_id": request, "error": error, "error_code": code}
    return {"type": "control_response", "response": answer}


def question(tool: str, name: str, arguments: Frame, suggestions: list[Frame]) -> Frame:
    """Return the request to use a tool."""
    asked: Frame = {"subtype": "can_use_tool", "tool_name": name, "input": arguments}
    asked |= {"tool_use_id": tool, "permission_suggestions": suggestions}
    return {"type": "control_request", "request_id": str(uuid.uuid4()), "request": asked}


class Stream:
    """The frames of one session."""

    def __init__(self, session: str) -> None:
        self.session = session
        self._common = {"session_id": session, "parent_tool_use_id": None}

    def init(self, model: str, mode: str) -> Frame:
        """Return the frame that begins a turn."""
        fields = {"model": model, "permissionMode": mode, "tools": [], "mcp_servers": []}
        return {"type": "system", "subtype": "init", **fields, **self._common}

    def mode(self, mode: str) -> Frame:
        """Return the frame that reports another permission mode."""
        return {"type": "system", "subtype": "status", "permissionMode": mode, **self._common}

    def stage(self, prompt: str, state: str) -> Frame:
        """Return the frame that reports a stage of a prompt."""
        frame = {"type": "command_lifecycle", "command_uuid": prompt, "state": state}
        return frame | self._common

    def tool_result(self, tool: str, output: str, detail: Any = "") -> Frame:
        """Return the result of a tool; `detail` is the part that only programs read."""
        return self._tool_result(tool, {"content": output}) | {"tool_use_result": detail}

    def failure(self, tool: str, why: str, decided: Frame) -> Frame:
        """Return the failure of a tool; `decided` says who prevented it, if that is the reason."""
        frame = self._tool_result(tool, {"content": why, "is_error": True})
        meta = [{"id": tool} | decided] if decided else []
        return frame | {"tool_use_result": f"Error: {why}", "tool_result_meta": meta}

    def _tool_result(self, tool: str, fields: Frame) -> Frame:
        block = {"type": "tool_result", "tool_use_id": tool} | fields
        message = {"role": "user", "content": [block]}
        return {"type": "user", "uuid": str(uuid.uuid4()), "message": message} | self._common

    def result(self, text: str = "", *, reason: str = "completed", **fields: Any) -> Frame:
        """Return the end of a turn."""
        frame: Frame = {"type": "result", "subtype": "success", "result": text}
        frame |= {"is_error": False, "terminal_reason": reason, "total_cost_usd": 0.0}
        return frame | fields | self._common

    def block(self, block: Frame) -> "Block":
        """Return a content block of the assistant, in its own message."""
        return Block(block, self._common)


class Block:
    """A content block: pieces, of which any number is sent, and then the whole."""

    def __init__(self, block: Frame, common: Frame) -> None:
        self._block = block
        self._common = common
        self._kind = str(block["type"])
        self._sent = ""
        self._message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "demo"}

    def begin(self) -> Iterator[Frame]:
        """Yield the frames before the first piece."""
        yield self._event(type="message_start", message=self._message | {"content": []})
        key = self._kind if self._kind in self._block else "input"
        begun = self._block | {key: "" if key == self._kind else {}}
        yield self._event(type="content_block_start", index=0, content_block=begun)

    def pieces(self) -> Iterator[Frame]:
        """Yield the pieces of the text."""
        words = str(self._block.get(self._kind, ""))
        for start in range(0, len(words), PIECE):
            piece = words[start : start + PIECE]
            self._sent += piece
            delta = {"type": f"{self._kind}_delta", self._kind: piece}
            yield self._event(type="content_block_delta", index=0, delta=delta)

    def whole(self) -> Frame:
        """Return the block with all pieces that have been sent."""
        block = self._block | ({self._kind: self._sent} if self._kind in self._block else {})
        message = self._message | {"content": [block]}
        return {
            "type": "assistant",
            "uuid": str(uuid.uuid4()),
            "message": message,
            **self._common,
        }

    def end(self) -> Iterator[Frame]:
        """Yield the frames after the whole block."""
        yield self._event(type="content_block_stop", index=0)
        yield self._event(type="message_stop")

    def _event(self, **fields: Any) -> Frame:
        return {"type": "stream_event", "event": fields, **self._common}


def change(path: str, old: str | None, new: str) -> Frame:
    """Return what the result of a tool says about a file that it has written."""
    written = {"filePath": path, "originalFile": old, "userModified": False}
    if old is None:
        return written | {"type": "create", "content": new, "structuredPatch": []}
    return written | {"structuredPatch": list(_hunks(old.splitlines(), new.splitlines()))}


def _hunks(before: list[str], after: list[str]) -> Iterator[Frame]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes():
        lines = []
        for tag, old_first, old_last, new_first, new_last in group:
            if tag == "equal":
                lines += [f" {line}" for line in before[old_first:old_last]]
                continue
            lines += [f"-{line}" for line in before[old_first:old_last]]
            lines += [f"+{line}" for line in after[new_first:new_last]]
        first, last = group[0], group[-1]
        old_lines, new_lines = last[2] - first[1], last[4] - first[3]
        yield {
            # For lines without a number, a hunk names the line before.
            **{"oldStart": first[1] + bool(old_lines), "oldLines": old_lines},
            **{"newStart": first[3] + bool(new_lines), "newLines": new_lines},
            "lines": lines,
        }
