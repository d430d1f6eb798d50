"""Opens the agents of the chats: each gets the editor's tools and the trust in its folder."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar
from uuid import uuid4

from claude_ide.agents.agent import Agent, AgentKind
from claude_ide.agents.editor_services import EditorServices, McpAddress, McpCommand
from claude_ide.agents.user_servers import UserServers
from claude_ide.base.names import SERVER
from claude_ide.base.trust import Trust
from claude_ide.chat.agent_files import AgentFiles
from claude_ide.chat.consent import FolderTrust
from claude_ide.chat.recording import AgentEdits, Diagnosis
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.client import Client, Reading
from claude_ide.mcp.server import InProcessServer
from claude_ide.mcp.tool import Toolset
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService

T = TypeVar("T")


class OpenedAgent(NamedTuple):
    """An agent that was not started yet, the trust in its folder, and the record of its edits."""

    kind: AgentKind
    folder: Path
    agent: Agent
    trust: FolderTrust
    edits: AgentEdits
    review: ReviewService
    server: InProcessServer
    endpoint: AgentEndpoint

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self.server.has_read(path)
        self.endpoint.has_read(path)


class Agents:
    """Agents of all kinds. Those of the `tools` that `reading` names need no permission."""

    def __init__(
        self,
        editor: Editor,
        config: Config,
        trust: Trust,
        review: ReviewService,
        tools: Callable[[], Toolset],
        reading: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._editor = editor
        self._config = config
        self._trust = trust
        self._review = review
        self._tools = tools
        self._reading = reading

    def open(self, kind: AgentKind, folder: Path) -> OpenedAgent:
        """Return an agent of a kind for a folder, without starting it.

        Raises `AgentError` if it is not installed.
        """
        trust = FolderTrust(self._trust, str(folder))
        recorder = Recorder(
            *(self._review, self._editor, uuid4().hex, str(folder)),
            agent=kind.name,
            is_late=kind.reports_late,
        )
        edits = AgentEdits(recorder, Diagnosis(self._editor))
        reading = Reading([str(folder)])
        client = Client(self._editor, self._config, label=kind.name, reading=reading)
        server = InProcessServer(client, self._tools())
        endpoint = AgentEndpoint(self._editor, self._config, self._tools, kind.name, str(folder))
        servers = UserServers(self._config, kind.id, folder, self._trust.is_trusted)
        services = EditorServices(
            {SERVER: server},
            tuple((SERVER, tool) for tool in self._reading()),
            mcp_commands=partial(self._servers, kind.name, McpCommand, endpoint.open),
            mcp_addresses=partial(self._servers, kind.name, McpAddress, endpoint.open_http),
            user_servers=partial(self._user_servers, servers),
            edits=edits,
            files=AgentFiles(kind.name, folder, self._editor, self._config, edits),
            allow_code=endpoint.allow_code,
            folders=self._trusted_folders,
            trusts=trust.follows,
        )
        agent = kind.open(folder, services)
        return OpenedAgent(kind, folder, agent, trust, edits, self._review, server, endpoint)

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
