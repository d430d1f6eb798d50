"""The commands that an agent runs through the editor: `terminal/*`.

A terminal keeps the end of its output until the agent releases it. Its command gets no input.
"""

import asyncio
import codecs
import itertools
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from claude_ide.agents.acp.connection import NOT_FOUND, Params, absolute, converted_params
from claude_ide.base.errors import INTERNAL_ERROR, RpcError
from claude_ide.base.unicode import shown
from claude_ide.transport.process import SHELL, Process, shell

MOST_TERMINALS = 50
USUAL_LIMIT_BYTES = 1_000_000
LARGEST_LIMIT_BYTES = 10_000_000
"""How much output is kept if the agent names no limit, and at most."""

SHOWN_BYTES = 20_000
"""The end of the output that the user sees."""

SHOW_SECONDS = 0.1
"""The shortest time between two reports of new output."""

POSIX = frozenset({"sh", "bash", "dash", "ksh", "zsh"})
"""Shells that understand what agents write; another one runs no command of theirs."""


class _Variable(Struct):
    name: Annotated[str, Meta(pattern="^[^=]+$")]
    value: str


class _Command(Struct, rename="camel"):
    command: Annotated[str, Meta(pattern=r"\S")]
    args: list[str] | None = None
    cwd: str | None = None
    env: list[_Variable] | None = None
    output_byte_limit: Annotated[int, Meta(ge=0)] | None = None


class _Named(Struct, rename="camel"):
    terminal_id: str


class Tail:
    """The last `most` bytes of an output in UTF-8, cut between characters.

    Bytes that are not UTF-8 are replaced, as U+FFFD.
    """

    def __init__(self, most: int) -> None:
        self.is_cut = False
        """Whether earlier output is missing."""
        self._most = most
        self._kept = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, piece: bytes, *, is_last: bool = False) -> None:
        """Append a piece, which may end within a character unless it is the last one."""
        self._kept += self._decoder.decode(piece, is_last).encode()
        if len(self._kept) > self._most:
            self.is_cut = True
            del self._kept[: self._begin(self._most)]

    def last(self, most: int) -> str:
        """Return at most the last `most` bytes."""
        return self._kept[self._begin(most) :].decode()

    def _begin(self, most: int) -> int:
        """Return the index of the first character that begins within the last `most` bytes."""
        start = max(len(self._kept) - most, 0)
        while start < len(self._kept) and self._kept[start] & 0xC0 == 0x80:
            start += 1
        return start


