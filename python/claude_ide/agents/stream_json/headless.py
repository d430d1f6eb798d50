"""A one-off request to the CLI, without a saved session: `claude -p`, streamed."""

import contextlib
import json
import re
from collections.abc import AsyncGenerator, Callable
from enum import Enum
from typing import Any

from msgspec import Struct

from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.agents.fields import number, text
from claude_ide.agents.stream_json.decoding import turn
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line
from claude_ide.agents.stream_json.wire.launch import Launch
from claude_ide.errors import AgentError, TransportClosed
from claude_ide.transport.process import Child
from claude_ide.unicode import readable
from claude_ide.wire import FROM, TO, Party

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


class Question(Struct, frozen=True):
    """A prompt; with a JSON `schema` the answer's text is JSON that conforms to it."""

    prompt: str
    format: Format = Format.TEXT
    schema: dict[str, Any] | None = None


class Result(Struct, frozen=True):
    """The answer, and its cost in dollars; `structured` is the value that a schema describes."""

    text: str
    structured: Any
    cost: float | None
    raw: Frame


class Ask:
    """A question that is being answered; `events` first, then `result`."""

    def __init__(
        self, launch: Launch, question: Question, on_frame: Callable[[Frame], None] | None = None
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
        decoder = Decoder()
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

    def result(self) -> Result:
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
            structured = _decoded(words)
        return Result(words, structured, number(self._result.get("total_cost_usd")), self._result)

    def cancel(self) -> None:
        """End the CLI; `events` then ends with an error."""
        if self._child is not None:
            self._child.kill()

    async def _start(self) -> None:
        command = [*self._launch.command, *self._arguments(), *self._launch.arguments]
        environment = await self._launch.child_environment()
        try:
            self._child = await Child.spawn(command, cwd=self._launch.cwd, environment=environment)
        except OSError as error:
            raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None
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


def _decoded(words: str) -> Any:
    """Return the value in an answer, which may be in a code fence.

    Raises `AgentError` with the model's words if it has not followed the schema.
    """
    fenced = FENCED.fullmatch(words.strip())
    try:
        return json.loads(fenced["text"] if fenced else words)
    except ValueError:
        said = " ".join(words.split())
        cut = said if len(said) <= LONGEST_WORDS else f"{said[: LONGEST_WORDS - 1]}…"
        raise AgentError(f"Claude answered in words: {cut}") from None
