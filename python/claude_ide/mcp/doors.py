"""Doors: entrances for MCP servers that an agent starts itself (`stdio.py`), and for HTTP.

Each agent has a door of its own with tokens of its own, so that its diffs have its name, and the
door closes with its chat. The doors are on loopback, apart from the server that the CLI finds:
that server need not run.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from claude_ide.concealed import conceal, forget
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.address import LAUNCH, PORT, TOKEN
from claude_ide.mcp.allowed_code import AllowedCode
from claude_ide.mcp.client import Client
from claude_ide.mcp.lock_file import new_token
from claude_ide.mcp.noted import Noted
from claude_ide.mcp.outbox import Outbox
from claude_ide.mcp.reading import Reading
from claude_ide.mcp.registration import COMMAND
from claude_ide.mcp.server import Server
from claude_ide.mcp.tool import LIST_CHANGED, Toolset
from claude_ide.transport.handshake import TOOLS_PATH
from claude_ide.transport.websocket import Connection, Entrance, Listener
from claude_ide.wire import FROM, Party

if TYPE_CHECKING:
    from claude_ide.mcp.streamable import Sessions
    from claude_ide.transport.http import HttpListener, Service

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


class Toolbox:
    """Serves tools to the models behind clients, which are notified only of changes of the list.

    `label` is the name of the clients for the user; without it they name themselves. They share
    `allowed_code`; without it each has its own. `reading` returns what a client may read that runs
    in the terminal of a launch; "" if it does not say so.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        tools: Callable[[], Toolset],
        label: str = "",
        allowed_code: AllowedCode | None = None,
        reading: Callable[[str], Reading] = lambda _launch: Reading(),
    ) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._label = label
        self._allowed_code = allowed_code
        self._reading = reading
        self._peers: dict[Connection, Peer] = {}

    async def serve(self, connection: Connection) -> None:
        """Serve one client until it leaves; then cancel its requests."""
        client = Client(self._editor, self._config, label=self._label)
        client.allowed_code = self._allowed_code or client.allowed_code
        client.reading = self._reading(connection.header(LAUNCH))
        tools = self._tools()
        server = Server(client, lambda: None, tools=tools)
        party = Party(lambda: f"{client.shown_name} (tools)")
        peer = server.peer = self._peers[connection] = Peer(Noted(connection, party), server)
        outbox = Outbox(peer)
        announcing = asyncio.get_running_loop().create_task(outbox.drain())

        def announce() -> None:
            if client.initialized:
                outbox.put(LIST_CHANGED, None, LIST_CHANGED)

        unsubscribe = tools.subscribe(announce)
        try:
            async for frame in connection.frames():
                party.note(FROM, frame)
                await peer.receive(frame)
        finally:
            unsubscribe()
            announcing.cancel()
            del self._peers[connection]
            await peer.close()

    async def settle(self, seconds: float) -> None:
        """Wait at most `seconds` until the clients have their answers."""
        await asyncio.gather(*(peer.settled(seconds) for peer in self._peers.values()))

    def withdraw(self) -> None:
        """Cancel the requests of all clients."""
        for peer in self._peers.values():
            peer.cancel_all()

    async def disconnect(self) -> None:
        """Close the connections."""
        await asyncio.gather(*(connection.close() for connection in list(self._peers)))


class Way(Protocol):
    """A way in to a listener."""

    @property
    def token(self) -> str:
        """The token of its clients."""


W = TypeVar("W", bound=Way, contravariant=True)


class Listening(Protocol[W]):
    """A listener on a bound socket."""

    @property
    def port(self) -> int:
        """Its port."""

    def add(self, way: W, /) -> None:
        """Admit clients here, too."""

    def remove(self, way: W, /) -> None:
        """Admit no more clients here."""

    async def start(self) -> None:
        """Start to accept clients."""

    async def stop(self) -> None:
        """Disconnect all clients."""


