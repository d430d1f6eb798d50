"""`transport/websocket.py` on a real socket: which handshakes are accepted."""

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from claude_ide.transport import websocket
from claude_ide.transport.admission import PATHS
from claude_ide.transport.websocket import Listener, SocketEndpoint
from support.claude_code import AUTHORIZATION
from support.handshake import end, handshake, status, tcp
from support.listeners import TOKEN, echo, listening
from support.neovim import WAIT_SECONDS

# Which clients can connect.


@pytest.mark.parametrize("path", ["/", "/mcp", "/?a=b"])
async def test_a_client_with_the_token_is_accepted_at_both_paths(port: int, path: str) -> None:
    assert await status(port, handshake(port, TOKEN, path=path)) == 101


@pytest.mark.parametrize("offered", ["mcp", "other, mcp", "mcp,other"])
async def test_the_subprotocol_mcp_is_chosen(port: int, offered: str) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN, {"Sec-WebSocket-Protocol": offered}))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)

    assert b"Sec-WebSocket-Protocol: mcp\r\n" in answer


async def test_a_client_with_the_token_need_not_offer_a_subprotocol(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN, {"Sec-WebSocket-Protocol": None}))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)

    assert answer.startswith(b"HTTP/1.1 101")
    assert b"Sec-WebSocket-Protocol" not in answer


async def test_compression_is_not_negotiated(port: int) -> None:
    async with tcp(port) as (reader, writer):
        offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
        writer.write(handshake(port, TOKEN, offer))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)

    assert answer.startswith(b"HTTP/1.1 101")
    assert b"Sec-WebSocket-Extensions" not in answer


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "127.0.0.2"])
async def test_a_host_header_with_a_local_address_is_accepted(port: int, name: str) -> None:
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
    ("an empty subprotocol", {"Sec-WebSocket-Protocol": ""}, 400),
    ("no token and no subprotocol", {AUTHORIZATION: None, "Sec-WebSocket-Protocol": None}, 401),
    (
        "a page, a token and no subprotocol",
        {"Origin": "http://127.0.0.1", "Sec-WebSocket-Protocol": None},
        403,
    ),
    ("another subprotocol", {"Sec-WebSocket-Protocol": "mcp2, chat"}, 400),
    ("no WebSocket at all", {"Upgrade": None, "Connection": None}, 426),
]


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [pytest.param(headers, refusal, id=name) for name, headers, refusal in REFUSED],
)
async def test_a_rejected_client_gets_an_http_status(
    port: int, headers: dict[str, str | None], refusal: int
) -> None:
    filled = {name: value and value.format(port=port) for name, value in headers.items()}

    assert await status(port, handshake(port, TOKEN, filled)) == refusal


@pytest.mark.parametrize("path", ["/other", "/mcp/", "//", "/..", "http://127.0.0.1/"])
async def test_other_paths_are_not_found(port: int, path: str) -> None:
    assert await status(port, handshake(port, TOKEN, path=path)) == 404


async def test_the_log_names_each_reason_once(port: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "claude_ide")
    for token in ("", "wrong", ""):
        assert await status(port, handshake(port, token)) == 401

    assert [record.getMessage() for record in caplog.records] == [
        "refused a client: no token, or a wrong one"
    ]


async def test_the_log_names_the_reason_for_a_rejection_but_not_the_token(
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


async def test_a_listener_on_all_addresses_accepts_other_addresses_but_no_names() -> None:
    async with listening(echo, "0.0.0.0") as (_, port):
        assert await status(port, handshake(port, TOKEN, {"Host": f"192.0.2.1:{port}"})) == 101
        assert await status(port, handshake(port, TOKEN, {"Host": f"example.com:{port}"})) == 403


# Handshakes that do not end.


def padded(port: int, size: int) -> bytes:
    """A handshake with headers of at least `size` bytes."""
    padding = {f"X-Padding-{n}": "x" * 1000 for n in range(size // 1000)}
    return handshake(port, TOKEN, padding)


async def test_a_handshake_of_up_to_16_kib_is_read(port: int) -> None:
    assert await status(port, padded(port, 15_000)) == 101


async def test_an_endless_handshake_is_refused_once_it_is_too_large(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n")
        for _ in range(150):
            writer.write(b"X: " + b"x" * 1000 + b"\r\n")

        assert b"101" not in await end(reader)


@pytest.fixture
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(websocket, "HANDSHAKE_SECONDS", 0.2)
    yield


@pytest.mark.usefixtures("short_timeout")
@pytest.mark.parametrize("begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: "])
async def test_a_handshake_that_times_out_is_dropped(begun: bytes) -> None:
    async with listening(echo) as (_, port), tcp(port) as (reader, writer):
        writer.write(begun)

        assert await end(reader) == b""


@pytest.mark.usefixtures("short_timeout")
async def test_sending_single_bytes_does_not_extend_the_time_for_a_handshake() -> None:
    async with listening(echo) as (_, port), tcp(port) as (reader, writer):
        ended = asyncio.create_task(end(reader))
        for byte in handshake(port, TOKEN):
            if ended.done():
                break
            writer.write(bytes([byte]))
            await asyncio.wait([ended], timeout=0.05)

        assert await ended == b""


async def test_silent_clients_make_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MOST_HANDSHAKES", 2)
    async with AsyncExitStack() as stack:
        _, port = await stack.enter_async_context(listening(echo))
        served, writer = await stack.enter_async_context(tcp(port))
        writer.write(handshake(port, TOKEN))
        assert (await served.readline()).startswith(b"HTTP/1.1 101")
        silent = [await stack.enter_async_context(tcp(port)) for _ in range(6)]

        assert [await end(reader) for reader, _ in silent[:4]] == [b""] * 4

        assert await status(port, handshake(port, TOKEN)) == 101
        assert not served.at_eof()


async def test_a_client_that_connected_before_the_listener_started_is_served() -> None:
    bound = socket.create_server(("127.0.0.1", 0))
    port = bound.getsockname()[1]
    async with tcp(port) as (reader, writer):
        writer.write(handshake(port, TOKEN))
        listener = Listener(bound, SocketEndpoint(PATHS, TOKEN, echo))

        await listener.start()

        assert (await asyncio.wait_for(reader.readline(), WAIT_SECONDS)).startswith(b"HTTP/1.1 101")
    await listener.stop()
