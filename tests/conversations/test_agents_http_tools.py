"""Agents that connect to the MCP server of the editor over HTTP, in the chat of a real Neovim."""

import logging
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.acp.kind import Acp
from support.chats_here import ChatsHere
from support.neovim import ROOT, Neovim, until
from support.panel import Panel

AGENT = ROOT / "tests/support/tool_using_agent.py"
OPEN = "return #require('claude_ide.diff').list()"


@pytest.fixture
async def here(nvim: Neovim, tmp_path: Path, project: Path) -> AsyncIterator[ChatsHere]:
    """Chats with an agent that uses MCP servers over HTTP."""
    cmd = [sys.executable, "-I", str(AGENT), "--http"]
    kind = Acp("otter", "Otter", cmd, {"PATH": os.environ["PATH"]}, mcp="http")
    here = await ChatsHere.start(nvim, kind, tmp_path)
    here.trust.grant(str(project))
    yield here
    for chat in here.all():
        await here.chats._close(chat)
    await here.close()


@pytest.fixture
async def panel(here: ChatsHere, nvim: Neovim) -> Panel:
    """The panel of a chat whose agent is ready."""
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    return panel


async def propose(panel: Panel, path: Path) -> None:
    """Have the agent propose a change, which opens a diff."""
    path.write_text("one\n")
    await panel.send(f'call openDiff {{"old_file_path": "{path}", "new_file_contents": "two\\n"}}')
    await until(lambda: panel.nvim.lua(OPEN), "a diff")


async def test_the_agent_calls_a_tool_of_the_editor(
    panel: Panel, here: ChatsHere, project: Path
) -> None:
    await panel.send("call getWorkspaceFolders")

    assert str(project) in await panel.shows("answer: ")
    assert not here.doors._sockets._open


async def test_a_proposal_is_accepted_with_keys(panel: Panel, nvim: Neovim, project: Path) -> None:
    await propose(panel, project / "a.txt")
    await nvim.keys("<Esc>")
    shown = "vim.tbl_filter(function(d) return d.shown end, require('claude_ide.diff').list())"
    await until(lambda: nvim.lua(f"return #{shown} == 1"), "it is shown")
    assert "Otter" in nvim.screen.text()

    await nvim.keys(":w<CR>")

    assert "answer: FILE_SAVED | two" in await panel.shows("answer: ")


@pytest.mark.parametrize("end", ["stopped", "killed", "ended"])
async def test_the_proposal_of_a_turn_that_is_over_is_closed(
    panel: Panel, here: ChatsHere, nvim: Neovim, project: Path, end: str
) -> None:
    await propose(panel, project / "a.txt")

    match end:
        case "stopped":
            await nvim.command("stopinsert | ClaudeChat stop")
        case "killed":
            here.all()[0].agent.kill()
        case _:
            await panel.end()

    async def closed() -> bool:
        return bool(await nvim.lua(OPEN) == 0)

    await until(closed, "the diff is closed")
    assert (project / "a.txt").read_text() == "one\n"


async def test_the_end_of_the_chat_frees_the_port(panel: Panel, here: ChatsHere) -> None:
    assert here.doors._web._listener is not None

    await panel.end()

    await until(lambda: here.doors._web._listener is None, "the port is free")


async def test_the_token_is_in_no_log_or_recorded_traffic(
    panel: Panel, here: ChatsHere, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (token,) = here.doors._web._open

    await panel.send("tell")
    await panel.shows("told ")

    (chat,) = here.all()
    assert "Bearer [hidden]" in chat.agent.log()
    assert token not in chat.agent.log()
    assert token not in caplog.text
