"""Runs a shell command in its own session, and keeps the beginning and the end of its output."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Self

from claude_ide.transport.guardian import guardian
from claude_ide.transport.lines import MARK

KEPT = 15_000
"""How many bytes of the output are kept at its beginning, and as many at its end."""

QUICK = 1_000_000
"""A command that has printed more bytes is read more slowly: it may print for ever."""

PAUSE_SECONDS = 0.02
GRACE_SECONDS = 2.0
"""The time that a command has to end by itself after CTRL-C."""

DRAIN_SECONDS = 1.0
"""How long output is read after the command's end: its background commands may keep it open."""

SHELL = "/bin/sh"


def shell(environment: Mapping[str, str]) -> str:
    """Return the user's shell."""
    given = environment.get("SHELL", "")
    return given if Path(given).is_absolute() and os.access(given, os.X_OK) else SHELL


class Output:
    """The output of a command; of a long one, only the beginning and the end are kept."""

    def __init__(self) -> None:
        self.size = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        self.size += len(piece)
        missing = KEPT - len(self._head)
        self._head += piece[:missing]
        self._tail += piece[missing:]
        del self._tail[:-KEPT]

    @property
    def text(self) -> str:
        """The output, with a line for the bytes that are missing."""
        missing = self.size - len(self._head) - len(self._tail)
        if not missing:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (kept.decode("utf-8", "replace") for kept in (self._head, self._tail))
        return f"{head}\n… {missing:,} bytes are missing here …\n{tail}"


class Process(asyncio.SubprocessProtocol):
    """A running command; stdin is empty, and stderr goes to stdout. `add` gets the output."""

    def __init__(self, mark: str, add: Callable[[bytes], None]) -> None:
        self.is_stopped = False
        """Whether the user has ended it."""
        self._mark = mark
        self._add = add
        self._size = 0
        self._exited = asyncio.Event()
        self._closed = asyncio.Event()

    @classmethod
    async def start(
        cls,
        command: str,
        folder: Path,
        environment: Mapping[str, str],
        add: Callable[[bytes], None],
    ) -> Self:
        """Start a command. Raises `OSError` if that is impossible."""
        guardian.start()
        mark = os.urandom(16).hex()
        _, process = await asyncio.get_running_loop().subprocess_exec(
            partial(cls, mark, add),
            *(shell(environment), "-c", command),
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        return process

    async def wait(self) -> int:
        """Return the exit code, once it has ended; its background commands are ended then, too."""
        try:
            await self._exited.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_SECONDS):
                    await self._closed.wait()
        finally:
            guardian.end(self._pid, GRACE_SECONDS)
            self._transport.close()
        code = self._transport.get_returncode()
        assert code is not None
        return code

    def stop(self) -> None:
        """End it as CTRL-C does, and by force if it goes on; a second time at once."""
        grace = 0.0 if self.is_stopped else GRACE_SECONDS
        self.is_stopped = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGINT)
        asyncio.get_running_loop().call_later(grace, self._end)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Watch the running process (called by asyncio)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self._pid = transport.get_pid()
        guardian.watch(self._pid, f"{MARK}={self._mark}")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Report a piece of the output (called by asyncio)."""
        self._add(data)
        self._size += len(data)
        pipe = self._transport.get_pipe_transport(fd)
        if self._size > QUICK and isinstance(pipe, asyncio.ReadTransport):
            pipe.pause_reading()
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, _resume, pipe)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note the end of the output (called by asyncio)."""
        self._closed.set()

    def process_exited(self) -> None:
        """Note the end of the process (called by asyncio)."""
        self._exited.set()

    def _end(self) -> None:
        if not self._exited.is_set():
            guardian.end(self._pid, GRACE_SECONDS)


def _resume(pipe: asyncio.ReadTransport) -> None:
    if not pipe.is_closing():
        pipe.resume_reading()
