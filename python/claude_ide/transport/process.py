"""Child processes, each in a session of its own, so that its descendants end with it.

The guardian ends them when this process has ended (`ending.py`). `Process` is a command with its
output; `Child` exchanges lines over stdin and stdout, which may be megabytes long and may arrive in
any pieces.
"""

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from claude_ide.base.errors import TransportClosed
from claude_ide.base.program import locate
from claude_ide.transport import ending
from claude_ide.transport.ending import KILLING_SECONDS

MARK = "CLAUDE_IDE_CHILD"
"""A variable by which the guardian recognizes the descendants of a child."""

GRACE_SECONDS = 2.0
"""The time for each step of stopping a child, and for a command to end by itself after CTRL-C."""

DRAIN_SECONDS = 1.0
"""How long output is read after the end of a child: a descendant may keep it open."""

QUICK_BYTES = 1_000_000
"""A command that has printed more is read more slowly: it may print for ever."""

PAUSE_SECONDS = 0.02
STDERR_LINES = 40
LONGEST_STDERR_LINE_BYTES = 2_000
LONGEST_LINE_BYTES = 64 * 2**20
"""A child whose line on stdout is longer is ended."""
MOST_UNREAD_BYTES = 4 * 2**20

SHELL = "/bin/sh"
STDIN, STDOUT, STDERR = range(3)


def shell(environment: Mapping[str, str]) -> str:
    """Return the user's shell."""
    given = environment.get("SHELL", "")
    return given if Path(given).is_absolute() and os.access(given, os.X_OK) else SHELL


