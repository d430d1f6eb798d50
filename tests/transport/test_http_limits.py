"""`transport/http.py` on a real socket: clients that send too much, too slowly, or nonsense."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from claude_ide.transport import http
from claude_ide.transport.http import HttpListener
from support.handshake import Streams, end, tcp
from support.http_services import LARGEST, TOKEN, Desk, serving
from support.neovim import WAIT_SECONDS, until
from support.raw_http import answer, answered, request

CHUNKED: dict[str, str | None] = {"Content-Length": None, "Transfer-Encoding": "chunked"}
PROMPT = 0.1
"""Seconds within which a client is answered while another one floods the listener."""


@pytest.fixture
def port(listener: HttpListener) -> int:
    return listener.port


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all limits of time short."""
    for name in ("HANDSHAKE_SECONDS", "BODY_SECONDS", "IDLE_SECONDS", "DEAF_SECONDS"):
        monkeypatch.setattr(http, name, 0.2)


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    """Closes connections when the test ends."""
    async with AsyncExitStack() as stack:
        yield stack


async def flood(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send without end, until the connection is cut."""
    while True:
        writer.write(data)
        await writer.drain()


# Size.


async def test_a_head_of_up_to_16_kib_is_read(port: int) -> None:
    padding: dict[str, str | None] = {f"X-{n}": "x" * 1000 for n in range(15)}

    assert (await answered(port, request(port, TOKEN, padding))).status == 200


async def test_a_larger_head_is_refused(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(b"POST /here HTTP/1.1\r\n" + b"X: " + b"x" * 40_000)

        assert (await answer(reader)).status == 431
        assert await end(reader) == b""


@pytest.mark.parametrize("begun", [b"", b"POST /here HTTP/1.1\r\n"])
async def test_an_endless_head_is_cut(port: int, begun: bytes) -> None:
    async with tcp(port) as (_, writer):
        writer.write(begun)
        with pytest.raises(ConnectionError):
            async with asyncio.timeout(WAIT_SECONDS):
                await flood(writer, b"X: " + b"x" * 1000 + b"\r\n")


async def test_the_body_of_a_client_without_the_token_is_not_read(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, "guessed", CHUNKED))
        assert (await answer(reader)).status == 401
        with pytest.raises(ConnectionError):
            async with asyncio.timeout(WAIT_SECONDS):
                await flood(writer, b"x" * 100_000)


async def test_a_body_above_the_limit_is_refused_before_it_is_sent(port: int) -> None:
    sent = request(port, TOKEN, {"Content-Length": str(LARGEST + 1), "Expect": "100-continue"})

    assert (await answered(port, sent)).status == 413


async def test_a_chunked_body_above_the_limit_is_refused(
    port: int, desk: Desk, listener: HttpListener
) -> None:
    listener._endpoints = (replace(desk.service, largest=10),)
    head = request(port, TOKEN, CHUNKED)
    assert (await answered(port, head + b"a\r\n0123456789\r\n0\r\n\r\n")).status == 200

    assert (await answered(port, head + b"b\r\n01234567890\r\n0\r\n\r\n")).status == 413
    assert len(desk.requests) == 1


async def test_a_large_body_arrives_whole(port: int) -> None:
    body = b"0123456789" * 300_000
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, body=body))

        assert (await answer(reader)).body == body


async def test_a_client_that_goes_on_sending_while_it_waits_is_not_read(
    port: int, desk: Desk
) -> None:
    async with tcp(port) as (_, writer):
        writer.write(request(port, TOKEN, body=b"wait") + b"x" * 50_000_000)
        unsent = [0]
        # The rest fits into no buffer of the system.
        while len(unsent) < 30 or unsent[-1] != unsent[-30]:
            assert (await answered(port, request(port, TOKEN))).status == 200
            unsent.append(writer.transport.get_write_buffer_size())

        assert unsent[-1] > 0
        assert desk.is_waiting.is_set()


# Time.


@pytest.mark.parametrize("begun", [b"", b"P", b"POST /here HTTP/1.1\r\nHost: "])
@pytest.mark.usefixtures("brief")
async def test_a_head_that_does_not_arrive_is_cut(port: int, begun: bytes) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(begun)

        assert await end(reader) == b""


@pytest.mark.usefixtures("brief")
async def test_sending_single_bytes_does_not_extend_the_time_for_a_head(port: int) -> None:
    async with tcp(port) as (reader, writer):
        ended = asyncio.ensure_future(end(reader))
        for byte in request(port, TOKEN, {"X": "x" * 10_000}):
            writer.write(bytes([byte]))
            await asyncio.wait([ended], timeout=0.01)
            if ended.done():
                break

        assert ended.done()
        assert await ended == b""


@pytest.mark.usefixtures("brief")
async def test_a_body_that_does_not_arrive_is_refused(port: int, desk: Desk) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, {"Content-Length": "10"}, body=b"12345"))

        assert (await answer(reader)).status == 408
    assert not desk.requests


@pytest.mark.usefixtures("brief")
async def test_an_idle_connection_is_closed_after_a_while(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN))
        assert (await answer(reader)).status == 200

        assert await end(reader) == b""


@pytest.mark.usefixtures("brief")
async def test_a_client_that_does_not_read_its_answer_is_cut(
    listener: HttpListener, port: int
) -> None:
    body = b"x" * 20_000_000
    async with tcp(port) as (reader, writer):
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(request(port, TOKEN, body=body))

        await until(lambda: listener._clients, "it is connected")
        await until(lambda: not listener._clients, "it is cut")


async def test_a_listener_can_stop_while_a_client_does_not_read(desk: Desk) -> None:
    async with serving(desk) as listener, tcp(listener.port) as (reader, writer):
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(request(listener.port, TOKEN, body=b"x" * 20_000_000))
        await until(lambda: desk.requests, "it is served")

        await asyncio.wait_for(listener.stop(), WAIT_SECONDS)


# Number.


async def connected(stack: AsyncExitStack, listener: HttpListener, sent: bytes = b"") -> Streams:
    """Connect, send this, and wait until the listener knows the client."""
    known = len(listener._clients)
    reader, writer = await stack.enter_async_context(tcp(listener.port))
    writer.write(sent)
    await until(lambda: len(listener._clients) != known, "the client is known")
    return reader, writer


async def test_silent_clients_make_room_for_others(
    listener: HttpListener, port: int, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 3)
    used, writer = await connected(stack, listener)
    writer.write(request(port, TOKEN))
    assert (await answer(used)).status == 200
    silent = [await connected(stack, listener) for _ in range(2)]

    for _ in range(5):
        assert (await answered(port, request(port, TOKEN))).status == 200

    # The one without the token that has waited longest has left.
    assert await end(silent[0][0]) == b""
    writer.write(request(port, TOKEN))
    assert (await answer(used)).status == 200


async def test_a_client_that_is_served_makes_no_room(
    listener: HttpListener,
    port: int,
    desk: Desk,
    stack: AsyncExitStack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 2)
    for _ in range(2):
        await connected(stack, listener, request(port, TOKEN, body=b"wait"))
    await until(lambda: len(desk.requests) == 2)

    async with tcp(port) as (reader, _):
        assert await end(reader) == b""
    assert not desk.is_cancelled.is_set()


# Nonsense.


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"\x00" * 100 + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /here HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
        b"POST /here HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
        b"POST  /here HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
    ],
)
async def test_nonsense_is_refused_and_does_no_harm(
    port: int, desk: Desk, sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(sent)
        writer.write_eof()
        refused = await end(reader)

    assert not refused or refused.startswith(b"HTTP/1.1 4")
    assert not desk.requests
    assert "could not be served" not in caplog.text
    assert (await answered(port, request(port, TOKEN))).status == 200


async def test_a_bad_chunk_is_refused(port: int, desk: Desk) -> None:
    got = await answered(port, request(port, TOKEN, CHUNKED) + b"nonsense\r\n")

    assert got.status == 400
    assert not desk.requests


async def test_many_small_chunks_do_not_delay_other_clients(port: int) -> None:
    async with tcp(port) as (_, writer), tcp(port) as (reader, other):
        writer.write(request(port, TOKEN, CHUNKED))
        flooding = asyncio.create_task(flood(writer, b"1\r\nx\r\n" * 10_000))
        delays = []
        for _ in range(20):
            began = time.monotonic()
            other.write(request(port, TOKEN, body=b"quick"))
            assert (await answer(reader)).body == b"quick"
            delays.append(time.monotonic() - began)
        assert not flooding.done()
        flooding.cancel()

    assert statistics.median(delays) < PROMPT
