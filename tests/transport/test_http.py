"""`transport/http.py` on a real socket: which requests are answered, and how."""

import asyncio
import logging

import pytest

from claude_ide.transport.http import HttpListener
from support.handshake import end, tcp
from support.http_services import TOKEN, Desk, serving
from support.neovim import WAIT_SECONDS
from support.raw_http import answer, answered, chunk, request


@pytest.fixture
def port(listener: HttpListener) -> int:
    return listener.port


async def test_a_request_with_the_token_is_answered(port: int, desk: Desk) -> None:
    got = await answered(port, request(port, TOKEN, {"X-Otter": "Ä"}, body=b"hello"))

    assert (got.status, got.body) == (200, b"hello")
    assert got.headers["x-service"] == "desk"
    (seen,) = desk.requests
    assert seen.method == "POST"
    assert seen.headers.get_all("X-OTTER") == ["Ã\x84"]


@pytest.mark.parametrize("path", ["/here", "/here?a=b"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_the_query_and_the_case_of_the_scheme_do_not_matter(
    port: int, path: str, scheme: str
) -> None:
    sent = request(port, TOKEN, {"Authorization": f"{scheme} {TOKEN}"}, path=path)

    assert (await answered(port, sent)).status == 200


async def test_a_connection_stays_open_for_more_requests(port: int, desk: Desk) -> None:
    async with tcp(port) as (reader, writer):
        for body in (b"one", b"", b"three"):
            writer.write(request(port, TOKEN, body=body))
            assert (await answer(reader)).body == body

        writer.write(request(port, TOKEN, body=b"a") + request(port, TOKEN, body=b"b"))
        assert [(await answer(reader)).body for _ in "ab"] == [b"a", b"b"]


@pytest.mark.parametrize("headers", [{"Connection": "close"}, {"Connection": "keep-alive, Close"}])
async def test_a_client_can_ask_for_the_end_of_the_connection(
    port: int, headers: dict[str, str | None]
) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, headers, body=b"last"))

        assert (await answer(reader)).headers["connection"] == "close"
        assert await end(reader) == b""


async def test_a_chunked_body_is_put_together(port: int) -> None:
    chunks = b"5\r\nhello\r\n7;name=x\r\n, world\r\n0\r\nX-Trailer: y\r\n\r\n"
    head = request(port, TOKEN, {"Content-Length": None, "Transfer-Encoding": "chunked"})

    assert (await answered(port, head + chunks)).body == b"hello, world"


async def test_a_client_that_expects_it_gets_100_before_it_sends_the_body(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, {"Expect": "100-continue", "Content-Length": "2"}))
        assert (await answer(reader)).status == 100
        writer.write(b"hi")

        assert (await answer(reader)).body == b"hi"


async def test_an_answer_can_have_no_body(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, method="DELETE"))
        got = await answer(reader)
        assert (got.status, "content-length" in got.headers) == (204, False)

        writer.write(request(port, TOKEN, body=b"next"))
        assert (await answer(reader)).body == b"next"


async def test_head_gets_the_headers_only(port: int) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, method="HEAD"))
        got = await answer(reader, has_body=False)
        assert (got.status, got.headers["allow"]) == (405, "POST, DELETE")

        assert await end(reader) == b""


async def test_a_body_can_be_sent_in_pieces(port: int, desk: Desk) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, body=b"in pieces"))
        desk.stream.put_nowait(b"one")
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"transfer-encoding: chunked" in head.lower()
        assert await chunk(reader) == b"one"
        desk.stream.put_nowait(b"two")
        assert await chunk(reader) == b"two"
        desk.stream.put_nowait(b"")
        assert await chunk(reader) == b""

        writer.write(request(port, TOKEN, body=b"next"))
        assert (await answer(reader)).body == b"next"
    assert desk.is_stream_closed.is_set()


async def test_a_service_that_fails_answers_500_and_the_next_request_is_answered(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, body=b"fail"))
        assert (await answer(reader)).status == 500

        writer.write(request(port, TOKEN, body=b"next"))
        assert (await answer(reader)).body == b"next"
    assert "a request could not be answered" in caplog.text


# Clients that leave, and services that end.


@pytest.mark.parametrize("more", [b"", b"GET /begun HTTP/1.1\r\n"])
async def test_a_client_that_disconnects_cancels_its_request(
    port: int, desk: Desk, more: bytes
) -> None:
    async with tcp(port) as (_, writer):
        writer.write(request(port, TOKEN, body=b"wait") + more)
        await asyncio.wait_for(desk.is_waiting.wait(), WAIT_SECONDS)

    await asyncio.wait_for(desk.is_cancelled.wait(), WAIT_SECONDS)


