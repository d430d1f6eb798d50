"""A command with its output and without input, in its own session.

The guardian ends it, with everything that it has started, when this process has ended.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from claude_ide.program import locate
from claude_ide.transport.guardian import guardian
from claude_ide.transport.lines import MARK

STDIN, STDOUT, STDERR = range(3)

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


class Process(asyncio.SubprocessProtocol):
    """A running command in its own session. `add` gets the output, and `add_error` the errors."""

    def __init__(
        self, mark: str, add: Callable[[bytes], None], add_error: Callable[[bytes], None] | None
    ) -> None:
        self.is_stopped = False
        """Whether the user has ended it."""
        self._mark = mark
        self._add = {STDOUT: add, STDERR: add_error or add}
        self._size = 0
        self._exited = asyncio.Event()
        self._closed = asyncio.Event()

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        add: Callable[[bytes], None],
        add_error: Callable[[bytes], None] | None = None,
        text: bytes | None = None,
    ) -> Self:
        """Start a program with its arguments, which reads a text if there is one.

        Without `add_error`, stderr goes to stdout. Raises `OSError` if that is impossible.
        """
        program = locate(arguments[0], environment.get("PATH", os.defpath))
        guardian.start()
        mark = os.urandom(16).hex()
        starting = asyncio.get_running_loop().subprocess_exec(
            partial(cls, mark, add, add_error),
            *(program, *arguments[1:]),
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if add_error is None else subprocess.PIPE,
            start_new_session=True,
        )
        started = asyncio.ensure_future(starting)
        try:
            _, process = await asyncio.shield(started)
        except asyncio.CancelledError:
            # Otherwise what it has started already would go on.
            (await started)[1].close()
            raise
        pipe = process._transport.get_pipe_transport(STDIN)
        if text is not None and isinstance(pipe, asyncio.WriteTransport):
            pipe.write(text)
            pipe.write_eof()
        return process

    async def wait(self) -> int:
        """Return the exit code, once it has ended; its background commands are ended then, too."""
        try:
            return await self.exited()
        finally:
            self.close()

    async def exited(self) -> int:
        """Return the exit code, negative for a signal; its background commands may still run."""
        await self._exited.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._closed.wait()
        code = self._transport.get_returncode()
        assert code is not None
        return code

    def close(self) -> None:
        """End the background commands of one that has ended, and read no more output.

        One that is still running gets SIGKILL.
        """
        guardian.end(self._pid, GRACE_SECONDS)
        self._transport.close()

    def stop(self) -> None:
        """End it as CTRL-C does, and by force if it goes on; a second time at once."""
        grace = 0.0 if self.is_stopped else GRACE_SECONDS
        self.is_stopped = True
        self.interrupt()
        asyncio.get_running_loop().call_later(grace, self._end)

    def interrupt(self) -> None:
        """Send it what CTRL-C sends; it may go on."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGINT)

    def end(self) -> None:
        """End it with SIGTERM, and with SIGKILL if it goes on; also everything it has started."""
        guardian.end(self._pid, GRACE_SECONDS)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Watch the running process (called by asyncio)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self._pid = transport.get_pid()
        guardian.watch(self._pid, f"{MARK}={self._mark}")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Report a piece of the output (called by asyncio)."""
        self._add[fd](data)
        self._size += len(data)
        pipe = self._transport.get_pipe_transport(fd)
        if self._size > QUICK and isinstance(pipe, asyncio.ReadTransport):
            pipe.pause_reading()
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, _resume, pipe)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note the end of the output (called by asyncio)."""
        if fd == STDOUT:
            self._closed.set()

    def process_exited(self) -> None:
        """Note the end of the process (called by asyncio)."""
        self._exited.set()

    def _end(self) -> None:
        if not self._exited.is_set():
            self.end()


def _resume(pipe: asyncio.ReadTransport) -> None:
    if not pipe.is_closing():
        pipe.resume_reading()
