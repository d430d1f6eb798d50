"""Opens the agents of the chats: each gets the editor's tools and the trust in its folder."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from claude_ide.agent_files import AgentFiles
from claude_ide.agents.agent import Agent, Kind
from claude_ide.agents.workbench import McpAddress, McpCommand, McpServer, Workbench
from claude_ide.chat.consent import FolderTrust
from claude_ide.chat.diagnosis import Diagnosis
from claude_ide.chat.recording import Witness
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.tool_names import SERVER
from claude_ide.trust.trust import Trust


class ToolServer(McpServer, Protocol):
    """A server of the editor's tools that knows what its agent has read (`mcp/in_process.py`)."""

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""


class Door(Protocol):
    """The entrance for an agent that starts MCP servers, or connects to them (`mcp/doors.py`)."""

    async def open(self) -> tuple[tuple[str, ...], Mapping[str, str]]:
        """Return the command of that server, and its environment. Raises `OSError`."""

    async def open_http(self) -> tuple[str, Mapping[str, str]]:
        """Return the address of that server, and its header fields. Raises `OSError`."""

    def allow_code(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Note that the user has allowed code for which the agent has asked."""

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""

    def withdraw(self) -> None:
        """Cancel what the agent still waits for there."""

    async def close(self) -> None:
        """Disconnect the agent for good."""


class OpenedAgent(NamedTuple):
    """An agent that was not started yet, the trust in its folder, and the witness of its edits."""

    kind: Kind
    folder: Path
    agent: Agent
    trust: FolderTrust
    witness: Witness
    withdraw: Callable[[], None]
    """Cancels what the agent still waits for at its door."""
    has_read: Callable[[str], object]
    """Notes that the agent has read a file by its own tools."""


class Agents:
    """Agents of all kinds.

    `serve` creates the MCP server for an agent of this name in a folder (`InProcessServer`). Its
    tools that `reading` names run without a permission request. `door` creates, from the same, the
    door for an agent that starts its servers itself.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        trust: Trust,
        serve: Callable[[str, str], ToolServer],
        reading: Callable[[], tuple[str, ...]],
        door: Callable[[str, str], Door] | None = None,
    ) -> None:
        self._editor = editor
        self._config = config
        self._trust = trust
        self._serve = serve
        self._reading = reading
        self._door = door
        self._doors: dict[Agent, Door] = {}

    def open(self, kind: Kind, folder: Path) -> OpenedAgent:
        """Return an agent of a kind for a folder, without starting it.

        Raises `AgentError` if it is not installed.
        """
        trust = FolderTrust(self._trust, str(folder))
        witness = Witness(self._editor, Diagnosis(self._editor))
        server = self._serve(kind.name, str(folder))
        door = self._door(kind.name, str(folder)) if self._door else None
        workbench = Workbench(
            {SERVER: server},
            tuple((SERVER, tool) for tool in self._reading()),
            mcp_commands=partial(self._commands, kind.name, door),
            mcp_addresses=partial(self._addresses, kind.name, door),
            edits=witness,
            files=AgentFiles(kind.name, folder, self._editor, self._config, witness.journal),
            allow_code=door.allow_code if door is not None else None,
            trusts=trust.follows,
        )
        agent = kind.open(folder, workbench)
        if door is not None:
            self._doors[agent] = door
        withdraw = door.withdraw if door is not None else _nothing

        def has_read(path: str) -> None:
            server.has_read(path)
            if door is not None:
                door.has_read(path)

        return OpenedAgent(kind, folder, agent, trust, witness, withdraw, has_read)

    async def closed(self, agent: Agent) -> None:
        """Close the door of an agent that has ended for good."""
        if (door := self._doors.pop(agent, None)) is not None:
            await door.close()

    async def _commands(self, name: str, door: Door | None) -> tuple[McpCommand, ...]:
        """Return the servers for an agent that starts them itself; without them it still works."""
        if door is not None:
            with self._reporting(name):
                return (McpCommand(SERVER, *await door.open()),)
        return ()

    async def _addresses(self, name: str, door: Door | None) -> tuple[McpAddress, ...]:
        """Return the servers for an agent that connects to them over HTTP."""
        if door is not None:
            with self._reporting(name):
                return (McpAddress(SERVER, *await door.open_http()),)
        return ()

    @contextmanager
    def _reporting(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            self._editor.notify(f"{name} cannot use the editor's tools: {reason}", "warn")


def _nothing() -> None:
    """Do nothing: an agent without a door waits for nothing there."""
