"""The model's tools through the official MCP SDK's client, which starts `mcp/stdio.py`."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.mcp.tool import IDE_TOOLS, MODEL_TOOLS, Toolset
from support.mcp_stdio import STDIO
from support.neovim import ROOT, WAIT_SECONDS, Neovim
from support.recorded_diffs import Editor
from support.tool_calls import calls

SDK = ROOT / ".cache/sdk/env/bin/python"
CLIENT = ROOT / "tests/support/sdk_client.py"
HTTP_CLIENT = ROOT / "tests/support/sdk_http_client.py"


@pytest.fixture
def sdk() -> Path:
    """A Python with the SDK."""
    if not os.access(SDK, os.X_OK):
        pytest.skip("the MCP SDK is not installed (make mcp-sdk)")
    return SDK


async def converse(sdk: Path, cwd: Path, config: Path, *asked: tuple[str, Any]) -> dict[str, Any]:
    """Call tools with the SDK; return what it makes of the answers."""
    process = await asyncio.create_subprocess_exec(
        *(sdk, "-I", CLIENT, sys.executable, "-I", STDIO),
        cwd=cwd,
        env={"CLAUDE_CONFIG_DIR": str(config), "PATH": "/usr/bin:/bin"},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    talked = process.communicate(json.dumps(asked).encode())
    printed, complaints = await asyncio.wait_for(talked, WAIT_SECONDS)
    assert process.returncode == 0, complaints.decode()
    told: dict[str, Any] = json.loads(printed)
    return told


async def test_the_sdk_accepts_the_tools_and_every_answer(
    serving: Neovim, sdk: Path, config_folder: Path, project: Path
) -> None:
    path = project / "a.lua"
    path.write_text("local one = 1\nprint(one)\n")
    await serving.command("edit a.lua")
    asked = {name: each for name, each in calls(path).items() if not MODEL_TOOLS[name].asks_user}

    told = await converse(sdk, project, config_folder, *asked.items())

    assert told["initialize"]["serverInfo"]["title"] == "Neovim"
    assert told["initialize"]["capabilities"]["tools"]["listChanged"]
    assert "Prefer them to a text search" in told["initialize"]["instructions"]
    listed = {tool["name"]: tool for tool in told["tools"]}
    assert {*listed} == {*MODEL_TOOLS}
    assert listed["references"]["annotations"]["readOnlyHint"]
    assert not listed["save_file"]["annotations"]["readOnlyHint"]
    results = dict(zip(asked, told["results"], strict=True))
    assert "local one = 1" in results["buffer_text"]["content"][0]["text"]
    assert not results["outline"].get("isError")
    assert results["references"]["isError"]
    assert "no language server answers" in results["references"]["content"][0]["text"]


async def test_the_sdk_hears_of_other_tools_over_http(sdk: Path) -> None:
    editor: Any = Editor()
    tools = Toolset(IDE_TOOLS)
    endpoint = AgentEndpoint(editor, Config(), lambda: tools, "Otter")
    url, headers = await endpoint.open_http()
    process = await asyncio.create_subprocess_exec(
        *(sdk, "-I", HTTP_CLIENT, url, json.dumps(dict(headers))), stdout=PIPE
    )
    assert process.stdout
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            assert "openFile" in json.loads(await process.stdout.readline())
            del tools["openFile"]
            assert "openFile" not in json.loads(await process.stdout.readline())
    finally:
        process.kill()
        await process.communicate()
        await endpoint.close()
