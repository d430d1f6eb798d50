"""`mcp/streamable.py`: MCP over HTTP at an agent's endpoint, and its sessions."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from claude_ide.mcp import streamable
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.server import InProcessServer
from claude_ide.mcp.tool import IDE_TOOLS, Toolset
from claude_ide.transport.wire import FROM, TO, recording
from support.handshake import tcp
from support.mcp_http import OPENING, McpHttp
from support.neovim import until
from support.raw_http import Answer, answer, answered, chunk
from support.recorded_diffs import Editor

OPEN_DIFF = {"old_file_path": "/project/a.py", "new_file_contents": ""}


@pytest.fixture
def editor() -> Any:
    return Editor()


@pytest.fixture
async def stranger(endpoint: AgentEndpoint) -> McpHttp:
    """A client without a session."""
    return McpHttp(*await endpoint.open_http())


@pytest.fixture
async def client(stranger: McpHttp) -> McpHttp:
    await stranger.initialize()
    return stranger


@pytest.fixture
def subscribers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count those who learn of other tools: the open sessions."""
    known: set[object] = set()

    def subscribe(_: Any, on_change: Callable[[], object]) -> Callable[[], object]:
        known.add(on_change)
        return lambda: known.discard(on_change)

    monkeypatch.setattr(Toolset, "subscribe", subscribe)
    return lambda: len(known)


async def begin_diff(client: McpHttp, editor: Any, count: int = 1) -> asyncio.Task[Answer]:
    """Begin a call that waits for the user."""
    call = asyncio.create_task(client.post(client.call("openDiff", **OPEN_DIFF)))
    await until(lambda: len(editor.diffs.shown) == count, "the diff is open")
    return call


async def test_the_tools_are_those_of_the_server(stranger: McpHttp) -> None:
    opened = await stranger.initialize()
    listed = await stranger.request(stranger.message("tools/list"))

    assert opened["serverInfo"]["title"] == "Neovim"
    assert opened["protocolVersion"] == "2025-06-18"
    assert {tool["name"] for tool in listed["result"]["tools"]} == set(IDE_TOOLS)


async def test_a_tool_is_called(client: McpHttp) -> None:
    answer = await client.request(client.call("getWorkspaceFolders"))

    assert "/project" in answer["result"]["content"][0]["text"]


async def test_a_large_call_arrives(client: McpHttp, editor: Any) -> None:
    large = {"old_file_path": "/project/a.py", "new_file_contents": "x\n" * 2_000_000}
    call = asyncio.create_task(client.post(client.call("openDiff", **large)))

    await until(lambda: editor.diffs.titles == ["Otter"])
    call.cancel()


async def test_diffs_have_the_name_of_the_agent(client: McpHttp, editor: Any) -> None:
    call = await begin_diff(client, editor)

    assert editor.diffs.titles == ["Otter"]
    call.cancel()


async def test_an_error_of_the_protocol_is_an_answer(client: McpHttp) -> None:
    answer = await client.request(client.message("no/such/method"))

    assert answer["error"]["code"] == -32601


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25", None])
async def test_known_versions_are_accepted(client: McpHttp, version: str | None) -> None:
    client.headers["MCP-Protocol-Version"] = version

    assert (await client.post(client.message("ping"))).status == 200


async def test_an_answer_to_nothing_is_accepted(client: McpHttp) -> None:
    assert (await client.post({"jsonrpc": "2.0", "id": 7, "result": {}})).status == 202


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"a": "\xff"}', -32700),
        (b'{"params": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", -32700),
        (b"7", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
    ],
)
async def test_a_body_that_is_no_message_is_refused(
    client: McpHttp, body: bytes, code: int
) -> None:
    got = await answered(client.port, client.raw(body))

    assert got.status == 400
    assert json.loads(got.body)["error"]["code"] == code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Mcp_Session_Id": None}, 400),
        ({"Mcp_Session_Id": ""}, 400),
        ({"Mcp_Session_Id": "guessed"}, 404),
        ({"MCP_Protocol_Version": "1.0"}, 400),
        ({"Authorization": "Bearer guessed"}, 401),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "example.com"}, 403),
    ],
)
async def test_a_request_with_wrong_headers_is_refused(
    client: McpHttp, headers: dict[str, str | None], status: int
) -> None:
    assert (await client.post(client.message("ping"), **headers)).status == status