class AgentTerminal:
    """One command and the end of its output."""

    def __init__(self, limit: int, changed: Callable[[], None]) -> None:
        self.output = Tail(limit)
        self._limit = limit
        self._is_released = False
        self._changed = changed
        self._over = asyncio.Event()
        self._report: asyncio.TimerHandle | None = None

    async def start(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Start the command. Raises `OSError` if that is impossible."""
        self._process = await Process.start(arguments, folder, environment, self._add)

    async def run(self) -> None:
        """Wait for the command's end. What it has left in the background runs until `release`."""
        try:
            await self._process.exited()
        finally:
            self.output.add(b"", is_last=True)
            # The agent may report the end of its tool next.
            self._report_now()
            self._over.set()
            if self._is_released:
                self._process.close()

    async def status(self) -> dict[str, Any]:
        """Wait for the end; return `{exitCode, signal}`, of which one is None."""
        await self._over.wait()
        code = self._process.code
        if code is None or code >= 0:
            return {"exitCode": code, "signal": None}
        return {"exitCode": None, "signal": _signal(-code)}

    async def state(self) -> dict[str, Any]:
        """Return `{output, truncated, exitStatus}`, without the last while the command runs."""
        state = {"output": self.output.last(self._limit), "truncated": self.output.is_cut}
        return {**state, "exitStatus": await self.status()} if self._over.is_set() else state

    def end(self) -> None:
        """End the command, and everything that it has started."""
        self._process.end()

    def release(self) -> None:
        """End the command, and read no more output."""
        self._is_released = True
        if self._over.is_set():
            self._process.close()
        else:
            self._process.end()

    def _add(self, piece: bytes) -> None:
        self.output.add(piece)
        if self._report is None:
            loop = asyncio.get_running_loop()
            self._report = loop.call_later(SHOW_SECONDS, self._report_now)

    def _report_now(self) -> None:
        if self._report is not None:
            self._report.cancel()
        self._report = None
        self._changed()


class AgentTerminals:
    """The terminals of one agent, in the folder and the environment of its session.

    `changed` gets the id of a terminal that has printed something, and the end of its output, also
    after its release; at most ten times a second for each.
    """

    def __init__(
        self, folder: Path, environment: Mapping[str, str], changed: Callable[[str, str], None]
    ) -> None:
        self._folder = folder
        self._environment = environment
        self._changed = changed
        self._numbers = itertools.count()
        self._open: dict[str, AgentTerminal] = {}
        self._earlier: frozenset[str] = frozenset()
        """The open terminals that are older than the turn."""
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def create(self, params: Params) -> dict[str, Any]:
        """Run a command: a program with `args`, or without any a line of the shell."""
        given = converted_params(params, _Command)
        if len(self._open) >= MOST_TERMINALS:
            raise RpcError(INTERNAL_ERROR, f"{MOST_TERMINALS} terminals are open; release some")
        environment = {**self._environment, **{each.name: each.value for each in given.env or ()}}
        usual = shell(environment)
        line = [usual if Path(usual).name in POSIX else SHELL, "-c", given.command]
        arguments = [given.command, *given.args] if given.args else line
        limit = given.output_byte_limit
        id_ = f"term_{next(self._numbers)}"
        terminal = AgentTerminal(
            USUAL_LIMIT_BYTES if limit is None else min(limit, LARGEST_LIMIT_BYTES),
            lambda: self._changed(id_, terminal.output.last(SHOWN_BYTES)),
        )
        try:
            await terminal.start(arguments, self._cwd(given.cwd), environment)
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise RpcError.invalid_params(f"command: {shown(arguments[0])}: {reason}") from None
        self._open[id_] = terminal
        task = asyncio.get_running_loop().create_task(terminal.run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        if self._is_closed:
            self.close()
        return {"terminalId": id_}

    async def kill(self, params: Params) -> dict[str, Any]:
        """End the command; its output stays."""
        self.find(params).end()
        return {}

    async def release(self, params: Params) -> dict[str, Any]:
        """End the command, and forget the terminal."""
        terminal = self.find(params)
        del self._open[params["terminalId"]]
        terminal.release()
        return {}

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the open terminals."""
        return frozenset(self._open)

    def turn_begun(self) -> None:
        """Let the commands that run now outlive the turn that begins."""
        self._earlier = frozenset(self._open)

    def turn_cancelled(self) -> None:
        """End the commands that have begun in this turn."""
        for id_, terminal in self._open.items():
            if id_ not in self._earlier:
                terminal.end()

    def close(self) -> None:
        """Release all terminals, also one that is being created: the agent has ended."""
        self._is_closed = True
        for terminal in self._open.values():
            terminal.release()
        self._open.clear()

    def find(self, params: Params) -> AgentTerminal:
        """Return the terminal of a request. Raises `RpcError` if there is none."""
        id_ = converted_params(params, _Named).terminal_id
        if id_ not in self._open:
            raise RpcError(NOT_FOUND, f"terminalId: there is no terminal {shown(id_)}")
        return self._open[id_]

    def _cwd(self, given: str | None) -> Path:
        folder = self._folder if given is None else Path(absolute("cwd", given))
        if given is not None and not folder.is_dir():
            raise RpcError.invalid_params(f"cwd: {shown(str(folder))}: no such folder")
        return folder


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