class SharedPort(Generic[W]):
    """A port on loopback that all doors share; it is bound while a door is open."""

    def __init__(self, listen: Callable[[socket.socket], Listening[W]]) -> None:
        self._listen = listen
        self._changing = asyncio.Lock()
        self._open: dict[str, W] = {}
        self._listener: Listening[W] | None = None

    async def open(self, way: W) -> int:
        """Accept clients at this way in; return the port. Raises `OSError` if none is free."""
        async with self._changing:
            if self._listener is None:
                listener = self._listen(socket.create_server((LOOPBACK, 0)))
                await listener.start()
                self._listener = listener
                logger.info("the agents' tools are on port %d", listener.port)
            if way.token not in self._open:
                self._open[way.token] = way
                self._listener.add(way)
            return self._listener.port

    async def close(self, way: W) -> None:
        """Accept no more clients at this way in; the last one frees the port."""
        async with self._changing:
            if self._listener is None or self._open.pop(way.token, None) is None:
                return
            self._listener.remove(way)
            if not self._open:
                listener, self._listener = self._listener, None
                await listener.stop()


class Doors:
    """The doors of all agents."""

    def __init__(self, editor: Editor, config: Config, tools: Callable[[], Toolset]) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._sockets = SharedPort[Entrance](Listener)
        self._web = SharedPort["Service"](_listen_to_http)

    def door(self, name: str, folder: str = "") -> "Door":
        """Return a closed door for one agent, which works in a folder.

        `name` is the agent's name in diffs.
        """
        reading = Reading([folder] if folder else [])
        ways = self._sockets, self._web
        return Door(self._editor, self._config, self._tools, name, reading, *ways)


class Door:
    """The door of one agent; its tokens are valid while it is open."""

    def __init__(
        self,
        editor: Editor,
        config: Config,
        tools: Callable[[], Toolset],
        name: str,
        reading: Reading,
        sockets: SharedPort[Entrance],
        web: "SharedPort[Service]",
    ) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._name = name
        self._allowed_code = AllowedCode()
        self._reading = reading
        shared = self._allowed_code, lambda _launch: reading
        self._toolbox = Toolbox(editor, config, tools, name, *shared)
        self._sockets = sockets
        self._entrance: Entrance | None = None
        self._web = web
        self._sessions: Sessions | None = None
        self._service: Service | None = None

    async def open(self) -> tuple[tuple[str, ...], Mapping[str, str]]:
        """Return the command of an MCP server that enters here, and its environment.

        The token is only in the environment: other users can read a command line. Raises `OSError`
        if no port is free.
        """
        if self._entrance is None:
            self._entrance = Entrance((TOOLS_PATH,), _token(), self._toolbox.serve)
        entrance = self._entrance
        port = await self._sockets.open(entrance)
        return COMMAND, {PORT: str(port), TOKEN: entrance.token}

    async def open_http(self) -> tuple[str, Mapping[str, str]]:
        """Return the address of the tools over HTTP, and the header fields that it requires.

        Raises `OSError` if no port is free.
        """
        if self._service is None:
            from claude_ide.mcp.streamable import Sessions

            served = self._editor, self._config, self._tools(), self._name
            self._sessions = Sessions(*served, self._allowed_code, self._reading)
            self._service = self._sessions.service(_token())
        service = self._service
        port = await self._web.open(service)
        url = f"http://{LOOPBACK}:{port}{service.paths[0]}"
        return url, {"Authorization": f"Bearer {service.token}"}

    def allow_code(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Note that the user has allowed code for which the agent has asked (`AllowCode`)."""
        self._allowed_code.allow_text(asked, allowed, for_good=for_good)

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self._reading.add(path)

    def withdraw(self) -> None:
        """Cancel what the agent's servers still wait for: a client that gives up may not say so."""
        self._allowed_code.forget_texts()
        self._toolbox.withdraw()
        if self._sessions is not None:
            self._sessions.withdraw()

    async def close(self) -> None:
        """Disconnect the clients, and let none in; a door that opens again has new tokens."""
        entrance, self._entrance = self._entrance, None
        if entrance is not None:
            await self._sockets.close(entrance)
            forget(entrance.token)
            await self._toolbox.disconnect()
        service, self._service = self._service, None
        if service is not None and self._sessions is not None:
            await self._web.close(service)
            forget(service.token)
            await self._sessions.close()


def _listen_to_http(bound: socket.socket) -> "HttpListener":
    # Few agents need it, and its library takes long to import.
    from claude_ide.transport.http import HttpListener

    return HttpListener(bound)


def _token() -> str:
    token = new_token()
    conceal(token)
    return token
