"""Programs that reach the server of a real Neovim over stdio, as other hosts of models do."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.mcp.address import PORT
from claude_ide.mcp.tool import MODEL_TOOLS
from claude_ide.transport.handshake import TOOLS_PATH
from support.claude_code import the_lock
from support.handshake import handshake, status
from support.mcp_stdio import McpStdio, mcp_stdio
from support.neovim import Neovim, until

SHOWN = "return #vim.tbl_filter(function(d) return d.shown end, require('claude_ide.diff').list())"
CLIENTS = "return require('claude_ide.host').server().clients"
GONE = (1, "claude-ide: Neovim has closed the connection\n")


@pytest.fixture
async def client(serving: Neovim, config_folder: Path, project: Path) -> AsyncIterator[McpStdio]:
    """A program that has found the server by its own folder."""
    inside = project / "inside"
    inside.mkdir()
    async with mcp_stdio({"CLAUDE_CONFIG_DIR": str(config_folder)}, inside) as client:
        await client.initialize()
        yield client


async def propose(client: McpStdio, serving: Neovim, path: Path, text: str) -> int:
    """Open a diff, and wait until it accepts keys."""
    number = await client.begin("openDiff", old_file_path=str(path), new_file_contents=text)
    await until(lambda: serving.lua(f"{SHOWN}"), "a diff")
    return number


async def test_a_program_in_the_project_gets_the_tools(client: McpStdio) -> None:
    listed = await client.request("tools/list")

    assert {tool["name"] for tool in listed["result"]["tools"]} == set(MODEL_TOOLS)


async def test_a_proposal_has_the_programs_name_and_is_accepted_with_keys(
    client: McpStdio, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    number = await propose(client, serving, path, "two\n")
    assert "tester" in serving.screen.text()

    await serving.keys(":w<CR>")

    answer = await client.read()
    assert answer["id"] == number
    assert [each["text"] for each in answer["result"]["content"]] == ["FILE_SAVED", "two\n"]


async def test_a_cancelled_proposal_disappears(
    client: McpStdio, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    number = await propose(client, serving, path, "two\n")

    await client.send("notifications/cancelled", {"requestId": number})

    async def gone() -> bool:
        return bool(await serving.lua(SHOWN) == 0)

    await until(gone, "the diff is closed")
    assert "error" not in await client.request("ping")


async def test_a_long_text_arrives_in_both_directions(
    client: McpStdio, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    text = "ä long line\n" * 100_000
    await propose(client, serving, path, text)

    await serving.keys(":w<CR>")

    answer = await client.read()
    assert [each["text"] for each in answer["result"]["content"]] == ["FILE_SAVED", text]


async def test_a_program_does_not_count_as_a_client(client: McpStdio, serving: Neovim) -> None:
    await client.request("ping")

    assert await serving.lua(CLIENTS) == 0


async def test_garbage_is_answered_and_harms_nothing(client: McpStdio) -> None:
    for line in (b"no JSON", b"\xff\xfe", b"[]", b"1", b'{"jsonrpc": "2.0", "id": {}}'):
        await client.write(line)
        answer = await client.read()
        assert answer["id"] is None
        assert answer["error"]["code"] in (-32700, -32600)

    assert "error" not in await client.request("ping")


async def test_the_open_request_gets_an_error_when_the_host_is_killed(
    client: McpStdio, serving: Neovim, project: Path, config_folder: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    number = await propose(client, serving, path, "two\n")
    _, lock = await the_lock(config_folder)

    os.kill(lock["hostPid"], signal.SIGKILL)

    answer = await client.read()
    assert (answer["id"], answer["error"]["code"]) == (number, -32000)
    assert await client.ended() == GONE


async def test_stopping_the_server_rejects_the_proposal_and_ends_the_program(
    client: McpStdio, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    await propose(client, serving, path, "two\n")

    await serving.command("ClaudeStop")

    answer = await client.read()
    assert answer["result"]["content"][0]["text"] == "DIFF_REJECTED"
    assert await client.ended() == GONE


async def test_a_port_in_the_environment_selects_the_server(
    serving: Neovim, config_folder: Path, tmp_path: Path
) -> None:
    port, _ = await the_lock(config_folder)
    environment = {"CLAUDE_CONFIG_DIR": str(config_folder), PORT: str(port)}
    async with mcp_stdio(environment, tmp_path) as client:
        assert (await client.initialize())["serverInfo"]["title"] == "Neovim"


async def test_the_path_of_the_tools_has_the_checks_of_the_others(
    serving: Neovim, config_folder: Path
) -> None:
    port, lock = await the_lock(config_folder)
    token = lock["authToken"]

    async def answered(token: str, **headers: str) -> int:
        return await status(port, handshake(port, token, headers, TOOLS_PATH))

    assert await answered(token) == 101
    assert await answered("guessed") == 401
    assert await answered("") == 401
    assert await answered(token, Origin="https://example.com") == 403
    assert await answered(token, Host="example.com") == 403
