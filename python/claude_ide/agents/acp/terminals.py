"""The commands that an agent runs through the editor: `terminal/*`.

A terminal keeps the end of its output until the agent releases it. Its command gets no input.
"""

import asyncio
import codecs
import itertools
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claude_ide.agents.acp import params as given
from claude_ide.errors import INTERNAL_ERROR, RpcError
from claude_ide.transport.process import SHELL, Process, shell


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
        excess = len(self._kept) - self._most
        if excess > 0:
            self.is_cut = True
            del self._kept[: _next_character(self._kept, excess)]

    @property
    def text(self) -> str:
        """What is kept."""
        return self._kept.decode()

    def last(self, most: int) -> str:
        """Return at most the last `most` bytes."""
        excess = max(len(self._kept) - most, 0)
        return self._kept[_next_character(self._kept, excess) :].decode()


def _next_character(text: bytearray, start: int) -> int:
    """Return the index of the first character that begins at `start` or later."""
    while start < len(text) and text[start] & 0xC0 == 0x80:
        start += 1
    return start


UNKNOWN = -32002
"""ACP: a resource was not found."""

MOST = 50
"""Terminals of one agent at a time."""

DEFAULT_LIMIT = 1_000_000
LARGEST_LIMIT = 10_000_000
"""Bytes of output that are kept, if the agent names no limit, and at most."""

SHOWN = 20_000
"""Bytes at the end of the output that the user sees."""

SHOW_SECONDS = 0.1
"""The shortest time between two reports of new output."""

POSIX = frozenset({"sh", "bash", "dash", "ksh", "zsh"})
"""Shells that understand what agents write; another one runs no command of theirs."""


class Terminal:
    """One command and the end of its output."""

    def __init__(self, limit: int, changed: Callable[[], None]) -> None:
        self.output = Tail(limit)
        self.is_released = False
        self._changed = changed
        self._process: Process | None = None
        self._code: int | None = None
        self._over = asyncio.Event()
        self._report: asyncio.TimerHandle | None = None

    async def start(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Start the command. Raises `OSError` if that is impossible."""
        self._process = await Process.start(arguments, folder, environment, self._add)

    async def run(self) -> None:
        """Wait for the command's end. What it has left in the background runs until `release`."""
        assert self._process is not None
        try:
            self._code = await self._process.exited()
        finally:
            self.output.add(b"", is_last=True)
            # The agent may report the end of its tool next.
            self._report_now()
            self._over.set()
            if self.is_released:
                self._process.close()

    async def status(self) -> dict[str, Any]:
        """Wait for the end; return `{exitCode, signal}`, of which one is None."""
        await self._over.wait()
        return self._status

    @property
    def state(self) -> dict[str, Any]:
        """The result of `terminal/output`."""
        state = {"output": self.output.text, "truncated": self.output.is_cut}
        return {**state, "exitStatus": self._status} if self._over.is_set() else state

    def end(self) -> None:
        """End the command, and everything that it has started."""
        assert self._process is not None
        self._process.end()

    def release(self) -> None:
        """End the command, and read no more output."""
        assert self._process is not None
        self.is_released = True
        if self._over.is_set():
            self._process.close()
        else:
            self._process.end()

    @property
    def _status(self) -> dict[str, Any]:
        code = self._code
        if code is None or code >= 0:
            return {"exitCode": code, "signal": None}
        return {"exitCode": None, "signal": _signal(-code)}

    def _add(self, piece: bytes) -> None:
        self.output.add(piece)
        self._report_soon()

    def _report_soon(self) -> None:
        if self._report is None:
            loop = asyncio.get_running_loop()
            self._report = loop.call_later(SHOW_SECONDS, self._report_now)

    def _report_now(self) -> None:
        if self._report is not None:
            self._report.cancel()
        self._report = None
        self._changed()


class Terminals:
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
        self._open: dict[str, Terminal] = {}
        self._earlier: frozenset[str] = frozenset()
        """The open terminals that are older than the turn."""
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def create(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a command: a program with `args`, or without any a line of the shell."""
        if len(self._open) >= MOST:
            raise RpcError(INTERNAL_ERROR, f"{MOST} terminals are open; release some")
        environment = {**self._environment, **_variables(params)}
        arguments = _arguments(params, environment)
        id_ = f"term_{next(self._numbers)}"
        terminal = Terminal(_limit(params), lambda: self._changed(id_, terminal.output.last(SHOWN)))
        try:
            await terminal.start(arguments, self._cwd(params), environment)
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            raise _failure(arguments, error) from None
        self._open[id_] = terminal
        self._track(terminal)
        if self._is_closed:
            self.close()
        return {"terminalId": id_}

    async def output(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return `{output, truncated, exitStatus}`, without the last while the command runs."""
        return self._find(params).state

    async def wait_for_exit(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for the command's end; return `{exitCode, signal}`."""
        return await self._find(params).status()

    async def kill(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """End the command; its output stays."""
        self._find(params).end()
        return {}

    async def release(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """End the command, and forget the terminal."""
        terminal = self._find(params)
        del self._open[params["terminalId"]]
        terminal.release()
        return {}

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the open terminals."""
        return frozenset(self._open)

    def text(self, terminal: str) -> str:
        """Return the end of a terminal's output; empty if there is no such terminal."""
        found = self._open.get(terminal)
        return found.output.last(SHOWN) if found else ""

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

    async def ended(self) -> None:
        """Wait until all commands have ended, also those of released terminals."""
        if self._running:
            await asyncio.wait(self._running)

    def _find(self, params: Mapping[str, Any]) -> Terminal:
        id_ = given.text(params, "terminalId")
        if id_ not in self._open:
            raise RpcError(UNKNOWN, f"terminalId: there is no terminal {given.shown(id_)}")
        return self._open[id_]

    def _cwd(self, params: Mapping[str, Any]) -> Path:
        if params.get("cwd") is None:
            return self._folder
        folder = Path(given.absolute(params, "cwd"))
        if not folder.is_dir():
            raise RpcError.invalid_params(f"cwd: {given.shown(str(folder))}: no such folder")
        return folder

    def _track(self, terminal: Terminal) -> None:
        task = asyncio.get_running_loop().create_task(terminal.run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)


def _arguments(params: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    command, arguments = given.text(params, "command"), given.texts(params, "args")
    if not command.strip():
        raise RpcError.invalid_params("command: is empty")
    return [command, *arguments] if arguments else [_shell(environment), "-c", command]


def _shell(environment: Mapping[str, str]) -> str:
    usual = shell(environment)
    return usual if Path(usual).name in POSIX else SHELL


def _variables(params: Mapping[str, Any]) -> dict[str, str]:
    listed = params.get("env") or []
    if not isinstance(listed, list) or not all(map(_is_variable, listed)):
        raise RpcError.invalid_params("env: not a list of {name, value}")
    return {each["name"]: each["value"] for each in listed}


def _is_variable(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    name, value = item.get("name"), item.get("value")
    return isinstance(name, str) and bool(name) and "=" not in name and isinstance(value, str)


def _limit(params: Mapping[str, Any]) -> int:
    limit = given.number(params, "outputByteLimit")
    return DEFAULT_LIMIT if limit is None else min(limit, LARGEST_LIMIT)


def _failure(arguments: Sequence[str], error: OSError | ValueError) -> RpcError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return RpcError.invalid_params(f"command: {given.shown(arguments[0])}: {reason}")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
