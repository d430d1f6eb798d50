"""A stand-in for the models of all agents: four APIs on loopback, from one script of turns."""

import json
from dataclasses import dataclass
from typing import Any

from support.fake_api import FakeApi, Request, Turn, text
from support.real_agents.dialects import Dialect
from support.real_agents.dialects.completions import COMPLETIONS
from support.real_agents.dialects.gemini import GEMINI
from support.real_agents.dialects.responses import RESPONSES

MODELS = {
    "object": "list",
    "data": [{"id": "fake-model", "object": "model", "owned_by": "x", "created": 1}],
    "models": [{"name": "models/gemini-2.5-pro"}],
}
JSON, STREAM = "application/json", "text/event-stream"


@dataclass
class Model(FakeApi):
    """A stand-in whose answers are in the API of the request; `FakeApi` is one of these.

    With `is_silent` it takes a request and does not answer.
    """

    is_silent: bool = False

    def heard(self, words: str) -> bool:
        """Whether the last request has these words anywhere."""
        return bool(self.requests) and words in json.dumps(
            self.requests[-1].body, ensure_ascii=False
        )

    def answer(self, request: Request) -> tuple[str, bytes]:
        """Return the content type and the body of the answer to `request`."""
        path = request.path.partition("?")[0]
        if (dialect := _dialect(path)) and self.status == 200:
            return self._say(dialect, request)
        if path.endswith("/messages"):
            self._use_offered_tools(request)
            return super().answer(request)
        if path.endswith("/models"):
            return JSON, json.dumps(MODELS).encode()
        return JSON, json.dumps({"totalTokens": 10, "input_tokens": 10}).encode()

    def first_words(self, request: Request, answer: bytes) -> bytes:
        """Return the part of an answer after which the model stops, with `hold`."""
        dialect = _dialect(request.path.partition("?")[0])
        if self.is_silent:
            return b""
        if not dialect:
            return super().first_words(request, answer)
        frames = answer.split(b"\n\n")
        after = next(n for n, frame in enumerate(frames) if dialect.after_text in frame)
        return b"".join(frame + b"\n\n" for frame in frames[:after])

    def _say(self, dialect: Dialect, request: Request) -> tuple[str, bytes]:
        turn = self._next_turn(request)
        is_stream = request.body.get("stream") or ":stream" in request.path
        if not is_stream:
            return JSON, json.dumps(dialect.whole(turn)).encode()
        return STREAM, b"".join(_event(name, data) for name, data in dialect.stream(turn)) + (
            f"data: {dialect.end}\n\n".encode() if dialect.end else b""
        )

    def _use_offered_tools(self, request: Request) -> None:
        """Use tools by the names under which the request offers them; servers' have a prefix."""
        offered = [tool["name"] for tool in request.body.get("tools", [])]
        for block in self.turns[0] if offered and self.turns else []:
            if block["type"] == "tool_use" and block["name"] not in offered:
                found = [name for name in offered if name.endswith(f"__{block['name']}")]
                block["name"] = next(iter(found), block["name"])

    def _next_turn(self, request: Request) -> Turn:
        if not request.body.get("tools"):
            return [text("ok")]  # a title, a summary
        self.requests.append(request)
        return self.turns.popleft() if self.turns else [text("(no more turns)")]


def _dialect(path: str) -> Dialect | None:
    if path.endswith("/chat/completions"):
        return COMPLETIONS
    if path.endswith("/responses"):
        return RESPONSES
    return GEMINI if "enerateContent" in path else None


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"{f'event: {name}' if name else ''}\ndata: {json.dumps(data)}\n\n".lstrip().encode()
