"""`mcp/agent_endpoint.py`: one for each agent; the port exists only while one is open."""

import logging
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.redaction import MARK, without_secrets
from claude_ide.config import Config
from claude_ide.mcp import model
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.registration import PORT, TOKEN
from claude_ide.mcp.tool import IDE_TOOLS
from claude_ide.transport.admission import TOOLS_PATH
from support.claude_code import AUTHORIZATION
from support.handshake import handshake, status
from support.mcp_stdio import McpStdio, mcp_stdio
from support.neovim import until
from support.recorded_diffs import Editor
from support.recorded_kernel import Kernel


@pytest.fixture
def editor() -> Any:
    return Editor()


@pytest.fixture
async def client(endpoint: AgentEndpoint, tmp_path: Path) -> AsyncIterator[McpStdio]:
    _, environment = await endpoint.open()
    async with mcp_stdio(environment, tmp_path) as client:
        yield client


def is_free(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return True
    return False


async def accepts(environment: Any, token: str = "") -> int:
    """The HTTP status for a client of an endpoint."""
    port = int(environment[PORT])
    return await status(port, handshake(port, token or environment[TOKEN], path=TOOLS_PATH))


OPEN_DIFF = {"old_file_path": "/project/a.py", "new_file_contents": ""}


async def test_the_tools_are_those_of_the_server(client: McpStdio) -> None:
    opened = await client.initialize()
    listed = await client.request("tools/list")

    assert opened["serverInfo"]["title"] == "Neovim"
    assert {tool["name"] for tool in listed["result"]["tools"]} == set(IDE_TOOLS)


async def test_diffs_have_the_name_of_the_agent(client: McpStdio, editor: Any) -> None:
    await client.initialize()

    await client.begin("openDiff", **OPEN_DIFF)

    await until(lambda: editor.diffs.titles == ["Otter"])


@pytest.mark.parametrize(
    "end", ["cancelled", "turn ended", "stdin closed", "killed", "endpoint closed"]
)
async def test_the_diff_of_a_call_that_is_over_is_closed(
    client: McpStdio, endpoint: AgentEndpoint, editor: Any, end: str
) -> None:
    number = await client.begin("openDiff", **OPEN_DIFF)
    await until(lambda: editor.diffs.shown)

    match end:
        case "cancelled":
            await client.send("notifications/cancelled", {"requestId": number})
        case "turn ended":
            endpoint.withdraw()
        case "stdin closed":
            assert await client.end() == (0, "")
        case "killed":
            client.process.kill()
        case _:
            await endpoint.close()

    await until(lambda: editor.diffs.closed == editor.diffs.shown)


async def test_an_agent_runs_the_code_that_the_user_has_allowed_it_until_its_turn_ends(
    editor: Any, tmp_path: Path
) -> None:
    kernel = Kernel()

    def kernels() -> Any:
        return kernel

    endpoint = AgentEndpoint(editor, Config(), lambda: model.toolset(kernels), "Otter")
    async with mcp_stdio((await endpoint.open())[1], tmp_path) as client:
        await client.initialize()
        for _ in range(2):
            endpoint.allow_code("x", "y", for_good=False)
            await client.call("execute_code", code="x")
            endpoint.allow_code("x", "y", for_good=False)
            endpoint.withdraw()
            await client.call("execute_code", code="x")
    await endpoint.close()

    assert kernel.runs == [("y", True), ("x", False)] * 2


async def test_an_endpoint_has_a_port_while_it_is_open(endpoint: AgentEndpoint) -> None:
    port = int((await endpoint.open())[1][PORT])
    assert not is_free(port)

    await endpoint.close()

    assert is_free(port)
    await endpoint.close()


async def test_an_open_endpoint_keeps_its_token_and_an_opened_again_one_has_another(
    endpoint: AgentEndpoint,
) -> None:
    command, environment = await endpoint.open()
    assert await endpoint.open() == (command, environment)
    await endpoint.close()

    again, renewed = await endpoint.open()

    assert again == command
    assert renewed[TOKEN] != environment[TOKEN]
    assert len(renewed[TOKEN]) > 80
    assert await accepts(renewed, environment[TOKEN]) == 401
    assert await accepts(renewed) == 101


async def test_only_tokens_of_open_endpoints_are_looked_for_in_the_log(
    endpoint: AgentEndpoint,
) -> None:
    tokens = []
    for _ in range(3):
        _, environment = await endpoint.open()
        _, header = await endpoint.open_http()
        tokens = [environment[TOKEN], header["Authorization"].removeprefix("Bearer ")]
        assert [without_secrets(token) for token in tokens] == [MARK, MARK]
        await endpoint.close()

        assert [without_secrets(token) for token in tokens] == tokens


async def test_a_closed_endpoint_disconnects_only_its_own_clients(
    endpoints: Callable[[str], AgentEndpoint], endpoint: AgentEndpoint, tmp_path: Path
) -> None:
    other = endpoints("Heron")
    _, mine = await endpoint.open()
    _, theirs = await other.open()
    async with mcp_stdio(mine, tmp_path) as client, mcp_stdio(theirs, tmp_path) as stranger:
        await client.initialize()
        await stranger.initialize()

        await other.close()

        assert await stranger.ended() == (1, "claude-ide: the editor has closed the connection\n")
        assert is_free(int(theirs[PORT]))
        assert await accepts({**theirs, PORT: mine[PORT]}) == 401
        await client.request("ping")


async def test_an_agent_cannot_close_the_diffs_of_another_one(
    endpoints: Callable[[str], AgentEndpoint], client: McpStdio, editor: Any, tmp_path: Path
) -> None:
    await client.begin("openDiff", **OPEN_DIFF, tab_name="t")
    await until(lambda: editor.diffs.shown)
    other = endpoints("Heron")
    async with mcp_stdio((await other.open())[1], tmp_path) as stranger:
        closed = await stranger.call("closeAllDiffTabs")
        named = await stranger.call("close_tab", tab_name="t")
    await other.close()

    assert closed["content"][0]["text"] == "CLOSED_0_DIFF_TABS"
    assert named["content"][0]["text"] == "Tab not found"
    assert not editor.diffs.closed


@pytest.mark.parametrize(
    ("headers", "path", "refusal"),
    [
        ({AUTHORIZATION: None}, TOOLS_PATH, 401),
        ({AUTHORIZATION: ""}, TOOLS_PATH, 401),
        ({"Origin": "https://example.com"}, TOOLS_PATH, 403),
        ({"Origin": "null"}, TOOLS_PATH, 403),
        ({"Host": "example.com:{port}"}, TOOLS_PATH, 403),
        ({"Sec-WebSocket-Protocol": "other"}, TOOLS_PATH, 400),
        ({}, "/", 404),
        ({}, "/mcp", 404),
    ],
)
async def test_an_endpoint_refuses_what_the_server_refuses(
    endpoint: AgentEndpoint, headers: dict[str, str | None], path: str, refusal: int
) -> None:
    _, environment = await endpoint.open()
    port = int(environment[PORT])
    filled = {name: value and value.format(port=port) for name, value in headers.items()}

    assert await status(port, handshake(port, environment[TOKEN], filled, path)) == refusal


async def test_an_endpoint_listens_on_loopback_only(endpoint: AgentEndpoint) -> None:
    await endpoint.open()

    assert endpoint._sockets is not None
    assert endpoint._sockets[0]._socket.getsockname()[0] == "127.0.0.1"


async def test_the_token_is_only_in_the_environment(
    endpoint: AgentEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    command, environment = await endpoint.open()
    await accepts(environment)
    await accepts(environment, "guessed")

    token = environment[TOKEN]
    assert token not in " ".join(command)
    assert token not in caplog.text
    assert without_secrets(f"an agent has printed {token}") == "an agent has printed [hidden]"
