"""Handwritten HTTP requests, such as a well-behaved client would not send."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from support.handshake import tcp
from support.neovim import WAIT_SECONDS


class Answer(NamedTuple):
    """An answer; the names of its header fields are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def request(
    port: int,
    token: str,
    headers: Mapping[str, str | None] | None = None,
    *,
    method: str = "POST",
    path: str = "/here",
    body: bytes = b"",
) -> bytes:
    """Return a request; `headers` adds and replaces header fields, None removes one."""
    fields = {
        "Host": f"127.0.0.1:{port}",
        "Authorization": f"Bearer {token}",
        "Content-Length": str(len(body)),
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "\r\n"]).encode() + body


async def answer(reader: asyncio.StreamReader, *, has_body: bool = True) -> Answer:
    """Read one whole answer."""
    async with asyncio.timeout(WAIT_SECONDS):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.splitlines()
        pairs = (line.partition(": ") for line in lines if line)
        headers = {name.lower(): value for name, _, value in pairs}
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while piece := await chunk(reader):
                body += piece
        elif has_body:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Answer(int(first.split()[1]), headers, body)


async def chunk(reader: asyncio.StreamReader) -> bytes:
    """Read one chunk of a body; the last one is empty."""
    async with asyncio.timeout(WAIT_SECONDS):
        size = int(await reader.readline(), 16)
        return (await reader.readexactly(size + 2))[:-2]


async def answered(port: int, sent: bytes) -> Answer:
    """Send a request on a connection of its own, and return the answer."""
    async with tcp(port) as (reader, writer):
        writer.write(sent)
        return await answer(reader)
