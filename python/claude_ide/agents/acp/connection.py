"""One running agent: its child process, and the JSON-RPC messages in both directions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claude_ide import program
from claude_ide.agents.acp.decoding import capabilities
from claude_ide.agents.acp.decoding.capabilities import Offer
from claude_ide.agents.acp.failures import failed
from claude_ide.agents.acp.leniency import message
from claude_ide.agents.fields import mapping
from claude_ide.agents.traffic import Traffic
from claude_ide.concealed import without_secrets
from claude_ide.errors import AgentError, RpcError, TransportClosed
from claude_ide.jsonrpc.peer import Dialect, Peer
from claude_ide.transport.lines import GRACE_SECONDS, Child

logger = logging.getLogger(__name__)

LINES_AT_ONCE = 200
"""How many updates are decoded before other tasks run."""

EXIT_SECONDS = 2.0
"""How long an agent that has closed its stdout may take to end."""

LONGEST_PRINTED = 1_000
"""How many bytes are kept of a line on stdout that is no message."""

UPDATE = b'"session/update"'


class Connection:
    """An agent from its start to its end; `ended` is called with its exit code and complaint.

    Its output is read on when `room` returns.
    """

    def __init__(
        self,
        child: Child,
        name: str,
        dialect: Dialect,
        traffic: Traffic,
        ended: Callable[[int, str], None],
        room: Callable[[], Awaitable[None]],
    ) -> None:
        self.offer = Offer()
        self._is_ending = False
        self._child = child
        self._name = name
        self._traffic = traffic
        self._ended = ended
        self._room = room
        self._printed = b""
        """The last line on stdout, if that is no message."""
        self._peer = Peer(self, dialect)
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._reading.add_done_callback(_log_failure)

    @staticmethod
    async def spawn(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Child:
        """Start an agent. Raises `AgentError` if it cannot be started."""
        try:
            return await Child.spawn(
                command, cwd=folder, environment=program.inherited(environment)
            )
        except OSError as error:
            raise AgentError(f"{command[0]} cannot be started: {error.strerror}") from None

    @property
    def alive(self) -> bool:
        """Whether the agent is running, and is not being ended."""
        return not (self._is_ending or self._reading.done())

    async def initialize(self, information: dict[str, Any]) -> None:
        """Tell the agent about the client and learn its capabilities.

        Raises `AgentError` if it speaks another version, or has ended.
        """
        params = {"protocolVersion": capabilities.VERSION, **information}
        self.offer = capabilities.offer(mapping(await self.request("initialize", params)))
        if self.offer.version != capabilities.VERSION:
            raise AgentError(
                f"{self._name} speaks version {self.offer.version} of the Agent Client Protocol;"
                f" version {capabilities.VERSION} is needed"
            )

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Call the agent and return its result.

        Raises `AgentError` with its error, or with its last words if it ended.
        """
        try:
            return await self._peer.request(method, params)
        except RpcError as error:
            raise failed(self._name, error) from error
        except TransportClosed:
            await asyncio.wait([self._reading])
            raise EndedError(f"{self._name} has ended: {self._last_words}") from None

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification; an agent that has ended misses nothing."""
        try:
            await self._peer.notify(method, params)
        except TransportClosed:
            logger.info("%s was not sent: the agent has ended", method)

    async def send(self, frame: bytes) -> None:
        """Send one message (called by the peer)."""
        self._traffic.record("in", frame)
        await self._child.send(frame)

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the agent; each step (close, terminate, kill) gets `grace` seconds."""
        self._is_ending = True
        await self._child.stop(grace)
        await asyncio.wait([self._reading])

    def kill(self) -> None:
        """End the agent without waiting: SIGTERM first, then SIGKILL."""
        self._is_ending = True
        self._child.kill()

    @property
    def _complaint(self) -> str:
        """The end of its stderr. Some programs print on stdout why they do not start."""
        complaint = self._child.stderr or self._printed.decode("utf-8", "replace")
        # An agent may print the environment of a server that it cannot start.
        return without_secrets(complaint)

    @property
    def _last_words(self) -> str:
        complaint = self._complaint.strip()
        return complaint.splitlines()[-1] if complaint else f"exit code {self._child.code}"

    async def _read(self) -> None:
        try:
            number = 0
            async for line in self._child.lines():
                self._traffic.record("out", line)
                frame = message(line)
                self._printed = b"" if frame else line[:LONGEST_PRINTED]
                if frame is None:
                    logger.warning("ignored a line that is no message: %.200r", line)
                    continue
                await self._peer.receive(frame)
                number += 1
                await self._room()
                # The caller of a request must see its answer before the messages after it.
                if UPDATE not in line or number % LINES_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            code = await self._child.stop(EXIT_SECONDS)
            if self._child.stderr:
                self._traffic.record("stderr", self._complaint)
            self._ended(code, self._complaint)
            await self._peer.close()


class EndedError(AgentError):
    """The agent ended before it answered."""


def _log_failure(reading: asyncio.Task[None]) -> None:
    if not reading.cancelled() and (error := reading.exception()):
        logger.error("the agent's output could not be read on", exc_info=error)