async def test_other_methods_are_refused(client: McpHttp) -> None:
    got = await answered(client.port, client.raw(b"", method="PUT"))

    assert (got.status, got.headers["allow"]) == (405, "GET, POST, DELETE")


async def test_a_session_ends_when_the_client_deletes_it(client: McpHttp, editor: Any) -> None:
    call = await begin_diff(client, editor)

    assert (await client.end()).status == 204

    assert json.loads((await call).body)["error"]["code"] == -32800
    await until(lambda: editor.diffs.closed == editor.diffs.shown)
    assert (await client.post(client.message("ping"))).status == 404
    assert (await client.end()).status == 404


async def test_sessions_do_not_share_diffs(
    client: McpHttp, endpoint: AgentEndpoint, editor: Any
) -> None:
    other = McpHttp(*await endpoint.open_http())
    await other.initialize()
    call = await begin_diff(client, editor)

    closed = await other.request(other.call("closeAllDiffTabs"))

    assert closed["result"]["content"][0]["text"] == "CLOSED_0_DIFF_TABS"
    assert (await other.end()).status == 204
    assert not editor.diffs.closed
    call.cancel()


@pytest.mark.parametrize("end", ["cancelled", "turn ended", "disconnected", "endpoint closed"])
async def test_the_diff_of_a_call_that_is_over_is_closed(
    client: McpHttp, endpoint: AgentEndpoint, editor: Any, end: str
) -> None:
    message = client.call("openDiff", **OPEN_DIFF)
    call = asyncio.create_task(client.post(message))
    await until(lambda: editor.diffs.shown)

    match end:
        case "cancelled":
            params = {"requestId": message["id"]}
            method = "notifications/cancelled"
            await client.post({"jsonrpc": "2.0", "method": method, "params": params})
            assert json.loads((await call).body)["error"]["code"] == -32800
        case "turn ended":
            endpoint.withdraw()
            assert json.loads((await call).body)["error"]["code"] == -32800
        case "disconnected":
            call.cancel()
        case _:
            await endpoint.close()
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await call

    await until(lambda: editor.diffs.closed == editor.diffs.shown)


async def test_an_answer_that_takes_long_is_sent_as_an_event(
    client: McpHttp, editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "QUICK_SECONDS", 0.05)
    monkeypatch.setattr(streamable, "PULSE_SECONDS", 0.05)
    async with tcp(client.port) as (reader, writer):
        message = client.call("openDiff", **OPEN_DIFF)
        writer.write(client.raw(json.dumps(message).encode()))
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"content-type: text/event-stream" in head.lower()
        assert await chunk(reader) == b": waiting\n\n"

        await until(lambda: editor.diffs.shown)
        editor.diffs.shown[0].withdraw()
        while (event := await chunk(reader)) == b": waiting\n\n":
            pass

        name, data = event.decode().strip().splitlines()
        assert name == "event: message"
        assert json.loads(data.removeprefix("data: "))["id"] == message["id"]
        assert await chunk(reader) == b""

        writer.write(client.raw(json.dumps(client.message("ping")).encode()))
        assert (await answer(reader)).status == 200


async def test_a_client_that_takes_no_events_gets_json(
    client: McpHttp, editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "QUICK_SECONDS", 0.0)
    client.headers["Accept"] = "application/json"
    call = await begin_diff(client, editor)

    assert (await client.end()).status == 204

    assert (await call).headers["content-type"] == "application/json"


