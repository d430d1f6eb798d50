"""`mcp/server.py`: the server for an agent that is connected by a pipe."""

import asyncio
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import InProcessServer
from claude_ide.mcp.tool import IDE_TOOLS
from support.neovim import until
from support.recorded_diffs import Editor


@pytest.fixture
def editor() -> Any:
    return Editor()


@pytest.fixture
def server(editor: Any) -> InProcessServer:
    return InProcessServer(Client(editor, Config(), label="Claude"), IDE_TOOLS)


def call(id_: int | str, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


async def test_the_tools_are_the_same_as_over_the_socket(server: InProcessServer) -> None:
    listed = await server({"jsonrpc": "2.0", "id": 0, "method": "tools/list"})

    assert listed is not None
    assert listed["id"] == 0
    assert {tool["name"] for tool in listed["result"]["tools"]} == set(IDE_TOOLS)


async def test_a_call_returns_the_result_of_the_tool(server: InProcessServer) -> None:
    answer = await server(call("a", "getWorkspaceFolders"))

    assert answer is not None
    assert answer["id"] == "a"
    assert "/project" in answer["result"]["content"][0]["text"]


async def test_an_unknown_tool_is_an_error(server: InProcessServer) -> None:
    answer = await server(call(1, "noSuchTool"))

    assert answer is not None
    assert answer["error"]["code"] == -32602


async def test_a_notification_is_not_answered(server: InProcessServer) -> None:
    assert await server({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None


async def test_concurrent_requests_can_have_the_same_id(server: InProcessServer) -> None:
    answers = await asyncio.gather(
        server(call(1, "getWorkspaceFolders")), server(call(1, "noSuchTool"))
    )

    assert ["error" in answer for answer in answers if answer] == [False, True]


async def test_a_cancelled_call_closes_its_diff(server: InProcessServer, editor: Any) -> None:
    asking = asyncio.create_task(
        server(call(1, "openDiff", old_file_path="/project/a.py", new_file_contents=""))
    )
    await until(lambda: editor.diffs.shown)
    assert editor.diffs.titles == ["Claude"]

    asking.cancel()

    await until(lambda: editor.diffs.closed == editor.diffs.shown)


def open_diff(id_: int) -> dict[str, Any]:
    return call(id_, "openDiff", old_file_path=f"/project/{id_}.py", new_file_contents="")


async def test_a_cancellation_applies_to_the_call_with_that_id(
    server: InProcessServer, editor: Any
) -> None:
    asking = {id_: asyncio.create_task(server(open_diff(id_))) for id_ in (2, 1)}
    await until(lambda: len(editor.diffs.shown) == 2)

    for id_ in (1, "no such id"):
        params = {"requestId": id_}
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert await server(cancelled) is None

    await until(asking[1].done)
    answer = asking[1].result()
    assert answer is not None
    assert (answer["id"], "error" in answer) == (1, True)
    await until(lambda: [diff.path for diff in editor.diffs.closed] == ["/project/1.py"])
    assert not asking[2].done()
    asking[2].cancel()
