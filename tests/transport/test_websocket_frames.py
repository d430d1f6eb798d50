"""`transport/websocket.py` on a real socket: frames, and how a connection ends."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from claude_ide.base.errors import TransportClosed
from claude_ide.transport import websocket
from claude_ide.transport.admission import MESSAGE_BYTES
from claude_ide.transport.websocket import Connection
from support.claude_code import AUTHORIZATION
from support.handshake import end, handshake, status, tcp
from support.listeners import TOKEN, echo, listening
from support.neovim import WAIT_SECONDS, until


def client(port: int, **options: Any) -> connect:
    return connect(
        f"ws://127.0.0.1:{port}/",
        additional_headers={AUTHORIZATION: TOKEN},
        subprotocols=[websockets.Subprotocol("mcp")],
        max_size=None,
        compression=None,
        **options,
    )


# Frames.


async def receive(connection: ClientConnection) -> str | bytes:
    return await asyncio.wait_for(connection.recv(), WAIT_SECONDS)


@pytest.mark.parametrize("frame", ["", "ü\0", b"", "ü".encode(), "x" * 100_000])
async def test_text_and_binary_frames_are_received_and_text_is_sent(
    port: int, frame: str | bytes
) -> None:
    async with client(port) as connection:
        await connection.send(frame)

        assert await receive(connection) == (frame if isinstance(frame, str) else frame.decode())


@pytest.mark.parametrize("fragments", [["on", "e"], ["", "one", ""], [b"o", b"n", b"e"]])
async def test_a_fragmented_message_is_received_whole(port: int, fragments: list[Any]) -> None:
    async with client(port) as connection:
        await connection.send(fragments)

        assert await receive(connection) == "one"


async def test_a_ping_between_fragments_is_answered(port: int) -> None:
    async with client(port) as connection:

        async def fragments() -> AsyncIterator[str]:
            yield "on"
            await asyncio.wait_for(await connection.ping(), WAIT_SECONDS)
            yield "e"

        await connection.send(fragments())

        assert await receive(connection) == "one"


async def send_sizes(connection: Connection) -> None:
    async for frame in connection.frames():
        await connection.send(str(len(frame)).encode())


def head(size: int) -> bytes:
    """The head of a binary frame of `size` bytes, masked with zeros."""
    return b"\x82\xff" + size.to_bytes(8, "big") + bytes(4)


async def test_a_message_can_have_64_mib_and_not_more() -> None:
    async with listening(send_sizes) as (_, port), tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)

        writer.write(head(MESSAGE_BYTES) + bytes(MESSAGE_BYTES))
        assert await asyncio.wait_for(reader.readexactly(10), WAIT_SECONDS) == b"\x81\x0867108864"

        writer.write(head(MESSAGE_BYTES + 1))
        assert close_code(await end(reader)) == 1009


def close_code(frame: bytes) -> int:
    """The status code of a close frame."""
    assert frame[0] == 0x88
    return int.from_bytes(frame[2:4], "big")


async def test_a_small_message_does_not_wait_for_an_acknowledgement(port: int) -> None:
    """Without TCP_NODELAY the second of two small frames is delayed by up to 40 ms."""
    async with client(port) as connection:
        delays = []
        for _ in range(5):
            started = asyncio.get_running_loop().time()
            await connection.send("a")
            await connection.send("b")
            await receive(connection)
            await receive(connection)
            delays.append(asyncio.get_running_loop().time() - started)

    assert min(delays) < 0.02


# How connections end.


async def test_stop_closes_every_connection_as_going_away() -> None:
    async with listening(echo) as (listener, port):
        async with client(port) as first, client(port) as second:
            await listener.stop()

            await asyncio.wait_for(first.wait_closed(), WAIT_SECONDS)
            assert (first.close_code, second.close_code) == (1001, 1001)
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", port)


async def test_stop_does_not_wait_for_an_unfinished_handshake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket, "CLOSE_SECONDS", 60)
    monkeypatch.setattr(websocket, "HANDSHAKE_SECONDS", 60)
    async with listening(echo) as (listener, port), tcp(port) as (reader, _):
        # A later connection has been served, so this one has been accepted.
        assert await status(port, handshake(port, TOKEN)) == 101

        await asyncio.wait_for(listener.stop(), WAIT_SECONDS)

        assert await end(reader) == b""


@asynccontextmanager
async def deaf(port: int) -> AsyncIterator[None]:
    """A connected client that never reads."""
    with socket.socket() as raw:
        # With the smallest receive buffer that the system allows, little is sent unread.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(raw, ("127.0.0.1", port))
        await loop.sock_sendall(raw, handshake(port, TOKEN))
        yield


class Flood:
    """A server that sends its first client too much to buffer, and echoes for all others."""

    def __init__(self) -> None:
        self.behind = asyncio.Event()
        self.ended = asyncio.Event()

    async def serve(self, connection: Connection) -> None:
        if self.behind.is_set():
            await echo(connection)
            return
        self.behind.set()
        await connection.send(b"x" * 20_000_000)
        self.ended.set()


async def test_a_client_that_does_not_read_delays_no_other() -> None:
    flood = Flood()
    async with listening(flood.serve) as (_, port), deaf(port):
        await asyncio.wait_for(flood.behind.wait(), WAIT_SECONDS)

        async with client(port) as connection:
            for _ in range(3):
                await connection.send("hello")
                assert await receive(connection) == "hello"

        assert not flood.ended.is_set()


async def test_stop_does_not_wait_for_a_client_that_does_not_read() -> None:
    flood = Flood()
    async with listening(flood.serve) as (listener, port), deaf(port):
        await asyncio.wait_for(flood.behind.wait(), WAIT_SECONDS)

        await asyncio.wait_for(listener.stop(), WAIT_SECONDS)

        assert flood.ended.is_set()


async def test_close_does_not_wait_for_a_client_that_does_not_read() -> None:
    flood = Flood()
    connections: list[Connection] = []

    async def serve(connection: Connection) -> None:
        connections.append(connection)
        await flood.serve(connection)

    async with listening(serve) as (_, port), deaf(port):
        await asyncio.wait_for(flood.behind.wait(), WAIT_SECONDS)

        await asyncio.wait_for(connections[0].close(), WAIT_SECONDS)

        await asyncio.wait_for(flood.ended.wait(), WAIT_SECONDS)


async def test_a_client_that_never_reads_is_disconnected_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(websocket, "DEAF_SECONDS", 0.2)
    cut = asyncio.Event()

    async def serve(connection: Connection) -> None:
        with pytest.raises(TransportClosed):
            await connection.send(b"x" * 20_000_000)
        cut.set()

    async with listening(serve) as (_, port), deaf(port):
        await asyncio.wait_for(cut.wait(), WAIT_SECONDS)

    assert "cut a client that has read nothing" in caplog.text


async def test_a_client_has_to_wait_while_its_messages_are_not_read() -> None:
    reading = asyncio.Event()

    async def serve(connection: Connection) -> None:
        await reading.wait()
        await echo(connection)

    async with listening(serve) as (_, port), client(port) as connection:

        async def send_many() -> None:
            for _ in range(100):
                await connection.send(b"x" * 1_000_000)

        sending = asyncio.create_task(send_many())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(sending), 0.5)
        reading.set()
        for _ in range(100):
            assert len(await receive(connection)) == 1_000_000
        await sending


async def test_an_aborted_connection_ends_its_frames_and_cannot_be_sent_to() -> None:
    ended = asyncio.Event()
    failures: list[Exception] = []

    async def serve(connection: Connection) -> None:
        async for _ in connection.frames():
            pass
        try:
            await connection.send(b"still there?")
        except TransportClosed as closed:
            failures.append(closed)
        ended.set()

    async with listening(serve) as (_, port):
        async with tcp(port) as (reader, writer):
            writer.write(handshake(port, TOKEN))
            await asyncio.wait_for(reader.readline(), WAIT_SECONDS)

        await asyncio.wait_for(ended.wait(), WAIT_SECONDS)
        assert len(failures) == 1


async def test_a_broken_frame_closes_only_its_own_connection(port: int) -> None:
    async with client(port) as other, tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)
        writer.write(b"\xff\xff\xff\xff")

        assert close_code(await end(reader)) == 1002
        await other.send("a")
        assert await receive(other) == "a"


async def test_an_exception_closes_its_connection_and_the_next_client_is_served(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def serve(connection: Connection) -> None:
        async for frame in connection.frames():
            if frame == b"fail":
                raise KeyError("fail")
            await connection.send(frame)

    async with listening(serve) as (_, port):
        async with client(port) as failing:
            await failing.send("fail")
            await asyncio.wait_for(failing.wait_closed(), WAIT_SECONDS)
            assert failing.close_code == 1011

        async with client(port) as next_one:
            await next_one.send("a")
            assert await receive(next_one) == "a"
    await until(lambda: "KeyError" in caplog.text)
