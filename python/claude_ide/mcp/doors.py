"""Doors: entrances for MCP servers that an agent starts itself (`stdio.py`).

Each agent has a door of its own with a token of its own, so that its diffs have its name, and the
door closes with its chat. The doors are on loopback, apart from the server that the CLI finds:
that server need not run.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from claude_ide.concealed import conceal
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.address import PORT, TOKEN
from claude_ide.mcp.client import Client
from claude_ide.mcp.lock_file import new_token
from claude_ide.mcp.registration import COMMAND
from claude_ide.mcp.server import Server
from claude_ide.mcp.tool import Toolset
from claude_ide.transport.handshake import TOOLS_PATH
from claude_ide.transport.websocket import Connection, Entrance, Listener

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


class Toolbox:
    """Serves tools to the models behind clients; these get no notifications of the editor's.

    `label` is the name of the clients for the user; without it they name themselves.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        tools: Callable[[], Toolset],
        kernels: "Callable[[], Kernels] | None" = None,
        label: str = "",
    ) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._kernels = kernels
        self._label = label
        self._peers: dict[Connection, Peer] = {}

    async def serve(self, connection: Connection) -> None:
        """Serve one client until it leaves; then cancel its requests."""
        client = Client(self._editor, self._config, label=self._label, kernels=self._kernels)
        server = Server(client, lambda: None, tools=self._tools())
        peer = server.peer = self._peers[connection] = Peer(connection, server)
        try:
            async for frame in connection.frames():
                await peer.receive(frame)
        finally:
            del self._peers[connection]
            await peer.close()

    async def settle(self, seconds: float) -> None:
        """Wait at most `seconds` until the clients have their answers."""
        await asyncio.gather(*(peer.settled(seconds) for peer in self._peers.values()))

    async def disconnect(self) -> None:
        """Close the connections."""
        await asyncio.gather(*(connection.close() for connection in list(self._peers)))


class Doors:
    """The doors of all agents, which share one port; it is bound while a door is open."""

    def __init__(
        self,
        editor: Editor,
        config: Config,
        tools: Callable[[], Toolset],
        kernels: "Callable[[], Kernels] | None" = None,
    ) -> None:
        self._editor = editor
        self._config = config
        self._tools = tools
        self._kernels = kernels
        self._changing = asyncio.Lock()
        self._open: dict[str, Entrance] = {}
        self._listener: Listener | None = None

    def door(self, name: str) -> "Door":
        """Return a closed door for one agent; `name` is the agent's name in diffs."""
        return Door(self, Toolbox(self._editor, self._config, self._tools, self._kernels, name))

    async def open(self, entrance: Entrance) -> int:
        """Accept clients at an entrance, and return the port. Raises `OSError` if none is free."""
        async with self._changing:
            if self._listener is None:
                listener = Listener(socket.create_server((LOOPBACK, 0)))
                await listener.start()
                self._listener = listener
                logger.info("the agents' tools are on port %d", listener.port)
            if entrance.token not in self._open:
                self._open[entrance.token] = entrance
                self._listener.add(entrance)
            return self._listener.port

    async def close(self, entrance: Entrance) -> None:
        """Accept no more clients at an entrance; the last one frees the port."""
        async with self._changing:
            if self._listener is None or self._open.pop(entrance.token, None) is None:
                return
            self._listener.remove(entrance)
            if not self._open:
                listener, self._listener = self._listener, None
                await listener.stop()


class Door:
    """The door of one agent; its token is valid while it is open."""

    def __init__(self, doors: Doors, toolbox: Toolbox) -> None:
        self._doors = doors
        self._toolbox = toolbox
        self._entrance: Entrance | None = None

    async def open(self) -> tuple[tuple[str, ...], Mapping[str, str]]:
        """Return the command of an MCP server that enters here, and its environment.

        The token is only in the environment: other users can read a command line. Raises `OSError`
        if no port is free.
        """
        if self._entrance is None:
            token = new_token()
            conceal(token)
            self._entrance = Entrance((TOOLS_PATH,), token, self._toolbox.serve)
        entrance = self._entrance
        port = await self._doors.open(entrance)
        return COMMAND, {PORT: str(port), TOKEN: entrance.token}

    async def close(self) -> None:
        """Disconnect the clients, and let none in; a door that opens again has a new token."""
        entrance, self._entrance = self._entrance, None
        if entrance is not None:
            await self._doors.close(entrance)
            await self._toolbox.disconnect()
