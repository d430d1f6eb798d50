"""The channel to Vim: calls Vim9 functions from coroutines, over stdin and stdout of the host.

Each message is one line of JSON; `autoload/claude_ide/channel.vim` is the other end:

- to Vim: `[id, "module.function", [argument, …]]`; without an answer if the id is 0
- from Vim: `[id, true, result]`, `[id, false, "reason"]`; on its own, `[0, "event", name, payload]`
  and `[0, "command", name, arguments, lines, bang, bufnr]`

A string of Vim cannot contain a NUL, and its `json_decode()` drops one silently. Under the key
`text` a text therefore crosses as a list of lines, in which a NUL is a line feed, as in a buffer.
In any other string `NUL` stands for one: a path that contains it must not become another path.
"""

import asyncio
import itertools
import json
import logging
from collections.abc import Callable
from typing import Any, BinaryIO

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.binding import log_failure

logger = logging.getLogger(__name__)

READ_AT_ONCE = 1 << 20
TEXT = "text"
"""The key of a value that crosses as a list of lines."""
NUL = "\ufdd0"
"""Stands for a NUL: a code point that is no character (`file/path.vim`)."""

Report = Callable[..., object]
"""Is called with what Vim sends on its own: `"event"` or `"command"`, and what follows."""


class Vim:
    """Calls functions of `autoload/claude_ide/` (a `Channel`)."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._closed = False
        self._output: asyncio.WriteTransport | None = None

    async def open(self, output: BinaryIO) -> None:
        """Write to Vim from now on. A Vim that does not read never blocks the host."""
        self._output, _ = await self._loop.connect_write_pipe(asyncio.Protocol, output)

    async def receive(self, source: BinaryIO, report: Report) -> None:
        """Read what Vim sends, until it closes the pipe."""
        reader = asyncio.StreamReader(limit=READ_AT_ONCE)
        protocol = asyncio.StreamReaderProtocol(reader)
        await self._loop.connect_read_pipe(lambda: protocol, source)
        pieces: list[bytes] = []
        while data := await reader.read(READ_AT_ONCE):
            first, *others = data.split(b"\n")
            pieces.append(first)
            for begun in others:
                self._handle(b"".join(pieces), report)
                pieces = [begun]

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Call `module.function`. Vim answers even at a prompt, but not while it is busy."""
        done: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            done.set_exception(EditorError("Vim has ended"))
            return done
        number = next(self._ids)
        self._waiting[number] = done
        self._send([number, function, arguments])
        return done

    json = call

    def notify(self, function: str, *arguments: Any) -> None:
        """Call `module.function` without waiting for it; a failure is logged."""
        self.call(function, *arguments).add_done_callback(log_failure)

    def close(self) -> None:
        """Fail every later call, and those that wait for an answer: Vim is gone."""
        self._closed = True
        for done in self._waiting.values():
            if not done.done():
                done.set_exception(EditorError("Vim has ended"))
                done.exception()  # marks it as retrieved: nothing awaits a notification
        self._waiting.clear()

    def _send(self, message: list[Any]) -> None:
        assert self._output is not None
        self._output.write(_encoded(json.dumps(for_vim(message), ensure_ascii=False)) + b"\n")

    def _handle(self, line: bytes, report: Report) -> None:
        try:
            # A buffer may contain bytes that are not UTF-8.
            number, *given = json.loads(line.decode("utf-8", "surrogateescape"), strict=False)
        except (ValueError, TypeError):
            logger.error("Vim has sent no message: %r", line[:200])
            return
        given = from_vim(given)
        if number == 0:
            report(*given)
        elif (done := self._waiting.pop(number, None)) is not None and not done.done():
            succeeded, result = given
            if succeeded:
                done.set_result(result)
            else:
                done.set_exception(EditorError(result))


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a character from the CLI, and not a byte from a buffer.
        return text.encode("utf-8", "surrogatepass")


def for_vim(value: Any) -> Any:
    """Return a value as Vim gets it: a text is a list of lines, in which a NUL is a line feed."""
    if isinstance(value, dict):
        return {
            key: _lines(inner) if key == TEXT and isinstance(inner, str) else for_vim(inner)
            for key, inner in value.items()
        }
    if isinstance(value, str):
        return value.replace("\0", NUL)
    return [*map(for_vim, value)] if isinstance(value, list | tuple) else value


def _lines(text: str) -> list[str]:
    return [line.replace("\0", "\n") for line in text.split("\n")]


def from_vim(value: Any) -> Any:
    """Return a value that Vim has sent, in the form in which Neovim sends it."""
    if isinstance(value, dict):
        return {
            key: _text(inner) if key == TEXT and isinstance(inner, list) else from_vim(inner)
            for key, inner in value.items()
        }
    return [*map(from_vim, value)] if isinstance(value, list) else value


def _text(lines: list[str]) -> str:
    return "\n".join(line.replace("\n", "\0") for line in lines)
