"""Programs that reach the server of a real editor over stdio, as other hosts of models do."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.mcp.registration import PORT
from claude_ide.mcp.tool import MODEL_TOOLS
from support.claude_code import the_lock
from support.either_editor import BOTH, Editor, choose, name_of, run
from support.mcp_stdio import McpStdio, mcp_stdio
from support.neovim import Neovim, until
from support.processes import alive, pid_in

pytestmark = BOTH

GONE = (1, "claude-ide: the editor has closed the connection\n")


@pytest.fixture
async def client(serving: Editor, config_folder: Path, project: Path) -> AsyncIterator[McpStdio]:
    """A program that has found the server by its own folder."""
    inside = project / "inside"
    inside.mkdir()
    async with mcp_stdio({"CLAUDE_CONFIG_DIR": str(config_folder)}, inside) as client:
        await client.initialize()
        yield client


@pytest.fixture
async def trace(serving: Editor, project: Path) -> Path:
    """The file that the user's 'makeprg' writes."""
    path = project / "trace"
    await serving.command(f"let &makeprg = 'touch {path}'")
    return path


async def ask(client: McpStdio, serving: Editor) -> int:
    """Call a tool that waits for the user, and wait until it does."""
    number = await client.begin("make")
    await until(lambda: "tester wants to run: touch" in serving.screen.text(), "the question")
    return number


async def test_a_program_in_the_project_gets_the_tools(client: McpStdio, serving: Editor) -> None:
    listed = await client.request("tools/list")

    offered = {tool["name"] for tool in listed["result"]["tools"]}
    if isinstance(serving, Neovim):
        assert offered == set(MODEL_TOOLS)
    else:
        # `tests/vim/test_tools_of_the_model.py` names those that Vim lacks.
        assert {"make", "diagnostics"} < offered < set(MODEL_TOOLS)


async def test_a_question_has_the_programs_name_and_is_answered_with_keys(
    client: McpStdio, serving: Editor, trace: Path
) -> None:
    number = await ask(client, serving)

    await choose(serving, 1)

    answer = await client.read()
    assert answer["id"] == number
    assert "exit code 0" in answer["result"]["content"][0]["text"]
    assert trace.exists()


async def test_a_cancelled_question_has_no_effect(
    client: McpStdio, serving: Editor, trace: Path
) -> None:
    number = await ask(client, serving)

    await client.send("notifications/cancelled", {"requestId": number})
    assert "error" not in await client.request("ping")
    await choose(serving, 1)

    await serving.idle(100)
    assert "result" in await client.request("tools/list")
    assert not trace.exists()


async def test_a_program_does_not_count_as_a_client(client: McpStdio, serving: Editor) -> None:
    await client.request("ping")

    assert (await run(serving, "host.server"))["clients"] == 0


async def test_the_open_request_gets_an_error_when_the_host_is_killed(
    client: McpStdio, serving: Editor, trace: Path, config_folder: Path
) -> None:
    number = await ask(client, serving)
    _, lock = await the_lock(config_folder)

    os.kill(lock["hostPid"], signal.SIGKILL)

    answer = await client.read()
    assert (answer["id"], answer["error"]["code"]) == (number, -32000)
    assert await client.ended() == GONE


async def test_stopping_the_server_ends_the_open_request_its_command_and_the_program(
    client: McpStdio, serving: Editor, trace: Path
) -> None:
    await serving.command(f"let &makeprg = 'touch {trace}; echo $$ > {trace}; exec sleep 60'")
    number = await ask(client, serving)
    await choose(serving, 1)
    command = await pid_in(trace)

    await serving.command("ClaudeStop")

    answer = await client.read()
    assert (answer["id"], answer["error"]["code"]) == (number, -32000)
    assert await client.ended() == GONE
    await until(lambda: not alive(command), "the command has ended")


async def test_a_port_in_the_environment_selects_the_server(
    serving: Editor, config_folder: Path, tmp_path: Path
) -> None:
    port, _ = await the_lock(config_folder)
    environment = {"CLAUDE_CONFIG_DIR": str(config_folder), PORT: str(port)}
    async with mcp_stdio(environment, tmp_path) as client:
        assert (await client.initialize())["serverInfo"]["title"] == name_of(serving)
