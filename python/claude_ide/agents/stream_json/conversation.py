"""The messages of a one-off request, and the session that they become if the user continues it.

The CLI stores no session for a one-off request. `store` writes the file that it would have written,
in the shape that it needs to resume a session (2.1.197 and 2.1.330), and `history.py` to read it.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from claude_ide import files
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.prompt import Prompt
from claude_ide.agents.stream_json import history
from claude_ide.agents.stream_json.decoding.decode import SYNTHETIC
from claude_ide.agents.stream_json.wire import frames
from claude_ide.agents.stream_json.wire.frames import Frame, content_of
from claude_ide.errors import AgentError

THINKING = ("thinking", "redacted_thinking")
"""Left out: only the model that has signed such a block accepts it, and a chat may use another."""

INTERRUPTED = "[Request interrupted by user]"
"""The CLI's own words at the end of a turn that was stopped."""

SAID: Frame = {
    "type": "message",
    "role": "assistant",
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 0, "output_tokens": 0},
}
"""What 2.1.197 needs in each message of the model: it hangs without the usage."""

USUAL_MODEL = ""
"""The CLI resumes a session with the model of its last message; that of a question may be cheaper.

With an empty name it uses the model of a new session. Without any, 2.1.197 hangs.
"""


class Conversation:
    """A question in the folder `cwd`, and the answer as far as it has arrived."""

    def __init__(self, cwd: Path, prompt: Prompt) -> None:
        self._cwd = cwd
        self._prompt = prompt
        self._frames: dict[str, Frame] = {}
        """The complete messages by their ids: the CLI may send one again."""
        self._partial = ""
        """The text of the block that is arriving."""
        self._result = ""
        self._is_complete = False

    def note(self, frame: Frame) -> None:
        """Take in a frame of the CLI."""
        if frame.get("parent_tool_use_id"):
            return
        match frame:
            case {"type": "stream_event", "event": {"type": "content_block_delta", "delta": delta}}:
                self._partial += text(mapping(delta).get("text"))
            case {"type": "stream_event", "event": {"type": "content_block_start"}}:
                self._partial = ""
            case {"type": "stream_event", "event": {"type": "message_start"}}:
                self._partial = ""
            case {"type": "assistant" | "user", "message": {"content": [*_]}}:
                self._partial = ""
                self._frames[text(frame.get("uuid")) or str(uuid4())] = frame
            case {"type": "result"}:
                self._is_complete = frame.get("is_error") is False
                self._result = text(frame.get("result")) if self._is_complete else ""

    @property
    def has_answer(self) -> bool:
        """Whether the model has said anything."""
        return any(map(_has_text, self._messages()))

    def store(self, environment: Mapping[str, str]) -> str:
        """Store a new session, and return its id. Raises `AgentError` if it cannot be written."""
        session, cwd = str(uuid4()), self._cwd.resolve()
        path = history.file_of(history.folder(environment, cwd), session)
        rows: list[Frame] = []
        for message in self._messages():
            row = {"parentUuid": rows[-1]["uuid"] if rows else None, "isSidechain": False}
            row |= {"sessionId": session, "cwd": str(cwd), "timestamp": _now()}
            rows.append(row | message)
        try:
            files.write_private(path, b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        except OSError as error:
            raise AgentError(f"cannot store the session: {error.strerror}") from None
        return session

    def _messages(self) -> Iterator[Frame]:
        """Yield the messages in the fields that a row of a session file shares with a frame."""
        asked = frames.prompt(str(uuid4()), self._prompt)
        yield {"type": "user", "uuid": asked["uuid"], "message": asked["message"]}
        ended = {_ended(block) for frame in self._frames.values() for block in _blocks(frame)}
        has_answer = False
        for id_, frame in self._frames.items():
            if message := _message(id_, frame, ended):
                has_answer = has_answer or _has_text(message)
                yield message
        rest = self._partial or ("" if has_answer else self._result)
        if rest.strip():
            yield _said(rest)
        if not self._is_complete:
            yield _user(INTERRUPTED)


def _message(id_: str, frame: Frame, ended: set[str]) -> Frame | None:
    """Return the lasting part of a message; None if there is none.

    The API would refuse a use of a tool that has no result.
    """
    message = mapping(frame.get("message"))
    if message.get("model") == SYNTHETIC:
        return None
    content = [
        block
        for block in _blocks(frame)
        if block.get("type") not in THINKING
        and (block.get("type") != "tool_use" or block.get("id") in ended)
    ]
    if not content:
        return None
    row = {"type": frame["type"], "uuid": id_}
    if frame["type"] == "assistant":
        return row | {"message": SAID | message | {"model": USUAL_MODEL, "content": content}}
    row |= {"message": message | {"content": content}}
    if not any(map(_ended, content)):
        return row | {"isMeta": True}  # the feedback of a hook
    return row | {"toolUseResult": frame.get("tool_use_result")}


def _said(words: str) -> Frame:
    id_ = str(uuid4())
    said = {"id": f"msg_{id_}", "model": USUAL_MODEL, "content": [{"type": "text", "text": words}]}
    return {"type": "assistant", "uuid": id_, "message": SAID | said}


def _user(words: str) -> Frame:
    content = [{"type": "text", "text": words}]
    return {"type": "user", "uuid": str(uuid4()), "message": {"role": "user", "content": content}}


def _blocks(frame: Frame) -> list[Frame]:
    return mappings(content_of(frame))


def _ended(block: Mapping[str, Any]) -> str:
    """Return the id of the tool use that ended with this block, or an empty text."""
    return text(block.get("tool_use_id")) if block.get("type") == "tool_result" else ""


def _has_text(message: Frame) -> bool:
    words = (text(block.get("text")).strip() for block in _blocks(message))
    return message["type"] == "assistant" and any(words)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
