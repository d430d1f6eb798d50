"""`mcp/streamable.py`: a client over HTTP that listens learns of other tools."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.mcp import streamable
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.tool import IDE_TOOLS, LIST_CHANGED, Toolset
from support.handshake import tcp
from support.mcp_http import McpHttp
from support.neovim import until
from support.raw_http import answered, chunk
from support.recorded_diffs import Editor

EVENTS = "text/event-stream"


@pytest.fixture
def tools() -> Toolset:
    return Toolset(IDE_TOOLS)


@pytest.fixture
async def endpoint(tools: Toolset) -> AsyncIterator[AgentEndpoint]:
    editor: Any = Editor()
    endpoint = AgentEndpoint(editor, Config(), lambda: tools, "Otter")
    yield endpoint
    await endpoint.close()


@pytest.fixture
async def client(endpoint: AgentEndpoint) -> McpHttp:
    client = McpHttp(*await endpoint.open_http())
    await client.initialize()
    return client


@asynccontextmanager
async def listening(client: McpHttp) -> AsyncIterator[asyncio.StreamReader]:
    """Listen; yield the reader of what the server says."""
    async with tcp(client.port) as (reader, writer):
        writer.write(client.raw(b"", method="GET", Accept=EVENTS))
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert EVENTS.encode() in head
        yield reader


async def heard(reader: asyncio.StreamReader) -> Any:
    """Return the next message."""
    event, _, data = (await chunk(reader)).partition(b"\n")
    assert event == b"event: message"
    return json.loads(data.removeprefix(b"data: "))


def sessions(endpoint: AgentEndpoint) -> list[Any]:
    assert endpoint._sessions is not None
    return [*endpoint._sessions._open.values()]


async def test_a_tool_that_comes_or_goes_is_announced(client: McpHttp, tools: Toolset) -> None:
    async with listening(client) as reader:
        tool = tools.pop("openFile")
        assert await heard(reader) == {"jsonrpc": "2.0", "method": LIST_CHANGED}
        tools["openFile"] = tool
        assert (await heard(reader))["method"] == LIST_CHANGED


async def test_a_change_is_announced_to_a_client_that_listens_later(
    client: McpHttp, tools: Toolset
) -> None:
    del tools["openFile"]

    async with listening(client) as reader:
        assert (await heard(reader))["method"] == LIST_CHANGED


async def test_nothing_but_comments_is_sent_without_a_change(
    client: McpHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "PULSE_SECONDS", 0.01)

    async with listening(client) as reader:
        assert [await chunk(reader), await chunk(reader)] == [streamable.PULSE] * 2


async def test_a_second_stream_ends_the_first(client: McpHttp, tools: Toolset) -> None:
    async with listening(client) as first, listening(client) as second:
        assert await chunk(first) == b""
        del tools["openFile"]
        assert (await heard(second))["method"] == LIST_CHANGED


@pytest.mark.parametrize("end", ["session", "endpoint"])
async def test_the_stream_ends_with_its_session(
    client: McpHttp, endpoint: AgentEndpoint, end: str
) -> None:
    async with listening(client) as reader:
        if end == "session":
            assert (await client.end()).status == 204
        else:
            await endpoint.close()

        # The connection may stay open, for more requests.
        assert await reader.readline() in (b"0\r\n", b"")


async def test_a_client_that_listens_is_not_idle(
    client: McpHttp, endpoint: AgentEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "IDLE_SECONDS", 0.0)
    (session,) = sessions(endpoint)
    other = McpHttp(*await endpoint.open_http())
    async with listening(client):
        await other.initialize()
        assert (await client.post(client.message("ping"))).status == 200
    await until(lambda: session.is_idle, "the client has left")

    await other.initialize()

    assert (await client.post(client.message("ping"))).status == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Accept": "application/json"}, 406),
        ({"Mcp_Session_Id": None}, 400),
        ({"Mcp_Session_Id": "guessed"}, 404),
        ({"Authorization": "Bearer guessed"}, 401),
        ({"Authorization": None}, 401),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "example.com"}, 403),
    ],
)
async def test_a_stream_needs_what_a_message_needs(
    client: McpHttp, headers: dict[str, str | None], status: int
) -> None:
    got = await answered(client.port, client.raw(b"", method="GET", **headers))

    assert got.status == status
