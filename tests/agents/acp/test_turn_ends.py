"""The end of a turn: by the answer to its prompt, or by the state that the agent reports."""

import pytest

from claude_ide.agents.acp.prompting import TurnEnds
from claude_ide.agents.events import Dead, TextDelta, TurnEnded, TurnEndReason
from claude_ide.agents.session_state import AgentState
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin

RUNS = acp.update("state_update", state="running")
ACCEPTED = [RUNS, acp.result({})]


def idle(**why: str) -> acp.Step:
    return acp.update("state_update", state="idle", **why)


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ({"stopReason": "end_turn"}, TurnEndReason.COMPLETED),
        ({"stopReason": "refusal"}, TurnEndReason.REFUSED),
        ({}, TurnEndReason.COMPLETED),
    ],
)
async def test_an_agent_that_only_accepts_the_prompt_reports_the_end(
    begin: Begin, why: dict[str, str], expected: TurnEndReason
) -> None:
    talk = await begin(Script(prompt=[*ACCEPTED, acp.say("Hello"), idle(**why)]))

    assert (await talk.turn("hi")).why is expected
    assert talk.said == "Hello"
    assert (await talk.turn("again")).why is expected
    assert talk.said == "HelloHello"
    assert talk.agent.state.state is AgentState.IDLE


async def test_a_turn_that_waits_for_the_user_has_not_ended(begin: Begin) -> None:
    waits = acp.update("state_update", state="requires_action")
    ends = idle(stopReason="max_tokens")
    talk = await begin(Script(prompt=[*ACCEPTED, waits, acp.say("Well"), RUNS, ends]))

    assert (await talk.turn("hi")).why is TurnEndReason.ANSWER_TOO_LONG
    assert talk.said == "Well"


async def test_such_a_turn_can_be_interrupted(begin: Begin) -> None:
    ends = [acp.say("Hello"), acp.cancelled(), idle(stopReason="cancelled")]
    talk = await begin(Script(prompt=[*ACCEPTED, *ends]))
    await talk.prompt("hi")
    await talk.until(TextDelta)

    await talk.agent.interrupt()

    assert (await talk.until(TurnEnded)).why is TurnEndReason.INTERRUPTED


async def test_an_agent_that_dies_in_such_a_turn_is_dead(begin: Begin) -> None:
    talk = await begin(Script(prompt=[*ACCEPTED, acp.say("Hello"), acp.exit_(3)]))
    await talk.prompt("hi")

    assert (await talk.until(Dead)).code == 3
    assert not talk.of(TurnEnded)


async def test_an_answer_with_a_reason_ends_the_turn_whatever_the_state(begin: Begin) -> None:
    talk = await begin(Script(prompt=[RUNS, acp.result({"stopReason": "refusal"})]))

    assert (await talk.turn("hi")).why is TurnEndReason.REFUSED


async def test_the_answer_of_an_agent_of_version_2_ends_no_turn() -> None:
    ends = TurnEnds(2)

    async def answer() -> dict[str, str]:
        # What the agent has done by itself ends, and then the turn.
        ends.follow({"sessionUpdate": "state_update", "state": "idle"})
        ends.follow({"sessionUpdate": "state_update", "state": "running"})
        ends.follow({"sessionUpdate": "state_update", "state": "idle", "stopReason": "refusal"})
        return {}

    end = await ends.of(answer(), lambda: False)
    assert end is not None
    assert end.why is TurnEndReason.REFUSED
