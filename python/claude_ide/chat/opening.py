"""Opens the agents of the chats: each gets the editor's tools and the trust in its folder."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar
from uuid import uuid4

from claude_ide.agents.agent import Agent, Kind
from claude_ide.agents.user_servers import UserServers
from claude_ide.agents.workbench import McpAddress, McpCommand, McpServer, Workbench
from claude_ide.base.names import SERVER
from claude_ide.chat.agent_files import AgentFiles
from claude_ide.chat.consent import FolderTrust
from claude_ide.chat.recording import Diagnosis, Witness
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService
from claude_ide.trust.trust import Trust

T = TypeVar("T")


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
    review: ReviewService
    server: ToolServer
    door: Door

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self.server.has_read(path)
        self.door.has_read(path)


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
        review: ReviewService,
        door: Callable[[str, str], Door],
    ) -> None:
        self._editor = editor
        self._config = config
        self._trust = trust
        self._serve = serve
        self._reading = reading
        self._review = review
        self._door = door

    def open(self, kind: Kind, folder: Path) -> OpenedAgent:
        """Return an agent of a kind for a folder, without starting it.

        Raises `AgentError` if it is not installed.
        """
        trust = FolderTrust(self._trust, str(folder))
        recorder = Recorder(
            *(self._review, self._editor, uuid4().hex, str(folder)), agent=kind.name
        )
        witness = Witness(recorder, Diagnosis(self._editor))
        server = self._serve(kind.name, str(folder))
        door = self._door(kind.name, str(folder))
        servers = UserServers(self._config, kind.id, folder, self._trust.is_trusted)
        workbench = Workbench(
            {SERVER: server},
            tuple((SERVER, tool) for tool in self._reading()),
            mcp_commands=partial(self._servers, kind.name, McpCommand, door.open),
            mcp_addresses=partial(self._servers, kind.name, McpAddress, door.open_http),
            user_servers=partial(self._user_servers, servers),
            edits=witness,
            files=AgentFiles(kind.name, folder, self._editor, self._config, witness),
            allow_code=door.allow_code,
            folders=self._trusted_folders,
            trusts=trust.follows,
        )
        agent = kind.open(folder, workbench)
        return OpenedAgent(kind, folder, agent, trust, witness, self._review, server, door)

    async def _trusted_folders(self) -> list[str]:
        return [each for each in await self._editor.folders() if self._trust.is_trusted(each)]

    async def _user_servers(
        self, servers: UserServers, transports: Collection[str]
    ) -> list[McpCommand | McpAddress]:
        # Files are read, and programs are looked for.
        taken = await asyncio.to_thread(servers.taken, transports)
        for complaint in servers.complaints:
            self._editor.notify(complaint, "warn")
        return taken

    async def _servers(
        self, name: str, server: Callable[..., T], open_: Callable[[], Awaitable[Sequence[object]]]
    ) -> tuple[T, ...]:
        """Return our server for an agent that is no child of ours; without it, it still works."""
        try:
            return (server(SERVER, *await open_()),)
        except OSError as error:
            reason = error.strerror or error
            self._editor.notify(f"{name} cannot use the editor's tools: {reason}", "warn")
        return ()
