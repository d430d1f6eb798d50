"""How an agent gets the editor's MCP server: over stdio, or over HTTP."""

from typing import Any

import pytest

from claude_ide.agents.workbench import McpAddress, McpCommand, Workbench
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


BENCH = Workbench(mcp_commands=commands, mcp_addresses=addresses)


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
    talk = await begin(Script(initialize=[initialized]), mcp=mcp, workbench=BENCH)

    assert talk.fake.received("session/new")[0]["mcpServers"] == [server]


@pytest.mark.parametrize("mcp", ["stdio", "http"])
async def test_without_the_editor_there_is_no_server(begin: Begin, mcp: str) -> None:
    talk = await begin(Script(initialize=[HTTP]), mcp=mcp)

    assert talk.fake.received("session/new")[0]["mcpServers"] == []
