"""The frames of the CLI's stream-json that the demo writes (doc/stream-json.md)."""

import difflib
import json
import os
import re
import sys
import uuid
from collections.abc import Iterator
from typing import Any

Frame = dict[str, Any]

PIECE = 6
"""Characters that arrive at a time."""
PIECE_SECONDS = 0.02

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def write(*frames: Frame) -> None:
    """Write frames, one JSON object per line."""
    try:
        sys.stdout.write("".join(f"{json.dumps(frame)}\n" for frame in frames))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def success(request: str, response: Frame) -> Frame:
    """Return the answer to a control request."""
    answer = {"subtype": "success", "request_id": request, "response": response}
    return {"type": "control_response", "response": answer}


def failure(request: str, error: str) -> Frame:
    """Return the refusal of a control request."""
    answer = {"subtype": "error", "request_id": request, "error": error}
    return {"type": "control_response", "response": answer | {"error_code": "unsupported_request"}}


class Stream:
    """The frames of one session."""

    def __init__(self, session: str) -> None:
        self._common = {"session_id": session, "parent_tool_use_id": None}

    def init(self, mode: str) -> Frame:
        """Return the frame that begins a turn."""
        fields = {"model": "demo", "permissionMode": mode, "tools": [], "mcp_servers": []}
        return {"type": "system", "subtype": "init", **fields, **self._common}

    def mode(self, mode: str) -> Frame:
        """Return the frame that reports another permission mode."""
        return {"type": "system", "subtype": "status", "permissionMode": mode, **self._common}

    def stage(self, prompt: str, state: str) -> Frame:
        """Return the frame that reports a stage of a prompt."""
        frame = {"type": "command_lifecycle", "command_uuid": prompt, "state": state}
        return frame | self._common

    def tool_result(self, tool: str, output: str, detail: Any) -> Frame:
        """Return the result of a tool; `detail` is the part that only programs read."""
        return self._tool_result(tool, {"content": output}) | {"tool_use_result": detail}

    def tool_failure(self, tool: str, why: str, decided: Frame | None = None) -> Frame:
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
        """Return a message of the assistant with one content block."""
        return Block(block, self._common)


class Block:
    """A content block in its own message."""

    def __init__(self, block: Frame, common: Frame) -> None:
        self._block = block
        self._common = common
        self._kind = str(block["type"])
        self._message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "demo"}
        self._sent = ""

    def pieces(self) -> Iterator[Frame]:
        """Yield the beginning, and then the text in pieces."""
        yield self._event(type="message_start", message=self._message | {"content": []})
        empty: Frame = {self._kind: ""} if self._kind in self._block else {"input": {}}
        yield self._event(type="content_block_start", index=0, content_block=self._block | empty)
        for piece in re.findall(rf"(?s).{{1,{PIECE}}}", self._block.get(self._kind, "")):
            self._sent += piece
            delta = {"type": f"{self._kind}_delta", self._kind: piece}
            yield self._event(type="content_block_delta", index=0, delta=delta)

    def end(self) -> Iterator[Frame]:
        """Yield the block with all pieces that have been sent, and its end."""
        block = self._block | ({self._kind: self._sent} if self._kind in self._block else {})
        message = {"uuid": str(uuid.uuid4()), "message": self._message | {"content": [block]}}
        yield {"type": "assistant", **message, **self._common}
        yield self._event(type="content_block_stop", index=0)
        yield self._event(type="message_stop")

    def _event(self, **fields: Any) -> Frame:
        return {"type": "stream_event", "event": fields, **self._common}


def change(path: str, old: str, new: str) -> Frame:
    """Return what the result of a tool says about a file that it has changed."""
    hunks: list[Frame] = []
    for line in [*difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="")][2:]:
        if header := HUNK.match(line):
            first, count, new_first, new_count = (int(number or 1) for number in header.groups())
            hunks.append({"oldStart": first, "oldLines": count, "lines": []})
            hunks[-1] |= {"newStart": new_first, "newLines": new_count}
        else:
            hunks[-1]["lines"].append(line)
    written = {"filePath": path, "originalFile": old, "userModified": False}
    return written | {"structuredPatch": hunks}
