"""Handwritten opening handshakes, such as a well-behaved client would not send."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from support.claude_code import AUTHORIZATION
from support.neovim import WAIT_SECONDS

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def handshake(
    port: int, token: str, headers: Mapping[str, str | None] | None = None, path: str = "/"
) -> bytes:
    """Return the CLI's request; `headers` adds and replaces headers, None removes one."""
    fields = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "mcp",
        AUTHORIZATION: token,
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "\r\n"]).encode()


@asynccontextmanager
async def tcp(port: int) -> AsyncIterator[Streams]:
    """Yield a TCP connection to the server, and abort it at the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def status(port: int, request: bytes) -> int:
    """Send a request and return the HTTP status of the answer; 0 if there is none."""
    async with tcp(port) as (reader, writer):
        writer.write(request)
        line = await asyncio.wait_for(reader.readline(), WAIT_SECONDS)
        return int(line.split()[1]) if line else 0


async def end(reader: asyncio.StreamReader) -> bytes:
    """Wait until the server closes the connection; return the remaining data."""
    try:
        return await asyncio.wait_for(reader.read(), WAIT_SECONDS)
    except ConnectionResetError:
        return b""


async def is_accepted(port: int, token: str) -> bool:
    return await status(port, handshake(port, token)) == 101
