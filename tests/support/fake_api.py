"""A stand-in for the model: the Messages API on loopback, which streams a scripted conversation.

A test scripts turns, each the model's answer to one request, and reads the CLI's requests from
`requests`.
"""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from support.listening import listening

Block = dict[str, Any]
"""One content block of a message, in the shape of the API."""

ERRORS = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
"""The kinds of API errors, by HTTP status."""

SUGGESTS = "[SUGGESTION MODE"
"""The beginning of a request for what the user may want to send next."""

Turn = list[Block]
"""The model's answer to one request."""


def text(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def thinking(words: str) -> Block:
    """Return a block of thinking."""
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def tool_use(name: str, /, **arguments: Any) -> Block:
    """Return a block that uses a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


def edit(path: Path, old: str, new: str, *, then: str) -> list[Turn]:
    """Return turns that read and edit a file and say `then`; the CLI requires the read."""
    return [
        [tool_use("Read", file_path=str(path))],
        [tool_use("Edit", file_path=str(path), old_string=old, new_string=new)],
        [text(then)],
    ]


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the CLI; `body` is its JSON."""

    path: str
    body: dict[str, Any]

    @property
    def new_text(self) -> str:
        """The new text for the model in this request: all after its own last message."""
        messages = self.body.get("messages", [])
        own = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
        news = messages[own[-1] + 1 if own else 0 :]
        return "\n".join(part for message in news for part in _texts(message["content"]))


@dataclass
class FakeApi:
    """The remaining scripted turns, and the received requests for a turn.

    With `hold` the model stops after its first words; with `status` it answers with an HTTP error.
    Each answer has `headers`, too.
    """

    port: int = 0
    hold: bool = False
    status: int = 200
    headers: dict[str, Any] = field(default_factory=dict)
    turns: deque[Turn] = field(default_factory=deque)
    agents: dict[str, deque[Turn]] = field(default_factory=dict)
    """The scripted turns of subagents, by words of their first prompt."""
    suggestions: deque[str] = field(default_factory=deque)
    """What the CLI is told to suggest as the next prompts; then nothing."""
    requests: list[Request] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=itertools.count)

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[Self]:
        """Serve a stand-in on a free port of the loopback interface."""
        api = cls()
        async with listening(api._serve) as api.port:
            yield api

    @property
    def url(self) -> str:
        """The base URL for the CLI."""
        return f"http://127.0.0.1:{self.port}"

    def script(self, *turns: Turn) -> None:
        """Add turns; after the last one the model says "(no more turns)"."""
        self.turns.extend(turns)

    def script_agent(self, words: str, *turns: Turn) -> None:
        """Add turns for the subagent whose prompt contains `words`."""
        self.agents.setdefault(words, deque()).extend(turns)

    def answer(self, request: Request) -> tuple[str, bytes]:
        """Return the content type and the body of the answer to `request`."""
        path = request.path.partition("?")[0]
        if self.status != 200:
            error = {"type": ERRORS.get(self.status, "api_error"), "message": "scripted"}
            return "application/json", json.dumps({"type": "error", "error": error}).encode()
        if path != "/v1/messages":
            return "application/json", b'{"input_tokens": 10}'
        if SUGGESTS in request.new_text:
            turn = [text(self.suggestions.popleft() if self.suggestions else "")]
        elif request.body.get("tools"):
            self.requests.append(request)
            turns = self.turns_of(request)
            turn = turns.popleft() if turns else [text("(no more turns)")]
        else:
            turn = [text("ok")]  # a title, a check of the quota
        message = self._message(request.body["model"], turn)
        if not request.body.get("stream"):
            return "application/json", json.dumps(message).encode()
        return "text/event-stream", b"".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            for event in _events(message)
        )

    def turns_of(self, request: Request) -> deque[Turn]:
        """Return the scripted turns of the agent that has sent `request`."""
        first = "\n".join(_texts(request.body["messages"][0]["content"]))
        return next((self.agents[words] for words in self.agents if words in first), self.turns)

    def _message(self, model: str, turn: Turn) -> dict[str, Any]:
        uses_tool = any(block["type"] == "tool_use" for block in turn)
        return {
            "id": f"msg_{next(self._ids)}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [
                block | {"id": f"toolu_{next(self._ids)}"} if block["type"] == "tool_use" else block
                for block in turn
            ],
            "stop_reason": "tool_use" if uses_tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 20},
        }

    def length(self, answer: bytes) -> str:
        """Return the header with the length of the answer, if `send` writes it as it is."""
        return f"content-length: {len(answer)}\r\n"

    def first_words(self, _request: Request, answer: bytes) -> bytes:
        """Return the part of an answer after which the model stops, with `hold`."""
        return answer.partition(b"event: content_block_stop")[0]

    async def send(self, writer: asyncio.StreamWriter, request: Request, answer: bytes) -> None:
        """Write the body of the answer to `request`, here all at once."""
        writer.write(answer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *fields = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (f.partition(":") for f in fields)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            request = Request(first.split(" ")[1], json.loads(body) if body else {})
            content_type, answer = self.answer(request)
            writer.write(
                f"HTTP/1.1 {self.status} -\r\ncontent-type: {content_type}\r\n".encode()
                + "".join(f"{name}: {value}\r\n" for name, value in self.headers.items()).encode()
                + f"{self.length(answer)}connection: close\r\n\r\n".encode()
            )
            if self.hold and request.body.get("tools"):
                writer.write(self.first_words(request, answer))
                await writer.drain()
                await reader.read()  # until the CLI disconnects
            elif not first.startswith("HEAD "):
                await self.send(writer, request, answer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the CLI has disconnected, or only tested the connection
        finally:
            writer.close()


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the stream events of `message`."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        elif block["type"] == "thinking":
            start = block | {"thinking": "", "signature": ""}
            delta = {"type": "thinking_delta", "thinking": block["thinking"]}
        else:
            start = block | {"text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": 20},
    }
    yield {"type": "message_stop"}


def _texts(content: str | list[Block]) -> Iterator[str]:
    """Yield all text in a message's content, including that of tool results."""
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "tool_result":
            yield from _texts(block.get("content", ""))
        elif block["type"] == "text":
            yield block["text"]
