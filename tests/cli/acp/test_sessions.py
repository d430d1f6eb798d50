"""Sessions of real agents: loaded with their history, and after their process was killed."""

from claude_ide.agents.agent import ResumeSession
from claude_ide.agents.events import Dead, Event, Text, TextDelta, TurnEndReason, UserMessage
from support.fake_api import text
from support.real_agents.agent import Desk
from support.real_agents.chosen import each
from support.real_agents.model import Model
from support.real_agents.talk import RealTalk, can_be_loaded, is_stored

from .conftest import StartTalk


def prompts(history: list[Event]) -> str:
    return "\n".join(event.text for event in history if isinstance(event, UserMessage))


def answers(history: list[Event]) -> str:
    return "\n".join(event.text for event in history if isinstance(event, Text))


@each("repeats")
async def test_a_session_is_loaded_with_its_history(
    start_talk: StartTalk, talk: RealTalk, model: Model, desk: Desk
) -> None:
    model.script([text("The first answer.")], [text("The second answer.")])
    await talk.answered_turn("the first question")
    session = talk.agent.session
    await is_stored(talk.real, desk, "The first answer.")
    await talk.end()
    await can_be_loaded(talk.real)

    loaded = await start_talk(starts=False)
    history = await loaded.agent.history(session)
    await loaded.start(ResumeSession(session))
    await loaded.answered_turn("the second question")

    assert "the first question" in prompts(history)
    assert "The first answer." in answers(history)
    assert "The first answer." not in loaded.said
    assert loaded.agent.session == session
    assert model.heard("the first question")


@each()
async def test_a_session_goes_on_after_its_agent_was_killed(talk: RealTalk, model: Model) -> None:
    model.script([text("The first answer.")], [text("A long answer.")])
    await talk.answered_turn("the first question")
    model.hold = True
    await talk.prompt("the second question")
    await talk.until(TextDelta, lambda event: "long" in event.text or "A l" in event.text)

    talk.agent.kill()
    dead = await talk.until(Dead)
    await can_be_loaded(talk.real)
    model.hold = False
    model.script([text("The third answer.")])
    await talk.start(ResumeSession(dead.session))
    ended = await talk.answered_turn("the third question")

    assert dead.session == talk.agent.session
    assert ended.why is TurnEndReason.COMPLETED
    assert model.heard("the first question")


@each("logs_out")
async def test_the_user_logs_out_and_the_agent_can_still_be_started(talk: RealTalk) -> None:
    assert talk.agent.capabilities.logout

    await talk.agent.log_out()
    await talk.end()

    await talk.start()
    assert talk.agent.session
