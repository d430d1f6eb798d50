"""`settings.py`: the states of MCP servers, as recorded."""

from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.agents.events import Notice, ServersFailed
from claude_ide.agents.stream_json.settings import Servers, tool_servers
from support.transcripts import frames_of


def test_the_recorded_servers_have_their_states_and_errors() -> None:
    answers = [frame for frame in frames_of("mcp_servers") if frame["type"] == "control_response"]
    listed = tool_servers(answers[1]["response"]["response"])

    broken, dies, web = listed
    assert (broken.name, broken.state) == ("broken", ServerState.FAILED)
    assert broken.error.startswith("ENOENT: no such file or directory")
    assert broken.place == "stdio · dynamic"
    assert dies.state is ServerState.CONNECTING
    assert web.place == "http · dynamic"


def test_a_connected_server_has_tools() -> None:
    answer = {"mcpServers": [{"name": "a", "status": "connected", "tools": [{}, {}]}, "junk"]}

    assert tool_servers(answer) == [ToolServer("a", ServerState.CONNECTED, tools=2)]
    assert tool_servers({"mcpServers": [{"status": "novel"}]})[0].state is ServerState.UNKNOWN


def test_each_broken_server_is_reported_once() -> None:
    servers = Servers()
    frame = {"mcp_servers": [{"name": "a", "status": "failed"}, {"name": "b"}]}

    assert [event.names for event in servers.apply(frame)] == [("a",)]  # type: ignore[union-attr]
    assert servers.apply(frame) == []
    [more] = servers.apply({"mcp_servers": [{"name": "b", "status": "needs-auth"}]})
    assert more.names == ("b",)  # type: ignore[union-attr]


def test_entries_that_cannot_be_read_are_reported_once() -> None:
    servers = Servers()
    errors = [
        {"name": "pond", "type": "url_missing_type", "message": 'add "type": "http"'},
        {"name": "river", "message": 3},
        {"name": ""},
        "junk",
    ]
    frame = {"mcp_servers": [{"name": "a", "status": "failed"}], "mcp_server_errors": errors}

    assert servers.apply(frame) == [
        ServersFailed(("a",)),
        Notice('MCP server pond: add "type": "http"', "warning"),
        Notice("MCP server river: its entry cannot be read", "warning"),
    ]
    assert servers.apply(frame) == []
    assert servers.apply({"mcp_server_errors": None}) == []
