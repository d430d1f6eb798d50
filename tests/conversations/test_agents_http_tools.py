"""Agents that connect to the MCP server of the editor over HTTP, in the chat of a real Neovim."""

import logging
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry
from support.chats_here import ChatsHere
from support.either_editor import choose
from support.neovim import ROOT, Neovim, until
from support.panel import Panel
from support.processes import alive, pid_in

AGENT = ROOT / "tests/support/tool_using_agent.py"


@pytest.fixture
async def here(nvim: Neovim, tmp_path: Path, project: Path) -> AsyncIterator[ChatsHere]:
    """Chats with an agent that uses MCP servers over HTTP."""
    cmd = [sys.executable, "-I", str(AGENT), "--http"]
    kind = Acp(AgentEntry("Otter", cmd, "otter", mcp="http"), {"PATH": os.environ["PATH"]})
    here = await ChatsHere.start(nvim, kind, tmp_path)
    here.trust.grant(str(project))
    yield here
    await here.end()


@pytest.fixture
async def panel(here: ChatsHere, nvim: Neovim) -> Panel:
    """The panel of a chat whose agent is ready."""
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    return panel


async def run(panel: Panel, command: str) -> None:
    """Have the agent run the user's 'makeprg', and agree to it."""
    await panel.nvim.lua("vim.o.makeprg = ...", command)
    await panel.send("call make")
    await until(lambda: "Otter wants to run: " in panel.nvim.screen.text(), "the question")
    await choose(panel.nvim, 1)


async def test_the_agent_calls_a_tool_of_the_editor(
    panel: Panel, here: ChatsHere, project: Path
) -> None:
    await panel.send("call working_folders")

    assert str(project) in await panel.shows("answer: ")
    assert not any(endpoint._sockets for endpoint in here.endpoints)


async def test_a_question_is_answered_with_keys(panel: Panel, project: Path) -> None:
    await run(panel, "touch made")

    assert "answer: touch made: exit code 0" in await panel.shows("answer: ")
    assert (project / "made").exists()


@pytest.mark.parametrize("end", ["stopped", "killed", "ended"])
async def test_the_tool_of_a_turn_that_is_over_is_stopped(
    panel: Panel, here: ChatsHere, nvim: Neovim, project: Path, end: str
) -> None:
    await run(panel, "echo $$ > pid; exec sleep 60")
    pid = await pid_in(project / "pid")

    match end:
        case "stopped":
            await nvim.command("stopinsert | ClaudeChat stop")
        case "killed":
            here.all()[0].agent.kill()
        case _:
            await panel.end()

    await until(lambda: not alive(pid), "the command has ended")


async def test_the_end_of_the_chat_frees_the_port(panel: Panel, here: ChatsHere) -> None:
    (endpoint,) = here.endpoints
    assert endpoint._web is not None

    await panel.end()

    await until(lambda: endpoint._web is None, "the port is free")


async def test_the_token_is_in_no_log_or_recorded_traffic(
    panel: Panel, here: ChatsHere, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (token,) = (endpoint._web[1] for endpoint in here.endpoints if endpoint._web)

    await panel.send("tell")
    await panel.shows("told ")

    (chat,) = here.all()
    assert "[hidden]" in chat.agent.log()
    assert token not in chat.agent.log()
    assert token not in caplog.text