class Guardian:
    """Ends children with all their descendants, on request or when this process has ended.

    Only this process holds the pipe to it, so that the pipe closes even after a SIGKILL.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: dict[int, str] = {}

    def start(self) -> None:
        """Start the process unless it is running. Raises `OSError` if it cannot be started."""
        if self._process is None or self._process.poll() is not None:
            self._close()  # the pipe to one that was killed
            # In its own session, so that a signal to ours does not end it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", ending.__file__],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=Path(sys.executable).anchor,
                start_new_session=True,
            )
            for pid, mark in self._watched.items():
                self._write(f"watch {pid} {mark}")

    def watch(self, pid: int, mark: str) -> None:
        """Watch a child, which leads a session and has `mark` in its environment."""
        self._watched[pid] = mark
        self._send(f"watch {pid} {mark}")

    def end(self, pid: int, grace: float) -> None:
        """End a child and its descendants, or the remaining descendants of one that has exited.

        They get SIGTERM, and those still running after `grace` seconds SIGKILL.
        """
        if pid in self._watched:
            self._send(f"end {pid} {grace}")
            del self._watched[pid]

    def end_all(self) -> None:
        """End every child; this process may exit immediately afterwards."""
        self._watched.clear()
        self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.returncode = 0  # prevents a wait for it: it may outlive this process

    def _send(self, line: str) -> None:
        self.start()
        try:
            self._write(line)
        except BrokenPipeError:  # it was killed just now
            self.start()
            self._write(line)

    def _write(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())


guardian = Guardian()
"""The guardian of this process."""

atexit.register(guardian.end_all)


class _Watched(asyncio.SubprocessProtocol):
    """A child process that the guardian watches."""

    def __init__(self) -> None:
        self.code: int | None = None
        """The exit code, negative for a signal; None while it runs."""
        self._mark = os.urandom(16).hex()
        self._exited = asyncio.Event()
        self._closed = {STDOUT: asyncio.Event(), STDERR: asyncio.Event()}
        """Set at the end of stdout and of stderr."""

    @property
    def pid(self) -> int:
        """The id of its process, and of its process group."""
        return self._transport.get_pid()

    async def _start(
        self,
        arguments: Sequence[str | Path],
        folder: str | Path,
        environment: Mapping[str, str],
        stdin: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> None:
        program = locate(str(arguments[0]), environment.get("PATH", os.defpath))
        guardian.start()
        starting = asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            program,
            *arguments[1:],
            cwd=folder,
            env={**environment, MARK: self._mark},
            stdin=stdin,
            stderr=stderr,
            start_new_session=True,
        )
        started = asyncio.ensure_future(starting)
        try:
            await asyncio.shield(started)
        except asyncio.CancelledError:
            # Otherwise what it has started already would go on.
            await started
            guardian.end(self.pid, GRACE_SECONDS)
            self._transport.close()
            raise

    async def _wait(self, event: asyncio.Event, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Watch the running process (called by asyncio)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        guardian.watch(self.pid, f"{MARK}={self._mark}")

    def process_exited(self) -> None:
        """Note its end (called by asyncio)."""
        self.code = self._transport.get_returncode()
        self._exited.set()

    def _pipe(self, fd: int) -> asyncio.ReadTransport:
        pipe = self._transport.get_pipe_transport(fd)
        assert isinstance(pipe, asyncio.ReadTransport)
        return pipe

    def _stdin(self) -> asyncio.WriteTransport:
        stdin = self._transport.get_pipe_transport(STDIN)
        assert isinstance(stdin, asyncio.WriteTransport)
        return stdin


class Process(_Watched):
    """A running command. `add` gets the output, and `add_error` the errors."""

    def __init__(
        self, add: Callable[[bytes], None], add_error: Callable[[bytes], None] | None
    ) -> None:
        super().__init__()
        self.is_stopped = False
        """Whether the user has ended it."""
        self._add = {STDOUT: add, STDERR: add_error or add}
        self._size = 0

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
        process = cls(add, add_error)
        stdin = subprocess.DEVNULL if text is None else subprocess.PIPE
        stderr = subprocess.STDOUT if add_error is None else subprocess.PIPE
        await process._start(arguments, folder, environment, stdin, stderr)
        if text is not None:
            process._stdin().write(text)
            process._stdin().write_eof()
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
        await self._wait(self._closed[STDOUT], DRAIN_SECONDS)
        assert self.code is not None
        return self.code

    def close(self) -> None:
        """End the background commands of one that has ended, and read no more output.

        One that is still running gets SIGKILL.
        """
        self.end()
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
            os.killpg(self.pid, signal.SIGINT)

    def end(self) -> None:
        """End it with SIGTERM, and with SIGKILL if it goes on; also everything it has started."""
        guardian.end(self.pid, GRACE_SECONDS)

    def _end(self) -> None:
        if self.code is None:
            self.end()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Report a piece of the output (called by asyncio)."""
        self._add[fd](data)
        self._size += len(data)
        if self._size > QUICK_BYTES:
            self._pipe(fd).pause_reading()
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, _resume, self._pipe(fd))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note the end of the output (called by asyncio)."""
        if fd != STDIN:
            self._closed[fd].set()


def _resume(pipe: asyncio.ReadTransport) -> None:
    if not pipe.is_closing():
        pipe.resume_reading()


class LineSplitter:
    """Joins the pieces of a stream into lines; each piece is copied only once.

    Of a line that has not ended, no pieces are kept that begin beyond its first `most` bytes.
    """

    def __init__(self, most: int) -> None:
        self._partial: list[bytes] = []
        self._size = 0
        self._most = most

    @property
    def is_full(self) -> bool:
        """Whether a line is longer than is kept."""
        return self._size > self._most

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that this piece completes, without their line feeds."""
        *ended, rest = piece.split(b"\n")
        if ended:
            ended[0] = b"".join((*self._partial, ended[0]))
            self._partial.clear()
            self._size = 0
        if rest and not self.is_full:
            self._partial.append(rest)
            self._size += len(rest)
        return ended

    def rest(self) -> bytes:
        """Return and forget the incomplete last line."""
        rest = b"".join(self._partial)
        self._partial.clear()
        self._size = 0
        return rest