async def test_a_client_that_disconnects_ends_a_body_in_pieces(port: int, desk: Desk) -> None:
    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, body=b"in pieces"))
        desk.stream.put_nowait(b"one")
        await reader.readuntil(b"one")

    await asyncio.wait_for(desk.is_stream_closed.wait(), WAIT_SECONDS)


async def test_a_listener_that_stops_cancels_requests_and_disconnects(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        serving(desk) as listener,
        tcp(listener.port) as (reader, writer),
        tcp(listener.port) as (idle, _),
    ):
        writer.write(request(listener.port, TOKEN, body=b"wait"))
        await asyncio.wait_for(desk.is_waiting.wait(), WAIT_SECONDS)
        await listener.stop()

        assert desk.is_cancelled.is_set()
        assert await end(reader) == b""
        assert await end(idle) == b""
    assert not caplog.records


# Requests that are refused.

REFUSED: list[tuple[str, dict[str, str | None], int]] = [
    ("no token", {"Authorization": None}, 401),
    ("an empty token", {"Authorization": "Bearer "}, 401),
    ("a wrong token", {"Authorization": "Bearer b-token"}, 401),
    ("the beginning of the token", {"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
    ("more than the token", {"Authorization": f"Bearer {TOKEN}a"}, 401),
    ("a token that is not ASCII", {"Authorization": "Bearer ä-token"}, 401),
    ("another scheme", {"Authorization": f"Basic {TOKEN}"}, 401),
    ("no scheme", {"Authorization": TOKEN}, 401),
    ("two tokens", {"Authorization": f"Bearer {TOKEN}", "authorization": f"Bearer {TOKEN}"}, 401),
    ("a page's Origin", {"Origin": "https://example.com"}, 403),
    ("our own Origin", {"Origin": "http://127.0.0.1"}, 403),
    ("the Origin of a file", {"Origin": "null"}, 403),
    ("an empty Origin", {"Origin": ""}, 403),
    ("a foreign Host", {"Host": "example.com:{port}"}, 403),
    ("a name that resolves to here", {"Host": "127.0.0.1.example.com:{port}"}, 403),
    ("a Host without a port", {"Host": "127.0.0.1"}, 403),
    ("another port", {"Host": "127.0.0.1:1"}, 403),
    ("no Host", {"Host": None}, 400),
    ("two Hosts", {"Host": "127.0.0.1:{port}", "host": "127.0.0.1:{port}"}, 400),
    ("two lengths", {"content-length": "3"}, 400),
    ("no length", {"Content-Length": "x"}, 400),
    ("a negative length", {"Content-Length": "-1"}, 400),
    ("an unknown encoding", {"Content-Length": None, "Transfer-Encoding": "gzip, chunked"}, 501),
    ("a length above the limit", {"Content-Length": "70000000"}, 413),
]


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [pytest.param(headers, refusal, id=name) for name, headers, refusal in REFUSED],
)
async def test_a_refused_client_gets_a_status_and_is_disconnected(
    port: int, desk: Desk, headers: dict[str, str | None], refusal: int
) -> None:
    filled = {name: value and value.format(port=port) for name, value in headers.items()}

    async with tcp(port) as (reader, writer):
        writer.write(request(port, TOKEN, filled))
        got = await answer(reader)
        assert await end(reader) == b""

    assert got.status == refusal
    assert got.headers["connection"] == "close"
    assert ("www-authenticate" in got.headers) is (refusal == 401)
    assert not desk.requests


@pytest.mark.parametrize("path", ["/", "/other", "/here/", "//here", "/..", "*", "http://a/here"])
async def test_other_paths_are_not_found(port: int, path: str) -> None:
    assert (await answered(port, request(port, TOKEN, path=path))).status == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS", "post", "TRACE"])
async def test_other_methods_are_not_allowed(port: int, method: str) -> None:
    got = await answered(port, request(port, TOKEN, method=method))

    assert (got.status, got.headers["allow"]) == (405, "POST, DELETE")


async def test_without_the_token_nothing_else_is_told(port: int) -> None:
    sent = request(port, "guessed", {"Content-Length": "70000000"}, method="PUT")

    assert (await answered(port, sent)).status == 401


async def test_the_log_names_the_reason_but_not_the_token(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    await answered(port, request(port, "guessed", {"Origin": "null"}))
    await answered(port, request(port, "guessed"))
    await answered(port, b"GET guessed\x00\r\n\r\n")
    await answered(port, request(port, TOKEN))

    refusals = [record.getMessage() for record in caplog.records if "refused" in record.message]
    assert refusals == [
        "refused a client: a page may not connect",
        "refused a client: no token, or a wrong one",
        "refused a client: the request is malformed or its head is too large",
    ]
    assert "guessed" not in caplog.text
    assert TOKEN not in caplog.text
