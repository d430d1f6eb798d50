"""`mcp/server.py`: the answers to one client, without a socket and without Neovim."""

import asyncio
import itertools
import json
from typing import Any

import pytest

from claude_ide import __version__
from claude_ide.base.errors import EditorError, ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import METHODS, Server
from claude_ide.mcp.tool import IDE_TOOLS, Content, text, tool
from claude_ide.transport import jsonrpc
from claude_ide.transport.jsonrpc import Peer
from support.neovim import until


class Conversation:
    """The client's side of a connection, in memory: its requests, and every frame it receives."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.welcomed = 0
        self.pids: list[int | None] = []
        self.frames: list[Any] = []
        server = Server(client, self.welcome, lambda: self.pids.append(client.pid))
        self.peer = server.peer = Peer(self, server)
        self._ids = itertools.count()

    def welcome(self) -> None:
        self.welcomed += 1

    async def send(self, frame: bytes) -> None:
        self.frames.append(json.loads(frame))

    async def start(self, method: str, params: Any = None) -> int:
        id_ = next(self._ids)
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        await self.peer.receive(json.dumps(message))
        return id_

    async def ask(self, method: str, params: Any = None) -> Any:
        """Return the answer: a result, or an error as `(code, message)`."""
        id_ = await self.start(method, params)
        answer = await until(lambda: [f for f in self.frames if f["id"] == id_], "an answer")
        if "error" in answer[0]:
            return answer[0]["error"]["code"], answer[0]["error"]["message"]
        return answer[0]["result"]

    async def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        await self.peer.receive(json.dumps(message))


@pytest.fixture
def conversation(client: Client) -> Conversation:
    return Conversation(client)


# The lifecycle.


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_initialize_echoes_a_known_protocol_version(
    conversation: Conversation, version: str
) -> None:
    result = await conversation.ask("initialize", {"protocolVersion": version})

    assert result["protocolVersion"] == version


@pytest.mark.parametrize("version", ["2031-01-01", "", None, 5, []])
async def test_initialize_offers_the_newest_version_instead_of_an_unknown_one(
    conversation: Conversation, version: Any
) -> None:
    result = await conversation.ask("initialize", {"protocolVersion": version})

    assert result["protocolVersion"] == "2025-11-25"


async def test_initialize_without_parameters_is_answered(conversation: Conversation) -> None:
    assert await conversation.ask("initialize") == {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True}, "logging": {}},
        "serverInfo": {"name": "claude-ide", "title": "Neovim", "version": __version__},
    }


async def test_only_a_changed_pid_is_reported(conversation: Conversation) -> None:
    for pid in (4711, 4711, 12, -1, 0):
        await conversation.notify("ide_connected", {"pid": pid})

    assert conversation.pids == [4711, 12, None]


async def test_a_client_is_described_by_its_own_information(conversation: Conversation) -> None:
    information = {"name": "claude-code", "title": "Claude Code", "version": "2.1.330"}
    await conversation.ask("initialize", {"clientInfo": information})
    await conversation.notify("ide_connected", {"pid": 4711})

    client = conversation.client

    assert (client.shown_name, client.version, client.pid) == ("Claude Code", "2.1.330", 4711)


@pytest.mark.parametrize("information", [None, 5, [], {}, {"name": None}])
async def test_a_client_without_information_is_unknown(
    conversation: Conversation, information: Any
) -> None:
    await conversation.ask("initialize", {"clientInfo": information})

    assert conversation.client.shown_name == "unknown"


async def test_name_and_version_are_shortened_to_one_line(conversation: Conversation) -> None:
    """They are shown in a winbar and in a float, where a line feed would be an error."""
    information = {"name": "a\nb\x1b[31m\tc", "title": "", "version": "v" * 10_000}
    await conversation.ask("initialize", {"clientInfo": information})

    assert conversation.client.shown_name == "a b [31m c"
    assert conversation.client.version == "v" * 100


@pytest.mark.parametrize("pid", [None, "4711", 1.5, True, 0, -1, 2**40, 10**30, [4711]])
async def test_an_invalid_pid_is_not_stored(conversation: Conversation, pid: Any) -> None:
    await conversation.notify("ide_connected", {"pid": pid})

    assert conversation.client.pid is None


async def test_a_client_is_welcomed_once_after_it_has_initialized(
    conversation: Conversation,
) -> None:
    await conversation.ask("initialize")
    assert (conversation.welcomed, conversation.client.initialized) == (0, False)

    await conversation.notify("notifications/initialized")
    await conversation.notify("notifications/initialized")

    assert (conversation.welcomed, conversation.client.initialized) == (1, True)


# Methods.


async def test_ping_is_answered_with_an_empty_result(conversation: Conversation) -> None:
    assert await conversation.ask("ping") == {}


async def test_prompts_and_resources_are_empty_lists(conversation: Conversation) -> None:
    assert await conversation.ask("prompts/list") == {"prompts": []}
    assert await conversation.ask("resources/list") == {"resources": []}
    assert await conversation.ask("resources/templates/list") == {"resourceTemplates": []}


async def test_tools_list_returns_every_tool_on_a_single_page(conversation: Conversation) -> None:
    first = await conversation.ask("tools/list")

    assert first == {"tools": [tool.describe() for tool in IDE_TOOLS.values()]}
    assert await conversation.ask("tools/list", {"cursor": "x"}) == first


async def test_a_log_level_is_accepted_and_a_wrong_one_answered_with_the_valid_ones(
    conversation: Conversation,
) -> None:
    assert await conversation.ask("logging/setLevel", {"level": "debug"}) == {}

    levels: list[Any] = ["loud", None, []]
    for level in levels:
        code, message = await conversation.ask("logging/setLevel", {"level": level})
        assert code == -32602
        assert message.startswith("logging/setLevel: level must be one of alert, critical, debug")


async def test_an_unknown_method_is_named(conversation: Conversation) -> None:
    assert await conversation.ask("sampling/createMessage") == (
        -32601,
        "Method not found: sampling/createMessage",
    )


@pytest.mark.parametrize("method", METHODS)
async def test_positional_parameters_are_rejected(conversation: Conversation, method: str) -> None:
    assert await conversation.ask(method, [1]) == (-32602, f"{method}: params must be an object")


@pytest.mark.parametrize(
    ("method", "params", "problem"),
    [
        ("readFile", {}, "Object missing required field `path`"),
        ("readFile", {"path": 5}, "path: Expected `str`, got `int`"),
        ("writeFile", {"path": "a"}, "Object missing required field `content`"),
        ("listFiles", {"pattern": []}, "pattern: Expected `str | null`, got `array`"),
    ],
)
async def test_wrong_parameters_are_named(
    conversation: Conversation, method: str, params: Any, problem: str
) -> None:
    assert await conversation.ask(method, params) == (-32602, problem)


@pytest.mark.parametrize(
    "method", ["notifications/unknown", "ping", "tools/call", "notifications/cancelled"]
)
@pytest.mark.parametrize("params", [None, [], {"requestId": []}, {"requestId": {}}, 5, "x"])
async def test_a_notification_is_never_answered(
    conversation: Conversation, method: str, params: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await conversation.notify(method, params)

    assert await conversation.ask("ping") == {}
    assert len(conversation.frames) == 1
    assert caplog.records == []


# Tools.


@pytest.fixture
def cancelled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tools with every kind of outcome; the list names the clients whose calls were cancelled."""
    for name in ("answers", "refuses", "editorRefuses", "fails", "talks", "waits"):
        monkeypatch.setitem(IDE_TOOLS, name, IDE_TOOLS["executeCode"])  # removed after the test

    @tool("answers")
    async def answers(client: Client) -> Content:
        return text(client.name, "")

    @tool("refuses")
    async def refuses(_client: Client) -> Content:
        raise ToolError("It is too late for that")

    @tool("editorRefuses")
    async def editor_refuses(_client: Client) -> Content:
        raise EditorError("E37: No write since last change")

    @tool("fails")
    async def fails(_client: Client) -> Content:
        raise KeyError("the text of a file")

    @tool("talks")
    async def talks(_client: Client) -> Content:
        return text("x" * 1000)

    @tool("waits")
    async def waits(client: Client) -> Content:
        client.name = "waits"
        try:
            await asyncio.Event().wait()
        finally:
            calls.append(client.name)
        return text("waited")

    calls: list[str] = []
    return calls