async def test_a_client_that_disconnects_from_an_event_closes_its_diff(
    client: McpHttp, editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "QUICK_SECONDS", 0.0)
    async with tcp(client.port) as (reader, writer):
        writer.write(client.raw(json.dumps(client.call("openDiff", **OPEN_DIFF)).encode()))
        await reader.readuntil(b"\r\n\r\n")
        await until(lambda: editor.diffs.shown)

    await until(lambda: editor.diffs.closed == editor.diffs.shown)


async def test_the_idlest_of_too_many_sessions_ends(
    client: McpHttp, endpoint: AgentEndpoint, editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamable, "MOST_SESSIONS", 3)
    call = await begin_diff(client, editor)
    url, headers = await endpoint.open_http()
    others = [McpHttp(url, headers) for _ in range(4)]
    for other in others:
        await other.initialize()

    status = [(await each.post(each.message("ping"))).status for each in (client, *others)]

    assert status == [200, 404, 404, 200, 200]
    call.cancel()


async def test_a_session_that_was_idle_for_long_ends_when_another_one_begins(
    client: McpHttp, endpoint: AgentEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = McpHttp(*await endpoint.open_http())
    await other.initialize()
    assert (await client.post(client.message("ping"))).status == 200
    monkeypatch.setattr(streamable, "IDLE_SECONDS", 0.0)

    await other.initialize()

    assert (await client.post(client.message("ping"))).status == 404
    assert (await other.post(other.message("ping"))).status == 200


async def test_an_opened_again_endpoint_has_another_token_and_no_sessions(
    client: McpHttp, endpoint: AgentEndpoint
) -> None:
    _, headers = await endpoint.open_http()
    await endpoint.close()

    again = McpHttp(*await endpoint.open_http())

    assert again.headers["Authorization"] != headers["Authorization"]
    client.port = again.port
    assert (await client.post(client.message("ping"))).status == 401
    session = client.headers["Mcp-Session-Id"]
    assert (await again.post(again.message("ping"), Mcp_Session_Id=session)).status == 404


async def test_a_closed_endpoint_leaves_other_ones_open(
    endpoints: Callable[[str], AgentEndpoint], endpoint: AgentEndpoint, client: McpHttp
) -> None:
    other = endpoints("Heron")
    stranger = McpHttp(*await other.open_http())
    await stranger.initialize()

    await endpoint.close()

    assert (await stranger.post(stranger.message("ping"))).status == 200
    with pytest.raises(ConnectionRefusedError):
        await client.post(client.message("ping"))
    await other.close()


async def test_a_session_begins_with_initialize_only(stranger: McpHttp) -> None:
    noted = {"jsonrpc": "2.0", "method": "initialize", "params": OPENING}

    assert (await stranger.post(noted)).status == 400
    assert (await stranger.post(stranger.message("tools/list"))).status == 400


async def test_an_initialize_that_is_refused_begins_no_session(
    stranger: McpHttp, subscribers: Callable[[], int]
) -> None:
    got = await stranger.post(stranger.message("initialize") | {"params": "no object"})

    assert "error" in json.loads(got.body)
    assert "mcp-session-id" not in got.headers
    assert subscribers() == 0


async def test_a_client_that_leaves_during_initialize_leaves_no_session(
    stranger: McpHttp, subscribers: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def never(*_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(InProcessServer, "__call__", never)
    call = asyncio.create_task(stranger.post(stranger.message("initialize", OPENING)))
    await begun.wait()
    assert subscribers() == 1
    call.cancel()

    await until(lambda: subscribers() == 0, "it is over")


async def test_the_user_can_watch_the_messages(stranger: McpHttp) -> None:
    recording().watch(lambda: None)
    try:
        await stranger.initialize()
        await stranger.request(stranger.call("nothing"))
        kept = recording().kept
    finally:
        recording().unwatch()

    assert [(m.way, m.party.name()) for m in kept] == [
        (way, "Otter (tools)") for way in (FROM, TO, FROM, FROM, TO)
    ]
    assert b"tools/call" in kept[3].body
