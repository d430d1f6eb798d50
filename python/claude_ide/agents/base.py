"""What all agents share: the process that each talks to, its start and its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import Event
from claude_ide.agents.session_state import EventQueue, SessionState
from claude_ide.base.errors import AgentError
from claude_ide.transport.process import GRACE_SECONDS, Child
from claude_ide.transport.wire import STDERR, AgentTraffic

logger = logging.getLogger(__name__)

LINES_AT_ONCE = 200
"""How many lines are decoded before other tasks run."""

EXIT_SECONDS = 2.0
"""How long an agent that has closed its stdout may take to end."""


async def start_child(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
) -> Child:
    """Start an agent's process. Raises `AgentError` if it cannot be started."""
    try:
        return await Child.spawn(command, cwd=folder, environment=environment)
    except OSError as error:
        raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None


class AgentConnection:
    """An agent's process from its start to its end, read on while its `events` have room."""

    def __init__(self, child: Child, traffic: AgentTraffic, events: EventQueue) -> None:
        self._child = child
        self._traffic = traffic
        self._events = events
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
                await self._events.room()
                if is_due or number % LINES_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            await self._close()
            code = await self._child.stop(EXIT_SECONDS)
            if self._child.stderr:
                self._traffic.note(STDERR, self.complaint)
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
        self._starting = asyncio.Lock()

    @property
    def state(self) -> SessionState:
        return self._events.state

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