@pytest.mark.usefixtures("cancelled")
async def test_a_call_returns_the_content_of_the_tool(conversation: Conversation) -> None:
    assert await conversation.ask("tools/call", {"name": "answers", "_meta": {}}) == {
        "content": [{"type": "text", "text": "unknown"}, {"type": "text", "text": ""}]
    }


@pytest.mark.usefixtures("cancelled")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("refuses", "It is too late for that"),
        ("editorRefuses", "E37: No write since last change"),
        ("executeCode", "No Jupyter kernel is attached to Neovim, so nothing was run"),
    ],
)
async def test_a_tool_error_is_a_result_for_the_model(
    conversation: Conversation, name: str, sentence: str
) -> None:
    assert await conversation.ask("tools/call", {"name": name, "arguments": {"code": "1"}}) == {
        "content": [{"type": "text", "text": sentence}],
        "isError": True,
    }


@pytest.mark.usefixtures("cancelled")
async def test_a_bug_in_a_tool_is_an_error_without_details(
    conversation: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    assert await conversation.ask("tools/call", {"name": "fails"}) == (-32603, "Internal error")
    assert "the text of a file" in caplog.text


@pytest.mark.parametrize("name", ["openNothing", "", "initialize"])
async def test_an_unknown_tool_is_named(conversation: Conversation, name: str) -> None:
    """In MCP a failing tool returns a result, while an unknown tool is an error."""
    assert await conversation.ask("tools/call", {"name": name}) == (-32602, f"Unknown tool: {name}")


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, "Object missing required field `name`"),
        ({"name": None}, "name: Expected `str`, got `null`"),
        ({"name": 5}, "name: Expected `str`, got `int`"),
        ({"name": ["openDiff"]}, "name: Expected `str`, got `array`"),
    ],
)
async def test_a_call_without_a_name_is_rejected(
    conversation: Conversation, params: dict[str, Any], problem: str
) -> None:
    assert await conversation.ask("tools/call", params) == (-32602, f"tools/call: {problem}")


