"""Where the MCP servers that an agent starts itself (`stdio.py`) connect to us, also over HTTP.

Each agent has an endpoint with ports and tokens of its own, so that its diffs have its name, and
the endpoint closes with its chat. All are on loopback, apart from the server that the CLI finds:
that server need not run.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from claude_ide.base.redaction import conceal, forget
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp.client import AllowedCode, Client, Reading
from claude_ide.mcp.lock_file import new_token
from claude_ide.mcp.registration import COMMAND, PORT, TOKEN
from claude_ide.mcp.server import ClientConnection, Server
from claude_ide.mcp.tool import LIST_CHANGED, Toolset
from claude_ide.transport.admission import LOOPBACK, TOOLS_PATH
from claude_ide.transport.websocket import Connection, Listener, SocketEndpoint

if TYPE_CHECKING:
    from claude_ide.mcp.streamable import HttpSessions
    from claude_ide.transport.http import HttpListener

logger = logging.getLogger(__name__)


class Toolbox:
    """Serves tools to the models behind clients, which are notified only of changes of the list."""

    def __init__(
        self, tools: Callable[[], Toolset], client_of: Callable[[Connection], Client]
    ) -> None:
        self._tools = tools
        self._client_of = client_of
        self.clients: dict[Client, ClientConnection] = {}

    async def serve(self, connection: Connection) -> None:
        """Serve one client until it leaves; then cancel its requests."""
        client, tools = self._client_of(connection), self._tools()
        served = ClientConnection(
            connection, Server(client, tools=tools), lambda: f"{client.shown_name} (tools)"
        )

        def announce() -> None:
            if client.initialized:
                served.notify(LIST_CHANGED, None, LIST_CHANGED)

        unsubscribe = tools.subscribe(announce)
        self.clients[client] = served
        try:
            await served.serve()
        finally:
            unsubscribe()
            del self.clients[client]

    async def drain(self, seconds: float) -> None:
        """Wait at most `seconds` until the clients have their answers."""
        await asyncio.gather(*(each.peer.drain(seconds) for each in self.clients.values()))

    def withdraw(self) -> None:
        """Cancel the requests of all clients."""
        for each in self.clients.values():
            each.peer.cancel_all()


class AgentEndpoint:
    """The endpoint of one agent, which works in a folder; its tokens are valid while it is open.

    `name` is the agent's name in diffs.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        tools: Callable[[], Toolset],
        name: str,
        folder: str = "",
    ) -> None:
        allowed_code = self._allowed_code = AllowedCode()
        reading = self._reading = Reading([folder] if folder else [])

        def new_client(_: object = None) -> Client:
            return Client(editor, config, label=name, allowed_code=allowed_code, reading=reading)

        self._tools = tools
        self._new_client = new_client
        self.toolbox = Toolbox(tools, new_client)
        self._sockets: tuple[Listener, str] | None = None
        self._web: tuple[HttpListener, str] | None = None
        self._sessions: HttpSessions | None = None

    async def open(self) -> tuple[tuple[str, ...], Mapping[str, str]]:
        """Return the command of an MCP server that enters here, and its environment.

        The token is only in the environment: other users can read a command line. Raises `OSError`
        if no port is free.
        """
        if self._sockets is None:
            endpoint = SocketEndpoint((TOOLS_PATH,), _token(), self.toolbox.serve)
            self._sockets = Listener(_bound(), endpoint), endpoint.token
            await self._sockets[0].start()
        listener, token = self._sockets
        return COMMAND, {PORT: str(listener.port), TOKEN: token}

    async def open_http(self) -> tuple[str, Mapping[str, str]]:
        """Return the address of the tools over HTTP, and the header fields that it requires.

        Raises `OSError` if no port is free.
        """
        # Few agents need it, and its library takes long to import.
        from claude_ide.mcp.streamable import PATH, HttpSessions
        from claude_ide.transport.http import HttpListener

        if self._web is None:
            self._sessions = HttpSessions(self._new_client, self._tools())
            endpoint = self._sessions.endpoint(_token())
            self._web = HttpListener(_bound(), endpoint), endpoint.token
            await self._web[0].start()
        listener, token = self._web
        url = f"http://{LOOPBACK}:{listener.port}{PATH}"
        return url, {"Authorization": f"Bearer {token}"}

    def allow_code(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Note that the user has allowed code for which the agent has asked (`AllowCode`)."""
        self._allowed_code.allow_text(asked, allowed, for_good=for_good)

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self._reading.add(path)

    def withdraw(self) -> None:
        """Cancel what the agent's servers still wait for: a client that gives up may not say so."""
        self._allowed_code.forget_texts()
        self.toolbox.withdraw()
        if self._sessions is not None:
            self._sessions.withdraw()

    async def close(self) -> None:
        """Disconnect the clients, and let none in; an endpoint that opens again has new tokens."""
        sockets, web, self._sockets, self._web = self._sockets, self._web, None, None
        if sockets is not None:
            forget(sockets[1])
            await sockets[0].stop()
        if web is not None:
            forget(web[1])
            await web[0].stop()
        if self._sessions is not None:
            await self._sessions.close()


def _bound() -> socket.socket:
    bound = socket.create_server((LOOPBACK, 0))
    logger.info("an agent's tools are on port %d", bound.getsockname()[1])
    return bound


def _token() -> str:
    token = new_token()
    conceal(token)
    return token
