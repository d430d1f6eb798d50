"""Real agents at a desk of their own, with a stand-in for their models."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from claude_ide.agents.agent import Opening
from support.neovim import Neovim
from support.panel import CONFIGURE, Panel
from support.real_agents.agent import Desk, RealAgent, Tools
from support.real_agents.chosen import required
from support.real_agents.model import Model
from support.real_agents.start import command, environment
from support.real_agents.talk import REPLY_SECONDS, RealTalk

StartTalk = Callable[..., Awaitable[RealTalk]]


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    """The stand-in for the agent's model."""
    async with Model.serve() as model:
        yield model


@pytest.fixture
def desk(real_agent: RealAgent, model: Model, project: Path, tmp_path: Path) -> Desk:
    """The surroundings of the agent; without the agent the test is skipped."""
    required(real_agent)
    (tmp_path / "agent").mkdir()
    return Desk(tmp_path / "agent", project, model.url)


@pytest.fixture
def path(project: Path) -> Path:
    """A file of two lines."""
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    return file


@pytest.fixture
def tools(real_agent: RealAgent) -> Tools:
    """The agent's tools."""
    assert real_agent.tools
    return real_agent.tools


@pytest.fixture
async def start_talk(real_agent: RealAgent, desk: Desk) -> AsyncIterator[StartTalk]:
    """Start the agent; it ends with the test."""
    talks: list[RealTalk] = []

    async def start(opening: Opening | None = None, *, starts: bool = True) -> RealTalk:
        talk = RealTalk(real_agent, desk)
        talks.append(talk)
        if starts:
            await talk.start(opening)
        return talk

    yield start
    for talk in talks:
        await talk.close()


@pytest.fixture
async def talk(start_talk: StartTalk) -> RealTalk:
    """An agent that waits for its first prompt."""
    return await start_talk()


@pytest.fixture
async def panel(
    nvim: Neovim, real_agent: RealAgent, desk: Desk, config_folder: Path, path: Path
) -> Panel:
    """A chat with the agent, next to the file at `path`, in a trusted folder."""
    assert config_folder.exists()
    settings = {"env": environment(real_agent, desk), "cmd": list(command(real_agent))}
    chat = {"agent": real_agent.name}
    await nvim.lua(CONFIGURE, {"agents": {real_agent.name: settings}, "chat": chat})
    await nvim.command(f"edit {path} | ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready(REPLY_SECONDS)
    if real_agent.habits.mode:
        await nvim.command(f"ClaudeChat mode {real_agent.habits.mode}")
    return panel
