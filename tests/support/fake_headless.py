"""A CLI for one-off requests, controlled by a test: a program that the test tells what to print."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

from support.listening import listening

Frame = dict[str, Any]
PROGRAM = Path(__file__).with_name("reporting_cli.py")


class Asked:
    """One running CLI, which has reported its prompt and waits for frames to print."""

    def __init__(
        self, report: Frame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.pid: int = report["pid"]
        self.arguments: list[str] = report["arguments"]
        self.environment: dict[str, str] = report["environment"]
        self.cwd: str = report["cwd"]
        self.prompt: str = report["prompt"]
        self._reader = reader
        self._writer = writer
        self._written = ""

    def send(self, frame: Frame) -> None:
        """Print a frame."""
        self._writer.write(json.dumps(frame).encode() + b"\n")

    def begin(self) -> None:
        """Start a message of the model, and a text in it."""
        self._stream({"type": "message_start", "message": {"id": "msg"}})
        block = {"type": "text", "text": ""}
        self._stream({"type": "content_block_start", "index": 0, "content_block": block})

    def write(self, words: str) -> None:
        """Print a piece of the text."""
        self._written += words
        delta = {"type": "text_delta", "text": words}
        self._stream({"type": "content_block_delta", "index": 0, "delta": delta})

    def end(self, result: str = "", **fields: Any) -> None:
        """Print the whole text, if one was started, then the result, and end."""
        if self._written:
            content = [{"type": "text", "text": self._written}]
            self.send({"type": "assistant", "message": {"id": "msg", "content": content}})
        ended = {"type": "result", "is_error": False, "result": result} | fields
        self.send(ended)
        self._writer.write_eof()

    def fit(self, structured: Frame) -> None:
        """End with a structured answer."""
        self.end(json.dumps(structured), structured_output=structured)

    def fail(self, message: str) -> None:
        """End with an error."""
        self.end(message, is_error=True)

    def break_off(self, complaint: str) -> None:
        """End without a result, with a message on stderr."""
        self.send({"complaint": complaint})
        self._writer.write_eof()

    async def wait_for_end(self) -> None:
        """Wait until the CLI has ended."""
        with suppress(ConnectionError):
            await asyncio.wait_for(self._reader.read(), 15)

    def _stream(self, event: Frame) -> None:
        self.send({"type": "stream_event", "event": event, "parent_tool_use_id": None})


class FakeHeadless:
    """All CLIs of a test: the command that starts them, and those that have started, in order."""

    def __init__(self) -> None:
        self.command: list[str] = []
        self._asked: asyncio.Queue[Asked] = asyncio.Queue()

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[Self]:
        """Wait for CLIs on a free port of the loopback interface."""
        fake = cls()
        async with listening(fake._accept) as port:
            fake.command = [sys.executable, "-I", str(PROGRAM), str(port)]
            yield fake

    async def asked(self) -> Asked:
        """Wait for the next CLI."""
        return await asyncio.wait_for(self._asked.get(), 15)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        size = await reader.readline()
        if not size:
            return  # the test has ended
        report = json.loads(await reader.readexactly(int(size)))
        self._asked.put_nowait(Asked(report, reader, writer))
