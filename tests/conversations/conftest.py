"""Chats and terminals whose CLI is a program of the test, or whose agent is not Claude."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.agents.agent import Capabilities
from support.acp.chatting import Start, begin_chat
from support.acp.script import Fake
from support.another_agent import ALL, AnotherKind
from support.chats_here import ChatsHere
from support.either_editor import Editor, configure
from support.neovim import Neovim, until
from support.panel import Open, Panel
from support.river import REPORT, Begin, River
from support.transcripts import FAKE_CLI, GOLDEN


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The file in which the CLI records what it receives."""
    return tmp_path / "received.jsonl"


@pytest.fixture
async def replay(nvim: Neovim, log: Path) -> Open:
    """Open a chat that replays a recording."""

    async def begin(name: str) -> Panel:
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        return await Panel.open(
            nvim, [sys.executable, "-I", FAKE_CLI, GOLDEN / f"{name}.jsonl"], mode="default"
        )

    return begin


@pytest.fixture
def start(nvim: Neovim) -> Start:
    """Open a chat with an agent, in a folder that the user then trusts."""

    async def start(fake: Fake) -> Panel:
        return await begin_chat(nvim, fake)

    return start


@pytest.fixture
async def path(nvim: Editor, project: Path) -> Path:
    """A file of three lines, open in the editor."""
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit {path}")
    return path


@pytest.fixture
async def program(nvim: Editor, tmp_path: Path) -> Path:
    """A program that prints its arguments and runs until it reads `quit`."""
    script = tmp_path / "claude-stand-in"
    script.write_text(
        "#!/bin/sh\n"
        # A long argument would fill the screen.
        'for word; do given="$given $(printf %.30s "$word")"; done\n'
        'echo "given:$given" "port: $CLAUDE_CODE_SSE_PORT"\n'
        'while read -r line; do [ "$line" = quit ] && exit 0; echo "read: $line"; done\n'
    )
    script.chmod(0o755)
    await configure(nvim, cmd=str(script))
    return script


@pytest.fixture
async def begin(nvim: Neovim, tmp_path: Path) -> AsyncIterator[Begin]:
    """Open a chat with an agent that has these capabilities."""
    running: list[ChatsHere] = []

    async def begin(capabilities: Capabilities = ALL, command: str = "") -> River:
        river = River(nvim, AnotherKind(capabilities))
        running.append(await ChatsHere.start(nvim, river.kind, tmp_path))
        await nvim.lua(REPORT)
        await nvim.command(f"ClaudeChat {command}")
        await until(lambda: river.kind.agents, "there is an agent")
        await river.panel.wait_until_ready()
        return river

    yield begin
    for here in running:
        await here.close()
