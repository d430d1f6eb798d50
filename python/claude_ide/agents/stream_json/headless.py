"""A one-off request to the CLI: `claude -p`, streamed, and the session that it can become.

The CLI stores no session for a one-off request. If the user continues it, `store` writes the file
that the CLI would have written, in the shape that it needs to resume a session (2.1.197 and
2.1.330), and `stored.py` to read it.
"""

import contextlib
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec import Struct

from claude_ide.agents.agent import Prompt
from claude_ide.agents.base import start_child
from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.agents.fields import mapping, mappings, number, text
from claude_ide.agents.stream_json import protocol, stored, turn
from claude_ide.agents.stream_json.decode import SYNTHETIC, FrameDecoder
from claude_ide.agents.stream_json.protocol import CliLaunch, Frame, content_of, decode_line
from claude_ide.base import files
from claude_ide.base.errors import AgentError, TransportClosed
from claude_ide.base.unicode import readable
from claude_ide.transport.process import Child
from claude_ide.transport.wire import FROM, TO, Party

GRACE_SECONDS = 0.5
"""How long the CLI may take to end before it is terminated."""

FENCED = re.compile(r"```[^\n`]*\n(?P<text>.*)\n```", re.DOTALL)
"""A text that is wholly in a code fence, which models add although they should not."""

LONGEST_WORDS = 300


class Format(Enum):
    """The form of the answer."""

    TEXT = "text"
    """Text, while it arrives."""
    JSON = "json"
    """The complete result, at the end."""
    STREAM_JSON = "stream-json"
    """All frames of the CLI, while they arrive."""


class HeadlessQuestion(Struct, frozen=True):
    """A prompt; with a JSON `schema` the answer's text is JSON that conforms to it."""

    prompt: str
    format: Format = Format.TEXT
    schema: dict[str, Any] | None = None


class HeadlessResult(Struct, frozen=True):
    """The answer, and its cost in dollars; `structured` is the value that a schema describes."""

    text: str
    structured: Any
    cost: float | None
    raw: Frame


class Ask:
    """A question that is being answered; `events` first, then `result`."""

    def __init__(
        self,
        launch: CliLaunch,
        question: HeadlessQuestion,
        on_frame: Callable[[Frame], None] | None = None,
    ) -> None:
        """Prepare a question; `on_frame` is called with each frame from the CLI."""
        self._launch = launch
        self._question = question
        self._on_frame = on_frame
        self._child: Child | None = None
        self._result: Frame | None = None
        self._party = Party(lambda: "Claude (a question)")

    async def events(self) -> AsyncGenerator[Event, None]:
        """Ask, and yield every event until the answer is complete; none with `Format.JSON`.

        A caller that stops reading early must close this iterator or call `cancel`; both end the
        CLI. Raises `AgentError` if it cannot be started, or ends without an answer.
        """
        await self._start()
        assert self._child is not None
        decoder = FrameDecoder()
        try:
            async for line in self._child.lines():
                frame = decode_line(line)
                if frame is None:
                    continue
                self._party.note(FROM, line)
                if self._on_frame is not None:
                    self._on_frame(frame)
                if frame.get("type") == "result":
                    self._result = frame
                if self._question.format is not Format.JSON:
                    for event in decoder.decode(frame):
                        yield event
        finally:
            await self._child.stop(GRACE_SECONDS)
        if self._result is None:
            lines = self._child.stderr.strip().splitlines() or [f"exit code {self._child.code}"]
            raise AgentError(f"Claude Code gave no answer: {lines[-1]}")

    def result(self) -> HeadlessResult:
        """Return the answer, once `events` has ended.

        Raises `AgentError` with the reason if there is no answer.
        """
        if self._result is None:
            raise AgentError("the question was cancelled")
        ended = turn.turn_ended(self._result)
        if ended.why is not TurnEndReason.COMPLETED:
            raise AgentError(ended.message or "the answer was not completed")
        words = text(self._result.get("result"))
        structured = self._result.get("structured_output")
        if structured is None and self._question.schema is not None:
            structured = decoded(words)
        return HeadlessResult(
            words, structured, number(self._result.get("total_cost_usd")), self._result
        )

    def cancel(self) -> None:
        """End the CLI; `events` then ends with an error."""
        if self._child is not None:
            self._child.kill()

    async def _start(self) -> None:
        command = [*self._launch.command, *self._arguments(), *self._launch.arguments]
        environment = await self._launch.child_environment()
        self._child = await start_child(command, self._launch.cwd, environment)
        self._party.note(TO, self._question.prompt)
        # The prompt goes to stdin: it can exceed the length limit of an argument.
        with contextlib.suppress(TransportClosed):  # its stderr says why it has ended
            await self._child.write(readable(self._question.prompt).encode())
        self._child.close_input()

    def _arguments(self) -> list[str]:
        """Return the options for the format; only stream-json delivers text while it arrives."""
        arguments = ["-p", *self._launch.options()]
        if self._question.format is Format.JSON:
            arguments += ["--output-format", "json"]
        else:
            arguments += ["--output-format", "stream-json", "--verbose"]
            arguments += ["--include-partial-messages"]
        if self._question.schema is not None:
            arguments += ["--json-schema", json.dumps(self._question.schema)]
        return arguments


