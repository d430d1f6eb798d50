"""A kernel that runs code: one that we have started, or one that was running already."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from claude_ide.base.errors import ToolError
from claude_ide.base.program import inherited
from claude_ide.jupyter import connection
from claude_ide.jupyter.connection import ConnectionFile, KernelSession
from claude_ide.jupyter.outputs import Ending, KernelRun, Outcome
from claude_ide.jupyter.specs import Spec
from claude_ide.transport.process import Process

START_SECONDS = 60.0
JOIN_SECONDS = 5.0
STOP_SECONDS = 2.0
INTERRUPT_SECONDS = 1.0
"""How long code may take to end after an interrupt; then it is repeated."""

INTERRUPTS = 5

BEAT_SECONDS = 1.0
PRINTED_BYTES = 4_000
"""What is kept of the output of a kernel while it starts."""


class Kernel:
    """A running kernel. `spec` is None if it was joined."""

    def __init__(
        self,
        title: str,
        connection: ConnectionFile,
        folder: Path,
        spec: Spec | None = None,
        process: Process | None = None,
        printed: bytearray | None = None,
    ) -> None:
        """Prepare to use a kernel; `printed` has the end of what its process prints."""
        self.title = title
        self.spec = spec
        self.folder = folder
        self._connection = connection
        self._is_elsewhere = False
        """Whether it has still to enter its folder."""
        self.language = spec.language if spec else ""
        self._run: KernelRun | None = None
        self._is_stopped = False
        self._is_ended = False
        self._interrupting: asyncio.Task[Ending] | None = None
        self._process = process
        self._printed = bytearray() if printed is None else printed
        self._session: KernelSession | None = None
        self._death = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls, spec: Spec, folder: Path, *, starts_there: bool) -> "Kernel":
        """Start a kernel for a folder. Raises `ToolError` if it does not start.

        As a kernel starts, it may run files of its working folder. Unless it `starts_there`, that
        is an empty one, and it enters `folder` before it runs code for the first time; `spec` must
        be one that can enter a folder.
        """
        printed = bytearray()

        def add(piece: bytes) -> None:
            printed.extend(piece)
            del printed[:-PRINTED_BYTES]

        try:
            ways = connection.create(is_ipc=spec.is_private)
        except OSError as error:
            raise ToolError(f"{spec.title} cannot be started: {error.strerror or error}") from None
        try:
            environment = inherited(os.environ) | spec.environment
            command = spec.filled(ways.file)
            first = folder if starts_there or ways.folder is None else ways.folder
            process = await Process.start(command, first, environment, add)
        except OSError as error:
            ways.remove()
            raise ToolError(f"{spec.title} cannot be started: {error.strerror or error}") from None
        kernel = cls(spec.full_title, ways, folder, spec, process, printed)
        kernel._is_elsewhere = not starts_there
        await kernel._connect(START_SECONDS)
        return kernel

    @classmethod
    async def join(cls, file: Path, title: str, seconds: float = JOIN_SECONDS) -> "Kernel":
        """Use a running kernel. Raises `ToolError` if it does not answer."""
        kernel = cls(title, ConnectionFile(file), file.parent)
        await kernel._connect(seconds)
        return kernel

    @property
    def file(self) -> Path:
        """Its connection file."""
        return self._connection.file

    def forget(self) -> None:
        """Remove the traces of one that was started here from the disk."""
        self._connection.remove()

    @property
    def is_alive(self) -> bool:
        """Whether it runs, as far as is known."""
        return not self._death.done()

    @property
    def is_own(self) -> bool:
        """Whether it was started here."""
        return self._process is not None

    async def execute(self, code: str, seconds: float) -> Outcome:
        """Run code for at most `seconds`, then interrupt it. Cancelling this interrupts it, too."""
        assert self._session is not None
        # Only what it prints from now on can say why it dies.
        self._printed.clear()
        self._enter()
        run = self._run = self._session.execute(code)
        self._is_stopped = False
        try:
            ending = await self._finished(run, seconds)
            if ending is Ending.INTERRUPTED:
                ending = await self._interrupted(run)
            reason = self._last_words() if ending is Ending.DIED else ""
            return Outcome(run.all, ending, run.left_out, reason)
        except asyncio.CancelledError:
            self._interrupt_later(run)
            raise
        finally:
            self._run = None
            if self._interrupting is None or self._interrupting.done():
                self._session.forget(run)

    def _enter(self) -> None:
        """Have it enter its folder, before whatever it is sent next. Raises `ToolError`."""
        if self._is_elsewhere:
            assert self.spec is not None and self._session is not None
            if not self.folder.is_dir():
                raise ToolError(f"{self.title} cannot run: there is no folder {self.folder}")
            self._session.execute_silently(self.spec.entering(self.folder))
            self._is_elsewhere = False

    @property
    def is_busy(self) -> bool:
        """Whether it runs code of ours."""
        return self._run is not None

    def interrupt(self) -> None:
        """Interrupt what it runs, because the user wants that."""
        self._is_stopped = True
        if self._run is not None:
            self._interrupt_later(self._run)
        else:
            self._send_interrupt()

    def _interrupt_later(self, run: KernelRun) -> None:
        self._interrupting = asyncio.create_task(self._interrupted(run))

    async def _interrupted(self, run: KernelRun) -> Ending:
        """Interrupt a run, unless the kernel runs something else.

        An interrupt at the very beginning may get lost, so it is repeated.
        """
        assert self._session is not None
        try:
            for _ in range(INTERRUPTS):
                if run.has_begun:
                    self._send_interrupt()
                ending = await self._finished(run, INTERRUPT_SECONDS)
                if ending is not Ending.INTERRUPTED:
                    return ending if ending is not Ending.DONE else Ending.INTERRUPTED
            return Ending.STUCK if run.has_begun else Ending.QUEUED
        finally:
            self._session.forget(run)

    def _send_interrupt(self) -> None:
        if self._process is not None and self.spec and not self.spec.interrupts_by_message:
            self._process.interrupt()
        elif self._session is not None:
            self._session.send_interrupt()

    async def stop(self) -> None:
        """End it; one that was joined keeps running."""
        self._is_ended = True
        if self._process is not None:
            if self._session is not None and self.is_alive:
                self._session.send_shutdown()
                await asyncio.wait([self._death], timeout=STOP_SECONDS)
            self._process.close()
            self.forget()
        self._death.cancel()
        if self._session is not None:
            self._session.close()

    async def _connect(self, seconds: float) -> None:
        try:
            self._session = KernelSession(self._connection.file, beats=self._process is None)
            async with asyncio.timeout(seconds):
                language = await self._unless_dead(self._session.ready())
        except TimeoutError:
            await self.stop()
            raise ToolError(f"{self.title} did not answer within {seconds:g} s") from None
        except BaseException:
            await self.stop()
            raise
        self.language = language or self.language

    async def _unless_dead(self, work: Awaitable[Any]) -> Any:
        """Return the result of `work`. Raises `ToolError` if the kernel dies before."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait([task, self._death], return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if self._process is None:
                raise ToolError(f"{self.title} does not answer")
            raise ToolError(f"{self.title} has ended while it started: {self._last_words()}")
        finally:
            task.cancel()

    async def _finished(self, run: KernelRun, seconds: float) -> Ending:
        """Wait for the end of a run: `INTERRUPTED` stands for a limit that is reached."""
        ended = asyncio.create_task(run.ended.wait())
        try:
            await asyncio.wait(
                [ended, self._death], timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ended.cancel()
        if run.ended.is_set():
            return Ending.STOPPED if self._is_stopped else Ending.DONE
        return Ending.INTERRUPTED if self.is_alive else Ending.DIED

    async def _watch(self) -> int | None:
        """Return when it has died, with the exit code if it is known."""
        if self._process is not None:
            return await self._process.exited()
        missed = 0
        while missed < 3:
            await asyncio.sleep(BEAT_SECONDS)
            missed = missed + 1 if self._session and not self._session.is_beating else 0
        return None

    def _last_words(self) -> str:
        """Return how its process has ended."""
        if self._is_ended:
            return "the user has ended it"
        with contextlib.suppress(asyncio.CancelledError, asyncio.InvalidStateError):
            code = self._death.result()
            lines = self._printed.decode("utf-8", "replace").strip().splitlines()
            how = "it does not answer any more" if code is None else f"exit code {code}"
            how = f"signal {-code}" if code is not None and code < 0 else how
            return f"{how}; its last output was: {lines[-1][:300]}" if lines else how
        return "it has ended"
