"""A server on loopback that leaves no connection open after its test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

TURNS = 5
"""Turns of the event loop that accepting a connection takes at most."""

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    """Have `handle` called with each connection to a free port; yield the port."""
    writers: list[asyncio.StreamWriter] = []
    is_over = False

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_over:
            writer.close()
            return
        writers.append(writer)
        await handle(reader, writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        is_over = True
        # A connection that is just being accepted would fail if the server had closed.
        for _ in range(TURNS):
            await asyncio.sleep(0)
        server.close()
        for writer in writers:
            writer.close()
        await asyncio.sleep(0)  # they close in the next turn