def decoded(words: str, name: str = "Claude") -> Any:
    """Return the value in an answer, which may be in a code fence.

    Raises `AgentError` with the model's words if it has not followed the schema.
    """
    fenced = FENCED.fullmatch(words.strip())
    try:
        return json.loads(fenced["text"] if fenced else words)
    except ValueError:
        said = " ".join(words.split())
        cut = said if len(said) <= LONGEST_WORDS else f"{said[: LONGEST_WORDS - 1]}…"
        raise AgentError(f"{name} answered in words: {cut}") from None


THINKING = ("thinking", "redacted_thinking")
"""Left out: only the model that has signed such a block accepts it, and a chat may use another."""

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


class HeadlessConversation:
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
        path = stored.file_of(stored.folder(environment, cwd), session)
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        rows: list[Frame] = []
        for message in self._messages():
            row = {"parentUuid": rows[-1]["uuid"] if rows else None, "isSidechain": False}
            row |= {"sessionId": session, "cwd": str(cwd), "timestamp": now}
            rows.append(row | message)
        try:
            files.write_private(path, b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        except OSError as error:
            raise AgentError(f"cannot store the session: {error.strerror}") from None
        return session

    def _messages(self) -> Iterator[Frame]:
        """Yield the messages in the fields that a row of a session file shares with a frame."""
        asked = protocol.prompt(str(uuid4()), self._prompt)
        yield {"type": "user", "uuid": asked["uuid"], "message": asked["message"]}
        done = {_ended(block) for frame in self._frames.values() for block in _blocks(frame)}
        has_answer = False
        for id_, frame in self._frames.items():
            if message := _message(id_, frame, done):
                has_answer = has_answer or _has_text(message)
                yield message
        rest = self._partial or ("" if has_answer else self._result)
        if rest.strip():
            said = {
                "id": f"msg_{uuid4()}",
                "model": USUAL_MODEL,
                "content": [protocol.words_block(rest)],
            }
            yield {"type": "assistant", "uuid": str(uuid4()), "message": SAID | said}
        if not self._is_complete:
            ended = {"role": "user", "content": [protocol.words_block(f"{protocol.INTERRUPTED}]")]}
            yield {"type": "user", "uuid": str(uuid4()), "message": ended}


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


def _blocks(frame: Frame) -> list[Frame]:
    return mappings(content_of(frame))


def _ended(block: Mapping[str, Any]) -> str:
    """Return the id of the tool use that ended with this block, or an empty text."""
    return text(block.get("tool_use_id")) if block.get("type") == "tool_result" else ""


def _has_text(message: Frame) -> bool:
    words = (text(block.get("text")).strip() for block in _blocks(message))
    return message["type"] == "assistant" and any(words)
