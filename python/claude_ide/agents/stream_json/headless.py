"""One question to the CLI, without a session to keep: `claude -p`, streamed."""

import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.agents.stream_json.decoding import result
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line, number, text
from claude_ide.agents.stream_json.wire.launch import Launch
from claude_ide.errors import AgentError, TransportClosed
from claude_ide.transport.lines import Child

GRACE_SECONDS = 0.5
"""How long a cancelled question is given to end."""


class Format(Enum):
    """How the answer is wanted."""

    TEXT = "text"
    """As words, while they come."""
    JSON = "json"
    """As the whole result, at the end."""
    STREAM_JSON = "stream-json"
    """As everything that the CLI tells, while it comes."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; with a JSON `schema` the answer's text is JSON that fits it."""

    prompt: str
    format: Format = Format.TEXT
    schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The answer, and what it has cost; `structured` is what a schema asked for."""

    text: str
    structured: Any
    cost: float | None
    raw: Frame


class Ask:
    """A question that is being answered; `events` first, then `result`."""

    def __init__(
        self, launch: Launch, question: Question, on_frame: Callable[[Frame], None] | None = None
    ) -> None:
        """Prepare a question; `on_frame` gets each frame as the CLI said it."""
        self._launch = launch
        self._question = question
        self._on_frame = on_frame
        self._child: Child | None = None
        self._result: Frame | None = None

    async def events(self) -> AsyncGenerator[Event, None]:
        """Ask, and give every event until the answer is complete; none with `Format.JSON`.

        Whoever stops reading early has to close this iterator, or `cancel`, which ends the CLI.
        Raises `AgentError` if it cannot be started, or ends without an answer.
        """
        await self._start()
        assert self._child is not None
        decoder = Decoder()
        try:
            async for line in self._child.lines():
                frame = decode_line(line)
                if frame is None:
                    continue
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
            said = self._child.stderr.strip().splitlines() or [f"exit code {self._child.code}"]
            raise AgentError(f"Claude Code gave no answer: {said[-1]}")

    def result(self) -> Result:
        """Return the answer, once `events` has ended.

        Raises `AgentError` with what went wrong, if there is none.
        """
        if self._result is None:
            raise AgentError("the question was cancelled")
        ended = result.turn_ended(self._result)
        if ended.why is not TurnEndReason.COMPLETED:
            raise AgentError(ended.message or "the answer was not completed")
        words = text(self._result.get("result"))
        structured = self._result.get("structured_output")
        if structured is None and self._question.schema is not None:
            structured = _decoded(words)
        return Result(words, structured, number(self._result.get("total_cost_usd")), self._result)

    def cancel(self) -> None:
        """End the CLI; `events` then ends with an error."""
        if self._child is not None:
            self._child.kill()

    async def _start(self) -> None:
        command = [*self._launch.command, *self._arguments(), *self._launch.arguments]
        environment = self._launch.child_environment()
        try:
            self._child = await Child.spawn(command, cwd=self._launch.cwd, environment=environment)
        except OSError as error:
            raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None
        # A prompt can be longer than an argument may be.
        with contextlib.suppress(TransportClosed):  # it says on stderr why it has ended
            await self._child.write(self._question.prompt.encode("utf-8", "replace"))
        self._child.close_input()

    def _arguments(self) -> list[str]:
        """The words of a text are told by stream-json alone while they come."""
        arguments = ["-p", *self._launch.options()]
        if self._question.format is Format.JSON:
            arguments += ["--output-format", "json"]
        else:
            arguments += ["--output-format", "stream-json", "--verbose"]
            arguments += ["--include-partial-messages"]
        if self._question.schema is not None:
            arguments += ["--json-schema", json.dumps(self._question.schema)]
        return arguments


def _decoded(words: str) -> Any:
    try:
        return json.loads(words)
    except ValueError:
        raise AgentError("Claude's answer is not valid JSON; try again") from None
