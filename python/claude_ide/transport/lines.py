"""A child process with lines on stdin and stdout; keeps the end of its stderr.

A line may be megabytes long and may arrive in any pieces. The child leads its own session, so that
its descendants end with it. The guardian ends it when this process has ended.
"""

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from claude_ide.errors import TransportClosed
from claude_ide.program import locate
from claude_ide.transport.ending import KILLING_SECONDS
from claude_ide.transport.guardian import guardian

MARK = "CLAUDE_IDE_CHILD"
"""A variable by which the guardian recognizes the descendants of a child."""

GRACE_SECONDS = 2.0
"""The time for each step of stopping a child."""

DRAIN_SECONDS = 1.0
"""How long output is read after the child's exit: a descendant may keep it open."""

STDERR_LINES = 40
LONGEST_STDERR_LINE = 2_000
MOST_UNREAD = 4 * 2**20

STDIN, STDOUT, STDERR = range(3)


class LineSplitter:
    """Joins the pieces of a stream into lines; each piece is copied only once."""

    def __init__(self) -> None:
        self._partial: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that this piece completes, without their line feeds."""
        *ended, rest = piece.split(b"\n")
        if ended:
            ended[0] = b"".join((*self._partial, ended[0]))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        return ended

    def rest(self) -> bytes:
        """Return and forget the incomplete last line."""
        rest = b"".join(self._partial)
        self._partial.clear()
        return rest


class Child(asyncio.SubprocessProtocol):
    """A running child; `spawn` creates it."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self.code: int | None = None
        """The exit code, negative for a signal; None while it runs."""
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._splitters = {STDOUT: LineSplitter(), STDERR: LineSplitter()}
        self._stderr: deque[bytes] = deque(maxlen=STDERR_LINES)
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._exited = asyncio.Event()
        self._ended = False
        self._input_ended = False
        self._complained = asyncio.Event()
        """Set at the end of stderr."""
        self._sending = asyncio.Lock()
        self._writable.set()

    @classmethod
    async def spawn(
        cls, arguments: Sequence[str | Path], *, cwd: str | Path, environment: Mapping[str, str]
    ) -> Self:
        """Start a program in `cwd` with this environment and the guardian's mark.

        Raises `OSError` if it cannot be started.
        """
        program = locate(str(arguments[0]), environment.get("PATH", os.defpath))
        guardian.start()
        mark = os.urandom(16).hex()
        _, child = await asyncio.get_running_loop().subprocess_exec(
            partial(cls, mark),
            program,
            *arguments[1:],
            cwd=cwd,
            env={**environment, MARK: mark},
            start_new_session=True,
        )
        return child

    @property
    def pid(self) -> int:
        """The id of the child's process, and of its process group."""
        return self._transport.get_pid()

    @property
    def _over(self) -> bool:
        return self._ended or self.code is not None

    @property
    def stderr(self) -> str:
        """The last lines of the child's stderr."""
        return b"\n".join(self._stderr).decode("utf-8", "replace")

    async def send(self, line: bytes) -> None:
        """Send a line in one piece and in order; waits while the child does not read.

        Raises `TransportClosed` if the child has closed its stdin or ended.
        """
        assert b"\n" not in line
        await self.write(line + b"\n")

    async def write(self, data: bytes) -> None:
        """Send raw bytes, for a child that does not read lines; otherwise like `send`."""
        async with self._sending:
            stdin = self._stdin()
            if not self._over and not stdin.is_closing():
                stdin.write(data)
                await self._writable.wait()
                if not self._over and not self._is_input_lost(stdin):
                    return
            raise TransportClosed("the process has ended")

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each line of stdout until it ends; empty lines are skipped."""
        while True:
            while self._lines:
                line = self._lines.popleft()
                self._unread -= len(line)
                if self._unread < MOST_UNREAD:
                    self._pipe(STDOUT).resume_reading()
                yield line
            if self._ended:
                return
            self._arrived.clear()
            await self._arrived.wait()

    async def wait(self) -> int:
        """Wait for the end of the child, but not of its descendants; return its exit code."""
        await self._exited.wait()
        assert self.code is not None
        return self.code

    def close_input(self) -> None:
        """Close the child's stdin, after the data that was sent."""
        self._input_ended = True
        self._stdin().close()

    async def stop(self, grace: float = GRACE_SECONDS) -> int:
        """End the child: close its stdin, then SIGTERM, then SIGKILL, each after `grace` seconds.

        The signals also go to its descendants. Returns its exit code.
        """
        self.close_input()
        if not await self._ends_within(grace):
            self.kill(grace)
            if not await self._ends_within(grace + KILLING_SECONDS):
                self._signal(signal.SIGKILL)
        code = await self.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._complained.wait()
        return code

    def kill(self, grace: float = GRACE_SECONDS) -> None:
        """End the child and its descendants, without waiting for them.

        They get SIGTERM, and those still running after `grace` seconds SIGKILL.
        """
        if self.code is None:
            guardian.end(self.pid, grace)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Watch the running process (called by asyncio)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        guardian.watch(self.pid, f"{MARK}={self._mark}")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Store a piece of stdout or stderr (called by asyncio)."""
        self._store(fd, self._splitters[fd].feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Handle the end of a pipe (called by asyncio)."""
        if fd == STDIN:
            self._writable.set()
            return
        self._store(fd, [self._splitters[fd].rest()])
        if fd == STDOUT:
            self._end()
        else:
            self._complained.set()
        self._close_if_over()

    def pause_writing(self) -> None:
        """Stop writing: the child reads too slowly (called by asyncio)."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Continue writing: the child has caught up (called by asyncio)."""
        self._writable.set()

    def process_exited(self) -> None:
        """Handle the child's end (called by asyncio)."""
        self.code = self._transport.get_returncode()
        self._exited.set()
        self._writable.set()
        # This also ends its descendants.
        guardian.end(self.pid, GRACE_SECONDS)
        asyncio.get_running_loop().call_later(DRAIN_SECONDS, self._close)
        self._close_if_over()

    def _is_input_lost(self, stdin: asyncio.WriteTransport) -> bool:
        """Return whether the child has closed its stdin, which drops what it has not read."""
        return stdin.is_closing() and not self._input_ended

    async def _ends_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()
        return self.code is not None

    def _store(self, fd: int, lines: list[bytes]) -> None:
        lines = [line for line in lines if line.strip()]
        if fd == STDERR:
            self._stderr.extend(line[:LONGEST_STDERR_LINE] for line in lines)
            return
        self._lines.extend(lines)
        self._unread += sum(map(len, lines))
        if self._unread >= MOST_UNREAD:
            self._pipe(STDOUT).pause_reading()
        self._arrived.set()

    def _end(self) -> None:
        self._ended = True
        self._writable.set()
        self._arrived.set()

    def _close_if_over(self) -> None:
        """Close the pipes once all output has been read; what is unread then would be lost."""
        if self.code is not None and self._ended and self._complained.is_set():
            self._transport.close()

    def _close(self) -> None:
        self._end()
        self._complained.set()
        self._transport.close()

    def _signal(self, sent: signal.Signals) -> None:
        # Descendants of the child are in its group and may outlive it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, sent)

    def _stdin(self) -> asyncio.WriteTransport:
        stdin = self._transport.get_pipe_transport(STDIN)
        assert isinstance(stdin, asyncio.WriteTransport)
        return stdin

    def _pipe(self, fd: int) -> asyncio.ReadTransport:
        pipe = self._transport.get_pipe_transport(fd)
        assert isinstance(pipe, asyncio.ReadTransport)
        return pipe