async def test_arguments_are_checked_against_the_schema(conversation: Conversation) -> None:
    asked = {"name": "openFile", "arguments": {"filePath": "/a", "preview": "no"}}

    assert await conversation.ask("tools/call", asked) == (
        -32602,
        "openFile: preview: Expected `bool`, got `str`",
    )


@pytest.mark.usefixtures("cancelled")
async def test_an_answer_too_large_for_the_client_is_replaced_by_an_error(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonrpc, "ANSWER_BYTES", 1000)

    result = await conversation.ask("tools/call", {"name": "talks"})

    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("tools/call: the answer has 1,0")


async def test_a_cancelled_call_stops_without_an_answer(
    conversation: Conversation, cancelled: list[str]
) -> None:
    id_ = await conversation.start("tools/call", {"name": "waits"})
    await until(lambda: conversation.client.name == "waits")

    await conversation.notify("notifications/cancelled", {"requestId": id_, "reason": "Escape"})

    await until(lambda: cancelled)
    assert await conversation.ask("ping") == {}
    assert len(conversation.frames) == 1


async def test_a_cancellation_without_a_matching_request_cancels_nothing(
    conversation: Conversation, cancelled: list[str]
) -> None:
    message = '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"waits"}}'
    await conversation.peer.receive(message)
    await until(lambda: conversation.client.name == "waits")

    await conversation.notify("notifications/cancelled", {})
    await conversation.notify("notifications/cancelled", {"requestId": 99})
    await conversation.ask("tools/call", {"name": "answers"})
    assert cancelled == []

    await conversation.peer.close()
    assert cancelled == ["waits"]
