"""How an agent gets the editor's MCP server: over stdio, or over HTTP."""

from collections.abc import Collection
from typing import Any

import pytest

from claude_ide.agents.editor_services import EditorServices, McpAddress, McpCommand
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin

HTTP = acp.initialized(mcpCapabilities={"http": True})
STDIO = acp.initialized(mcpCapabilities={"http": False})
STARTED = {
    "name": "neovim",
    "command": "/python",
    "args": ["stdio.py"],
    "env": [{"name": "A", "value": "1"}],
}
ADDRESSED = {
    "type": "http",
    "name": "neovim",
    "url": "http://127.0.0.1:1/neovim",
    "headers": [{"name": "Authorization", "value": "Bearer x"}],
}


async def commands() -> tuple[McpCommand, ...]:
    return (McpCommand("neovim", ("/python", "stdio.py"), {"A": "1"}),)


async def addresses() -> tuple[McpAddress, ...]:
    headers = {"Authorization": "Bearer x"}
    return (McpAddress("neovim", "http://127.0.0.1:1/neovim", headers),)


BENCH = EditorServices(mcp_commands=commands, mcp_addresses=addresses)


@pytest.mark.parametrize(
    ("mcp", "initialized", "server"),
    [
        ("stdio", HTTP, STARTED),
        ("stdio", STDIO, STARTED),
        ("http", HTTP, ADDRESSED),
        ("http", STDIO, STARTED),
        ("http", acp.initialized(), STARTED),
    ],
)
async def test_http_needs_an_agent_that_wants_it_and_announces_it(
    begin: Begin, mcp: str, initialized: acp.Step, server: dict[str, Any]
) -> None:
    talk = await begin(Script(initialize=[initialized]), mcp=mcp, services=BENCH)

    assert talk.fake.received("session/new")[0]["mcpServers"] == [server]


@pytest.mark.parametrize("mcp", ["stdio", "http"])
async def test_without_the_editor_there_is_no_server(begin: Begin, mcp: str) -> None:
    talk = await begin(Script(initialize=[HTTP]), mcp=mcp)

    assert talk.fake.received("session/new")[0]["mcpServers"] == []


async def test_the_users_own_servers_follow_that_of_the_editor(begin: Begin) -> None:
    asked: list[list[str]] = []

    async def user_servers(transports: Collection[str]) -> list[McpCommand | McpAddress]:
        asked.append(sorted(transports))
        wiki = McpAddress("wiki", "http://wiki", {"X": "perch"}, "sse")
        return [McpCommand("db", ("/db", "-v"), {"A": "pike"}), wiki]

    bench = EditorServices(mcp_commands=commands, user_servers=user_servers)
    sse = acp.initialized(mcpCapabilities={"sse": True})
    talk = await begin(Script(initialize=[sse]), services=bench)

    assert asked == [["sse", "stdio"]]
    assert talk.fake.received("session/new")[0]["mcpServers"] == [
        STARTED,
        {"name": "db", "command": "/db", "args": ["-v"], "env": [{"name": "A", "value": "pike"}]},
        {
            "type": "sse",
            "name": "wiki",
            "url": "http://wiki",
            "headers": [{"name": "X", "value": "perch"}],
        },
    ]
    assert "http://wiki" in talk.agent.log()
    assert "pike" not in talk.agent.log()
    assert "perch" not in talk.agent.log()


async def test_an_agent_that_only_connects_is_asked_to_start_no_server(begin: Begin) -> None:
    asked: list[list[str]] = []

    async def user_servers(transports: Collection[str]) -> list[McpCommand | McpAddress]:
        asked.append(sorted(transports))
        return []

    bench = EditorServices(mcp_addresses=addresses, user_servers=user_servers)
    await begin(Script(initialize=[HTTP]), mcp="http", services=bench)

    assert asked == [["http"]]
