"""Every agent that starts here: it opens a session, or its error says why not."""

import pytest

from claude_ide.agents.events import Dead
from claude_ide.base.errors import AgentError
from support.neovim import until
from support.panel import Panel
from support.processes import started_with
from support.real_agents.agent import Desk, RealAgent
from support.real_agents.chosen import each, each_locked, each_that_starts
from support.real_agents.talk import REPLY_SECONDS, RealTalk

from .conftest import StartTalk


@each_that_starts()
async def test_a_session_is_opened_or_refused_with_a_reason(
    real_agent: RealAgent, start_talk: StartTalk
) -> None:
    talk = await start_talk(starts=False)
    if real_agent.tools:
        await talk.start()
        assert talk.agent.session
    else:
        with pytest.raises(AgentError, match=real_agent.refusal):
            await talk.start()


@each_locked()
async def test_the_panel_says_how_to_log_in(panel: Panel, real_agent: RealAgent) -> None:
    assert real_agent.refusal in await panel.shows(" · L logs in")


@each()
async def test_an_agent_and_everything_that_it_has_started_end_with_the_chat(
    talk: RealTalk, desk: Desk
) -> None:
    assert started_with(str(desk.home))

    await talk.agent.stop()

    await talk.until(Dead)
    await until(lambda: not started_with(str(desk.home)), "nothing is left", REPLY_SECONDS)
