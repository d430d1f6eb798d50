"""`transport/websocket.py` on a real socket: who is let in, and what a connection carries."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from claude_ide.errors import TransportClosed
from claude_ide.transport import websocket
from claude_ide.transport.websocket import LARGEST_MESSAGE, Connection, Listener
from support.claude_code import AUTHORIZATION
from support.handshake import end, handshake, status, tcp
from support.neovim import WAIT, until

TOKEN = "a-token"

Serve = Callable[[Connection], Awaitable[None]]


async def echo(connection: Connection) -> None:
    async for frame in connection.frames():
        await connection.send(frame)


@asynccontextmanager
async def listening(serve: Serve, host: str = "127.0.0.1") -> AsyncIterator[tuple[Listener, int]]:
    bound = socket.create_server((host, 0))
    listener = Listener(bound, TOKEN, serve)
    await listener.start()
    yield listener, bound.getsockname()[1]
    await asyncio.wait_for(listener.stop(), WAIT)


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """The port of a server that says everything back."""
    async with listening(echo) as (_, port):
        yield port


def client(port: int, **options: Any) -> connect:
    return connect(
        f"ws://127.0.0.1:{port}/",
        additional_headers={AUTHORIZATION: TOKEN},
        subprotocols=[websockets.Subprotocol("mcp")],
        max_size=None,
        compression=None,
        **options,
    )


# The doors.


@pytest.mark.parametrize("path", ["/", "/mcp", "/?a=b"])
async def test_a_client_with_the_token_is_let_in_at_both_paths(port: int, path: str) -> None:
    assert await status(port, handshake(port, TOKEN, path=path)) == 101


@pytest.mark.parametrize("offered", ["mcp", "other, mcp", "mcp,other"])
async def test_the_subprotocol_mcp_is_chosen(port: int, offered: str) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN, {"Sec-WebSocket-Protocol": offered}))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)

    assert b"Sec-WebSocket-Protocol: mcp\r\n" in answer


async def test_compression_is_not_agreed_on(port: int) -> None:
    async with tcp(port) as (reader, writer):
        offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
        writer.write(handshake(port, TOKEN, offer))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)

    assert answer.startswith(b"HTTP/1.1 101")
    assert b"Sec-WebSocket-Extensions" not in answer


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "127.0.0.2"])
async def test_a_host_that_is_an_address_of_this_machine_is_ours(port: int, name: str) -> None:
    assert await status(port, handshake(port, TOKEN, {"Host": f"{name}:{port}"})) == 101


REFUSED: list[tuple[str, dict[str, str | None], int]] = [
    ("no token", {AUTHORIZATION: None}, 401),
    ("an empty token", {AUTHORIZATION: ""}, 401),
    ("a wrong token", {AUTHORIZATION: "b-token"}, 401),
    ("the beginning of the token", {AUTHORIZATION: TOKEN[:-1]}, 401),
    ("more than the token", {AUTHORIZATION: TOKEN + "a"}, 401),
    ("a token that is not ASCII", {AUTHORIZATION: "ä-token"}, 401),
    ("two tokens", {AUTHORIZATION: TOKEN, AUTHORIZATION.lower(): TOKEN}, 401),
    ("a page's Origin", {"Origin": "https://example.com"}, 403),
    ("our own Origin", {"Origin": "http://127.0.0.1"}, 403),
    ("the Origin of a file", {"Origin": "null"}, 403),
    ("an empty Origin", {"Origin": ""}, 403),
    ("a foreign Host", {"Host": "example.com:{port}"}, 403),
    ("a name that resolves to here", {"Host": "127.0.0.1.example.com:{port}"}, 403),
    ("a foreign address as Host", {"Host": "192.0.2.1:{port}"}, 403),
    ("a Host without a port", {"Host": "127.0.0.1"}, 403),
    ("another port", {"Host": "127.0.0.1:1"}, 403),
    ("no Host", {"Host": None}, 403),
    ("two Hosts", {"Host": "127.0.0.1:{port}", "host": "127.0.0.1:{port}"}, 403),
    ("no subprotocol", {"Sec-WebSocket-Protocol": None}, 400),
    ("another subprotocol", {"Sec-WebSocket-Protocol": "mcp2, chat"}, 400),
    ("no WebSocket at all", {"Upgrade": None, "Connection": None}, 426),
]


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [pytest.param(headers, refusal, id=name) for name, headers, refusal in REFUSED],
)
async def test_who_may_not_enter_sees_an_http_status(
    port: int, headers: dict[str, str | None], refusal: int
) -> None:
    filled = {name: value and value.format(port=port) for name, value in headers.items()}

    assert await status(port, handshake(port, TOKEN, filled)) == refusal


@pytest.mark.parametrize("path", ["/other", "/mcp/", "//", "/..", "http://127.0.0.1/"])
async def test_there_is_nothing_at_other_paths(port: int, path: str) -> None:
    assert await status(port, handshake(port, TOKEN, path=path)) == 404


async def test_a_refusal_names_its_reason_in_the_log_but_not_the_token(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "claude_ide")

    await status(port, handshake(port, "guessed", {"Origin": "null"}))
    await status(port, handshake(port, "guessed"))

    refusals = [record.getMessage() for record in caplog.records if "refused" in record.message]
    assert refusals == [
        "refused a client: a page may not connect",
        "refused a client: no token, or a wrong one",
    ]
    assert "guessed" not in caplog.text
    assert TOKEN not in caplog.text


async def test_an_address_that_was_asked_for_is_reached_under_its_own_name() -> None:
    async with listening(echo, "0.0.0.0") as (_, port):
        assert await status(port, handshake(port, TOKEN, {"Host": f"192.0.2.1:{port}"})) == 101
        assert await status(port, handshake(port, TOKEN, {"Host": f"example.com:{port}"})) == 403


# Handshakes that do not come to an end.


def padded(port: int, size: int) -> bytes:
    """A handshake with headers of at least `size` bytes."""
    padding = {f"X-Padding-{n}": "x" * 1000 for n in range(size // 1000)}
    return handshake(port, TOKEN, padding)


async def test_a_handshake_of_up_to_16_kib_is_read(port: int) -> None:
    assert await status(port, padded(port, 15_000)) == 101


async def test_a_larger_handshake_is_dropped_without_an_answer(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(padded(port, 17_000))

        assert await end(reader) == b""


async def test_a_handshake_without_an_end_is_dropped_as_soon_as_it_is_too_large(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n")
        for _ in range(17):
            writer.write(b"X: " + b"x" * 1000 + b"\r\n")

        assert await end(reader) == b""


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(websocket, "HANDSHAKE_SECONDS", 0.2)
    yield


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: "])
async def test_a_handshake_that_is_not_done_in_time_is_dropped(begun: bytes) -> None:
    async with listening(echo) as (_, port), tcp(port) as (reader, writer):
        writer.write(begun)

        assert await end(reader) == b""


@pytest.mark.usefixtures("hurry")
async def test_dripping_does_not_give_a_handshake_more_time() -> None:
    async with listening(echo) as (_, port), tcp(port) as (reader, writer):
        ended = asyncio.create_task(end(reader))
        for byte in handshake(port, TOKEN):
            if ended.done():
                break
            writer.write(bytes([byte]))
            await asyncio.wait([ended], timeout=0.05)

        assert await ended == b""


async def test_a_client_that_connected_before_the_start_is_served() -> None:
    bound = socket.create_server(("127.0.0.1", 0))
    port = bound.getsockname()[1]
    async with tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        listener = Listener(bound, TOKEN, echo)

        await listener.start()

        assert (await asyncio.wait_for(reader.readline(), WAIT)).startswith(b"HTTP/1.1 101")
    await listener.stop()


# Frames.


async def said_back(connection: ClientConnection) -> str | bytes:
    return await asyncio.wait_for(connection.recv(), WAIT)


@pytest.mark.parametrize("frame", ["", "ü\0", b"", "ü".encode(), "x" * 100_000])
async def test_text_and_binary_frames_are_read_and_text_is_sent(
    port: int, frame: str | bytes
) -> None:
    async with client(port) as connection:
        await connection.send(frame)

        assert await said_back(connection) == (frame if isinstance(frame, str) else frame.decode())


@pytest.mark.parametrize("fragments", [["on", "e"], ["", "one", ""], [b"o", b"n", b"e"]])
async def test_a_fragmented_message_arrives_whole(port: int, fragments: list[Any]) -> None:
    async with client(port) as connection:
        await connection.send(fragments)

        assert await said_back(connection) == "one"


async def test_a_ping_between_fragments_is_answered(port: int) -> None:
    async with client(port) as connection:

        async def fragments() -> AsyncIterator[str]:
            yield "on"
            await asyncio.wait_for(await connection.ping(), WAIT)
            yield "e"

        await connection.send(fragments())

        assert await said_back(connection) == "one"


async def tell_size(connection: Connection) -> None:
    async for frame in connection.frames():
        await connection.send(str(len(frame)).encode())


def head(size: int) -> bytes:
    """The head of a binary frame of `size` bytes, masked with zeros."""
    return b"\x82\xff" + size.to_bytes(8, "big") + bytes(4)


async def test_64_mib_is_a_message_and_more_is_too_much() -> None:
    async with listening(tell_size) as (_, port), tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)

        writer.write(head(LARGEST_MESSAGE) + bytes(LARGEST_MESSAGE))
        assert await asyncio.wait_for(reader.readexactly(10), WAIT) == b"\x81\x0867108864"

        writer.write(head(LARGEST_MESSAGE + 1))
        assert close_code(await end(reader)) == 1009


def close_code(frame: bytes) -> int:
    """The status code of a close frame."""
    assert frame[0] == 0x88
    return int.from_bytes(frame[2:4], "big")


async def test_a_small_message_does_not_wait_for_an_acknowledgement(port: int) -> None:
    """Without TCP_NODELAY the second of two small frames is held back for up to 40 ms."""
    async with client(port) as connection:
        delays = []
        for _ in range(5):
            started = asyncio.get_running_loop().time()
            await connection.send("a")
            await connection.send("b")
            await said_back(connection)
            await said_back(connection)
            delays.append(asyncio.get_running_loop().time() - started)

    assert min(delays) < 0.02


# Endings.


async def test_stop_closes_every_client_as_going_away() -> None:
    async with listening(echo) as (listener, port):
        async with client(port) as first, client(port) as second:
            await listener.stop()

            await asyncio.wait_for(first.wait_closed(), WAIT)
            assert (first.close_code, second.close_code) == (1001, 1001)
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", port)


async def test_stop_does_not_wait_for_a_handshake_that_never_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket, "CLOSE_SECONDS", 60)
    monkeypatch.setattr(websocket, "HANDSHAKE_SECONDS", 60)
    async with listening(echo) as (listener, port), tcp(port) as (reader, _):
        # One that was accepted later has been served, so this one was accepted too.
        assert await status(port, handshake(port, TOKEN)) == 101

        await asyncio.wait_for(listener.stop(), WAIT)

        assert await end(reader) == b""


@asynccontextmanager
async def deaf(port: int) -> AsyncIterator[None]:
    """A client that has been let in and never reads."""
    with socket.socket() as raw:
        # As little as the system allows is taken in on behalf of a client that does not read.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(raw, ("127.0.0.1", port))
        await loop.sock_sendall(raw, handshake(port, TOKEN))
        yield


class Flood:
    """A server that tells its first client more than it can take, and says back to the others."""

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
        await asyncio.wait_for(flood.behind.wait(), WAIT)

        async with client(port) as connection:
            for _ in range(3):
                await connection.send("hello")
                assert await said_back(connection) == "hello"

        assert not flood.ended.is_set()


async def test_stop_does_not_wait_for_a_client_that_does_not_read() -> None:
    flood = Flood()
    async with listening(flood.serve) as (listener, port), deaf(port):
        await asyncio.wait_for(flood.behind.wait(), WAIT)

        await asyncio.wait_for(listener.stop(), WAIT)

        assert flood.ended.is_set()


async def test_close_does_not_wait_for_a_client_that_does_not_read() -> None:
    flood = Flood()
    connections: list[Connection] = []

    async def serve(connection: Connection) -> None:
        connections.append(connection)
        await flood.serve(connection)

    async with listening(serve) as (_, port), deaf(port):
        await asyncio.wait_for(flood.behind.wait(), WAIT)

        await asyncio.wait_for(connections[0].close(), WAIT)

        await asyncio.wait_for(flood.ended.wait(), WAIT)


async def test_a_client_that_never_reads_is_cut_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(websocket, "DEAF_SECONDS", 0.2)
    cut = asyncio.Event()

    async def serve(connection: Connection) -> None:
        with pytest.raises(TransportClosed):
            await connection.send(b"x" * 20_000_000)
        cut.set()

    async with listening(serve) as (_, port), deaf(port):
        await asyncio.wait_for(cut.wait(), WAIT)

    assert "cut a client that has read nothing" in caplog.text


async def test_a_client_whose_messages_are_not_read_has_to_wait() -> None:
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
            assert len(await said_back(connection)) == 1_000_000
        await sending


async def test_a_client_that_is_cut_off_ends_its_frames_and_can_be_told_nothing() -> None:
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
            await asyncio.wait_for(reader.readline(), WAIT)

        await asyncio.wait_for(ended.wait(), WAIT)
        assert len(failures) == 1


async def test_a_broken_frame_costs_its_client_the_connection_and_nobody_else(port: int) -> None:
    async with client(port) as other, tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)
        writer.write(b"\xff\xff\xff\xff")

        assert close_code(await end(reader)) == 1002
        await other.send("a")
        assert await said_back(other) == "a"


async def test_a_server_that_fails_closes_that_client_and_serves_the_next(
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
            await asyncio.wait_for(failing.wait_closed(), WAIT)
            assert failing.close_code == 1011

        async with client(port) as next_one:
            await next_one.send("a")
            assert await said_back(next_one) == "a"
    await until(lambda: "KeyError" in caplog.text)
