"""Agents that start the MCP server of the editor themselves, in the chat of a real Neovim."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import AgentEntry
from claude_ide.mcp.registration import TOKEN
from claude_ide.transport.jsonrpc import Peer
from support.chats_here import ChatsHere
from support.either_editor import choose
from support.neovim import ROOT, Neovim, until
from support.panel import Panel
from support.processes import alive, pid_in, started_with

AGENT = ROOT / "tests/support/tool_using_agent.py"


@pytest.fixture
async def here(nvim: Neovim, tmp_path: Path, project: Path) -> AsyncIterator[ChatsHere]:
    """Chats with an agent that uses MCP servers."""
    kind = Acp(
        AgentEntry("Otter", [sys.executable, "-I", str(AGENT)], "otter"),
        {"PATH": os.environ["PATH"]},
    )
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


def tokens(here: ChatsHere) -> list[str]:
    return [endpoint._sockets[1] for endpoint in here.endpoints if endpoint._sockets]


def servers(token: str) -> set[int]:
    """The processes that have this token in their environment."""
    return started_with(f"{TOKEN}={token}")


async def test_the_agent_calls_a_tool_of_the_editor(panel: Panel, project: Path) -> None:
    await panel.send("call working_folders")

    assert str(project) in await panel.shows("answer: ")


async def test_the_agent_gets_the_diagnostics_of_the_editor(
    panel: Panel, nvim: Neovim, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\n")
    await nvim.lua(
        """
        local buffer = vim.fn.bufadd(...)
        vim.fn.bufload(buffer)
        local found = { lnum = 0, col = 0, message = 'a problem', severity = 1 }
        vim.diagnostic.set(vim.api.nvim_create_namespace('test'), buffer, { found })
        """,
        str(path),
    )

    await panel.send(f'call diagnostics {{"file": "{path}"}}')

    assert "a problem" in await panel.shows("answer: ")


async def test_a_question_has_the_agents_name_and_is_answered_with_keys(
    panel: Panel, nvim: Neovim, project: Path
) -> None:
    await nvim.command("set makeprg=touch\\ made")
    await panel.send("call make")
    await until(lambda: "Otter wants to run: touch made" in nvim.screen.text(), "the question")

    await choose(nvim, 1)

    assert "answer: touch made: exit code 0" in await panel.shows("answer: ")
    assert (project / "made").exists()


async def test_stopping_the_turn_stops_the_running_tool(
    panel: Panel, nvim: Neovim, project: Path
) -> None:
    await nvim.command("set makeprg=echo\\ $$\\ >\\ pid;\\ exec\\ sleep\\ 60")
    await panel.send("call make")
    await until(lambda: "Otter wants to run: " in nvim.screen.text(), "the question")
    await choose(nvim, 1)
    pid = await pid_in(project / "pid")

    await nvim.command("stopinsert | ClaudeChat stop")

    await until(lambda: not alive(pid), "the command has ended")


async def test_a_call_that_the_agent_has_given_up_runs_nothing_after_the_turn(
    panel: Panel, here: ChatsHere, project: Path
) -> None:
    await panel.send("leave make")
    await until(lambda: "Otter wants to run: " in panel.nvim.screen.text(), "the question")
    (peer,) = _peers(here)
    assert peer._answering

    (project / "enough").touch()

    await panel.shows("given up")
    await until(lambda: not peer._answering, "the call is withdrawn")


def _peers(here: ChatsHere) -> list[Peer]:
    """The connections of the agents' servers."""
    return [
        client.peer for endpoint in here.endpoints for client in endpoint.toolbox.clients.values()
    ]


async def test_the_end_of_the_chat_ends_its_server_and_frees_the_port(
    panel: Panel, here: ChatsHere
) -> None:
    (token,) = tokens(here)
    (server,) = servers(token)

    await panel.end()

    await until(lambda: not alive(server), "the server has ended")
    await until(lambda: not tokens(here), "the port is free")


async def test_two_agents_have_different_tokens(panel: Panel, here: ChatsHere) -> None:
    await panel.nvim.command("stopinsert | tabnew | ClaudeChat new")
    await panel.wait_for_chats(2)

    first, second = tokens(here)

    assert first != second
    assert len(servers(first)) == len(servers(second)) == 1
    assert servers(first) != servers(second)
