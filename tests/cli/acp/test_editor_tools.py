"""Real agents connect to the editor's MCP server, and their models use its tools."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.editor_services import EditorServices, McpAddress, McpCommand
from claude_ide.agents.requests import PermissionAsked
from claude_ide.base.names import EXECUTE_CODE
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.mcp import model
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from support import chats_here
from support.fake_api import text, tool_use
from support.neovim import Neovim, until
from support.processes import alive, started_with
from support.real_agents.agent import Desk, RealAgent
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.talk import REPLY_SECONDS, RealTalk
from support.recorded_kernel import Kernel

TOOL = "working_folders"
CODE = "print(6 * 7)"
MENTIONED = re.compile(rf"\w+__{TOOL}")
"""A tool that the agent describes to its model instead of listing it."""


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


@pytest.fixture
async def talk(
    real_agent: RealAgent, desk: Desk, nvim: Neovim, kernel: Kernel
) -> AsyncIterator[RealTalk]:
    """An agent with the tools of a real Neovim."""

    def kernels() -> Any:
        return kernel

    editor = Editor(chats_here.TestedNeovim(nvim))

    def receive(_name: str, arguments: list[Any]) -> None:
        editor.events.dispatch(*arguments)

    nvim.notifications = chats_here.Notifications(receive)
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    endpoint = AgentEndpoint(editor, Config(), lambda: model.toolset(kernels), real_agent.name)

    async def commands() -> tuple[McpCommand, ...]:
        return (McpCommand("neovim", *await endpoint.open()),)

    async def addresses() -> tuple[McpAddress, ...]:
        return (McpAddress("neovim", *await endpoint.open_http()),)

    bench = EditorServices(
        mcp_commands=commands, mcp_addresses=addresses, allow_code=endpoint.allow_code
    )
    talk = RealTalk(real_agent, desk, bench)
    await talk.start()
    yield talk
    await talk.close()
    await endpoint.close()


async def offered(talk: RealTalk, model: Model) -> str:
    """Return the name by which the agent offers a tool to its model, as soon as it does."""
    async with asyncio.timeout(REPLY_SECONDS):
        while True:
            model.script([text("Which tools?")])
            await talk.answered_turn("which tools do you have?")
            body = model.requests[-1].body
            listed = [name for name in _names(body["tools"]) if TOOL in name]
            if names := listed or MENTIONED.findall(json.dumps(body)):
                return names[0]


def _names(tools: list[dict[str, Any]], namespace: str = "") -> Iterator[str]:
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from _names(tool["tools"], f"{tool['name']}/")
        else:
            yield from _names(tool.get("functionDeclarations", []))
            yield namespace + str({**tool, **tool.get("function", {})}.get("name", ""))


@each("shows_servers")
async def test_the_model_uses_a_tool_of_the_editor(
    talk: RealTalk, model: Model, project: Path
) -> None:
    name = await offered(talk, model)
    model.script([tool_use(name)], [text("Seen.")])

    await talk.answered_turn("which folders are open?")

    assert "Seen." in talk.said
    assert model.heard(str(project))


@each("shows_servers")
async def test_code_that_the_agent_has_asked_about_runs_without_another_question(
    talk: RealTalk, model: Model, kernel: Kernel
) -> None:
    name = (await offered(talk, model)).replace(TOOL, EXECUTE_CODE)
    model.script([tool_use(name, code=CODE)], [text("Seen.")])

    await talk.answered_turn("run it")

    assert "Seen." in talk.said
    assert kernel.runs == [(CODE, bool(talk.of(PermissionAsked)))]


@each("starts_servers")
async def test_the_servers_process_ends_with_the_agent(
    talk: RealTalk, model: Model, desk: Desk
) -> None:
    await offered(talk, model)
    found = started_with("mcp/stdio.py")
    mine = {pid for pid in found if Path(f"/proc/{pid}/cwd").resolve() == desk.project}
    assert mine

    await talk.close()

    await until(lambda: not any(map(alive, mine)), "the server has ended", REPLY_SECONDS)