class Child(_Watched):
    """A running child with lines on stdin and stdout; keeps the end of its stderr."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._splitters = {
            STDOUT: LineSplitter(LONGEST_LINE_BYTES),
            STDERR: LineSplitter(LONGEST_STDERR_LINE_BYTES),
        }
        self._stderr: deque[bytes] = deque(maxlen=STDERR_LINES)
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._input_ended = False
        self._is_refused = False
        self._sending = asyncio.Lock()

    @classmethod
    async def spawn(
        cls, arguments: Sequence[str | Path], *, cwd: str | Path, environment: Mapping[str, str]
    ) -> Self:
        """Start a program. Raises `OSError` if it cannot be started."""
        child = cls()
        await child._start(arguments, cwd, environment)
        return child

    @property
    def _is_over(self) -> bool:
        return self._closed[STDOUT].is_set() or self.code is not None

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
            if not self._is_over and not stdin.is_closing():
                stdin.write(data)
                await self._writable.wait()
                # A child that has closed its stdin drops what it has not read.
                if not self._is_over and (self._input_ended or not stdin.is_closing()):
                    return
            raise TransportClosed("the process has ended")

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each line of stdout until it ends; empty lines are skipped."""
        while True:
            while self._lines:
                line = self._lines.popleft()
                self._unread -= len(line)
                if self._unread < MOST_UNREAD_BYTES:
                    self._pipe(STDOUT).resume_reading()
                yield line
            if self._closed[STDOUT].is_set():
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
        await self._wait(self._exited, grace)
        if self.code is None:
            self.kill(grace)
            await self._wait(self._exited, grace + KILLING_SECONDS)
        if self.code is None:
            # Descendants of the child are in its group and may outlive it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        code = await self.wait()
        await self._wait(self._closed[STDERR], DRAIN_SECONDS)
        return code

    def kill(self, grace: float = GRACE_SECONDS) -> None:
        """End the child and its descendants, without waiting for them.

        They get SIGTERM, and those still running after `grace` seconds SIGKILL.
        """
        if self.code is None:
            guardian.end(self.pid, grace)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Store a piece of stdout or stderr (called by asyncio)."""
        if fd == STDOUT and self._is_refused:
            return
        splitter = self._splitters[fd]
        self._store(fd, splitter.feed(data))
        if fd == STDOUT and splitter.is_full:
            self._is_refused = True
            splitter.rest()
            self._stderr.append(
                f"it sent a line of more than {LONGEST_LINE_BYTES:,} bytes".encode()
            )
            self.kill()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Handle the end of a pipe (called by asyncio)."""
        if fd == STDIN:
            self._writable.set()
            return
        self._store(fd, [self._splitters[fd].rest()])
        self._end(fd)

    def pause_writing(self) -> None:
        """Stop writing: the child reads too slowly (called by asyncio)."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Continue writing: the child has caught up (called by asyncio)."""
        self._writable.set()

    def process_exited(self) -> None:
        """Handle the child's end (called by asyncio)."""
        super().process_exited()
        self._writable.set()
        # This also ends its descendants.
        guardian.end(self.pid, GRACE_SECONDS)
        asyncio.get_running_loop().call_later(DRAIN_SECONDS, self._end, STDOUT, STDERR)
        self._end()

    def _store(self, fd: int, lines: list[bytes]) -> None:
        lines = [line for line in lines if line.strip()]
        if fd == STDERR:
            self._stderr.extend(line[:LONGEST_STDERR_LINE_BYTES] for line in lines)
            return
        self._lines.extend(lines)
        self._unread += sum(map(len, lines))
        if self._unread >= MOST_UNREAD_BYTES:
            self._pipe(STDOUT).pause_reading()
        self._arrived.set()

    def _end(self, *pipes: int) -> None:
        """Note the end of pipes; close all once there is no more to read."""
        for fd in pipes:
            self._closed[fd].set()
            self._arrived.set()
        # At the end of stderr alone, one that waits until it can write goes on waiting.
        if self._is_over:
            self._writable.set()
        if self.code is not None and all(closed.is_set() for closed in self._closed.values()):
            self._transport.close()
