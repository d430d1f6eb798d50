"""A CLI for one-off requests, controlled by a test.

As a program it reports its arguments, environment and prompt to the test over loopback, and prints
the frames that the test sends.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

Frame = dict[str, Any]

TURNS = 5
"""Turns of the event loop that accepting a connection takes at most."""


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
        self._open: list[asyncio.StreamWriter] = []
        self._is_over = False

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[Self]:
        """Wait for CLIs on a free port of the loopback interface."""
        fake = cls()
        server = await asyncio.start_server(fake._accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        fake.command = [sys.executable, "-I", str(Path(__file__).resolve()), str(port)]
        try:
            yield fake
        finally:
            fake._is_over = True
            # A connection that is just being accepted would fail if the server had closed.
            for _ in range(TURNS):
                await asyncio.sleep(0)
            server.close()
            for writer in fake._open:
                writer.close()

    async def asked(self) -> Asked:
        """Wait for the next CLI."""
        return await asyncio.wait_for(self._asked.get(), 15)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_over:
            # The test has ended while it was accepted.
            writer.close()
            return
        self._open.append(writer)
        report = json.loads(await reader.readexactly(int(await reader.readline())))
        self._asked.put_nowait(Asked(report, reader, writer))


def main() -> int:
    report = {
        "pid": os.getpid(),
        "arguments": sys.argv[2:],
        "environment": dict(os.environ),
        "cwd": os.getcwd(),  # noqa: PTH109
        "prompt": sys.stdin.buffer.read().decode(),
    }
    test = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    data = json.dumps(report).encode()
    test.sendall(b"%d\n" % len(data) + data)
    for line in test.makefile("rb"):
        frame = json.loads(line)
        if "complaint" in frame:
            sys.stderr.write(frame["complaint"])
            return 1
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if frame.get("type") == "result":
            return int(frame["is_error"])
    return 1


if __name__ == "__main__":
    sys.exit(main())
