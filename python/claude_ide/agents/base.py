"""What all agents share: their events, their traffic, and the process that each talks to."""

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import Dead, Event
from claude_ide.agents.session_state import SessionState
from claude_ide.base.errors import AgentError
from claude_ide.base.redaction import masked, without_secrets
from claude_ide.transport.process import GRACE_SECONDS, Child
from claude_ide.transport.wire import FROM, STDERR, TO, Party

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.008
"""How long events are handled before other tasks run."""

MOST_WAITING = 500
"""How many events may wait before no more of the agent's output is read."""

LINES_AT_ONCE = 200
"""How many lines are decoded before other tasks run."""

EXIT_SECONDS = 2.0
"""How long an agent that has closed its stdout may take to end."""

MOST_MESSAGES = 1_000
WAYS = {"in": TO, "out": FROM, "stderr": STDERR}


class EventQueue:
    """The events of one agent, for a single reader; the agent may be started several times."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._clock = clock
        self._room = asyncio.Event()
        self._room.set()
        self._is_read = False

    def put(self, event: Event) -> None:
        """Append an event."""
        self._events.put_nowait(event)
        if self._is_read and self._events.qsize() > MOST_WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Wait while too many events wait for the reader; not while there is none.

        What an agent says before its session is open is read only after that.
        """
        await self._room.wait()

    def clear(self) -> None:
        """Forget the events of a start that failed: its `Dead` would end the new ones."""
        while not self._events.empty():
            self._events.get_nowait()
        self._room.set()

    async def until_dead(self) -> AsyncIterator[Event]:
        """Yield every event up to `Dead`; after a restart it is called again.

        Other tasks run in between, however many events there are.
        """
        self._is_read = True
        began = self._clock()
        try:
            while True:
                if self._events.empty():
                    self._room.set()
                elif self._clock() - began > SLICE_SECONDS:
                    await asyncio.sleep(0)
                    began = self._clock()
                event = await self._events.get()
                yield event
                if isinstance(event, Dead):
                    return
        finally:
            self._is_read = False
            self._room.set()


class AgentTraffic:
    """The recent traffic with an agent of this name; `clock` returns seconds."""

    def __init__(self, name: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._party = Party(lambda: name)
        self._clock = clock
        self._began = clock()
        self._kept: deque[tuple[float, str, Any]] = deque(maxlen=MOST_MESSAGES)

    def record(self, direction: str, message: Any) -> None:
        """Keep a message: a frame to (`in`) or from (`out`) the agent, or its `stderr`.

        A frame of bytes is decoded only for the text.
        """
        self._kept.append((self._clock() - self._began, direction, message))
        self._party.note(WAYS[direction], message)

    def text(self) -> str:
        """Return one JSON object per line: `t` in seconds, `dir`, and `m`, the message.

        Secrets are replaced in both directions.
        """
        entries = (
            {"t": round(t, 3), "dir": way, "m": masked(_decoded(message))}
            for t, way, message in self._kept
        )
        text = "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        return without_secrets(text)


def _decoded(message: Any) -> Any:
    if not isinstance(message, bytes):
        return message
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return message.decode("utf-8", "replace")


async def start_child(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> Child:
    """Start an agent's process. Raises `AgentError` if it cannot be started."""
    try:
        return await Child.spawn(command, cwd=folder, environment=environment)
    except OSError as error:
        raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None


class AgentConnection:
    """An agent's process from its start to its end; its output is read on when `room` returns."""

    def __init__(
        self, child: Child, traffic: AgentTraffic, room: Callable[[], Awaitable[None]]
    ) -> None:
        self._child = child
        self._traffic = traffic
        self._room = room
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._reading.add_done_callback(_log_failure)

    @property
    def alive(self) -> bool:
        """Whether the agent is still running."""
        return not self._reading.done()

    @property
    def complaint(self) -> str:
        """The end of its stderr, or what it has printed instead."""
        return self._child.stderr

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the agent; each step (close, terminate, kill) gets `grace` seconds."""
        await self._child.stop(grace)
        await asyncio.wait([self._reading])

    def kill(self) -> None:
        """End the agent without waiting: SIGTERM first, then SIGKILL."""
        self._child.kill()

    async def _handle_line(self, line: bytes) -> bool:
        """Handle a line of output; return whether other tasks must run before the next one."""
        raise NotImplementedError

    async def _close(self) -> None:
        """Give up what waits for the agent: it has closed its stdout."""

    async def _ended(self, code: int) -> None:
        """Report the end, with the exit code."""
        raise NotImplementedError

    async def _read(self) -> None:
        try:
            number = 0
            async for line in self._child.lines():
                number += 1
                is_due = await self._handle_line(line)
                await self._room()
                if is_due or number % LINES_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            await self._close()
            code = await self._child.stop(EXIT_SECONDS)
            if self._child.stderr:
                self._traffic.record("stderr", self.complaint)
            await self._ended(code)


def _log_failure(reading: asyncio.Task[None]) -> None:
    if not reading.cancelled() and (error := reading.exception()):
        logger.error("the agent's output could not be read on", exc_info=error)


C = TypeVar("C", bound=AgentConnection)


class BaseAgent(Agent, Generic[C]):
    """An agent that can be restarted after it has ended; `program` is its name in errors."""

    def __init__(self, name: str, program: str) -> None:
        self._program = program
        self._connection: C | None = None
        self._traffic = AgentTraffic(name)
        self._events = EventQueue()
        self._state = SessionState()
        self._starting = asyncio.Lock()

    @property
    def state(self) -> SessionState:
        return self._state

    def events(self) -> AsyncIterator[Event]:
        return self._events.until_dead()

    def log(self) -> str:
        return self._traffic.text()

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        # While the process is being created, there is no handle to end it with.
        async with self._starting:
            connection = self._connection
        if connection is not None:
            await self._leave()
            await connection.stop(grace)

    async def _leave(self) -> None:
        """End the turn, before the process is ended."""
        raise NotImplementedError

    def kill(self) -> None:
        if self._connection is not None:
            self._connection.kill()

    @property
    def _running(self) -> C:
        if self._connection is None:
            raise AgentError(f"{self._program} is not running")
        return self._connection
