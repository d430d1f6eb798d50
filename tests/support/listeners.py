"""A listener under test."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from claude_ide.transport.admission import PATHS
from claude_ide.transport.websocket import Connection, Listener, SocketEndpoint
from support.neovim import WAIT_SECONDS

TOKEN = "a-token"


Serve = Callable[[Connection], Awaitable[None]]


async def echo(connection: Connection) -> None:
    async for frame in connection.frames():
        await connection.send(frame)


@asynccontextmanager
async def listening(serve: Serve, host: str = "127.0.0.1") -> AsyncIterator[tuple[Listener, int]]:
    bound = socket.create_server((host, 0))
    listener = Listener(bound, SocketEndpoint(PATHS, TOKEN, serve))
    await listener.start()
    yield listener, bound.getsockname()[1]
    await asyncio.wait_for(listener.stop(), WAIT_SECONDS)
