"""Turns that the user ends, at each stage."""

from pathlib import Path

import pytest

from claude_ide.agents.agent import Words
from claude_ide.agents.events import (
    Dead,
    TextDelta,
    ToolEnded,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.requests import PermissionAsked, RequestWithdrawn
from claude_ide.agents.session_state import AgentState
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import AcpTalk, Begin

SAID = [acp.say("Hello")]


async def begun(begin: Begin, *steps: acp.Step) -> AcpTalk:
    """Begin a turn that waits to be cancelled, and then goes on with these steps."""
    talk = await begin(Script(prompt=[[*SAID, acp.cancelled(), *steps], SAID]))
    await talk.prompt("one")
    await talk.until(TextDelta)
    return talk


async def test_a_turn_is_cancelled(begin: Begin) -> None:
    talk = await begun(begin)

    await talk.agent.interrupt()

    assert (await talk.until(TurnEnded)).why is TurnEndReason.INTERRUPTED
    assert talk.agent.state.state is AgentState.IDLE
    assert talk.fake.received("session/cancel") == [{"sessionId": "s-1"}]


@pytest.mark.parametrize(
    "step", [acp.result({"stopReason": "end_turn"}), acp.error(-32603, "Aborted")]
)
async def test_a_cancelled_turn_may_end_otherwise(begin: Begin, step: acp.Step) -> None:
    talk = await begun(begin, step)

    await talk.agent.interrupt()

    await talk.until(TurnEnded)
    assert talk.agent.state.state is AgentState.IDLE


async def test_updates_after_a_cancelled_turn_begin_no_other(begin: Begin, tmp_path: Path) -> None:
    late = [
        acp.result({"stopReason": "cancelled"}),
        acp.until(tmp_path / "now"),
        acp.think("late"),
        acp.say("late"),
        acp.tool_update("t1", status="failed"),
        acp.tool_update("t9", status="in_progress"),
        acp.say("last"),
    ]
    talk = await begun(begin, *late)
    await talk.agent.interrupt()
    await talk.until(TurnEnded)

    (tmp_path / "now").touch()

    await talk.until(TextDelta, lambda event: event.text == "last")
    assert talk.agent.state.state is AgentState.IDLE
    assert (await talk.turn("two")).why is TurnEndReason.COMPLETED


async def test_a_request_is_answered_when_its_turn_is_cancelled(begin: Begin) -> None:
    talk = await begin(Script(prompt=[acp.permission("t1")]))
    await talk.prompt("hi")
    asked = await talk.until(PermissionAsked)

    await talk.agent.interrupt()

    assert (await talk.until(RequestWithdrawn)).request == asked.request
    await talk.until(TurnEnded)
    (answer,) = talk.fake.answers("session/request_permission")
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
    assert talk.of(ToolEnded)[0].status is ToolStatus.INTERRUPTED


async def test_a_request_after_the_cancellation_is_answered(begin: Begin) -> None:
    talk = await begun(begin, acp.permission("t1"))

    await talk.agent.interrupt()

    await talk.until(TurnEnded)
    (answer,) = talk.fake.answers("session/request_permission")
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}


async def test_a_turn_that_ignores_the_cancellation_can_be_stopped(begin: Begin) -> None:
    talk = await begun(begin, acp.silent())
    await talk.agent.interrupt()
    assert talk.agent.state.state is AgentState.STOPPING

    await talk.agent.stop()

    await talk.until(Dead)


async def test_a_redirected_turn_runs_the_new_prompt_first(begin: Begin) -> None:
    talk = await begun(begin)
    queued = await talk.prompt("later")

    redirecting = await talk.agent.redirect([Words("now")])
    await talk.until(TurnEnded, count=3)

    assert [ended.prompts for ended in talk.of(TurnEnded)[1:]] == [(redirecting,), (queued,)]
    assert talk.of(TurnEnded)[0].why is TurnEndReason.REDIRECTED
    assert [prompt["prompt"][0]["text"] for prompt in talk.fake.received("session/prompt")] == [
        *("one", "now", "later")
    ]


async def test_a_prompt_waits_for_the_end_of_the_turn(begin: Begin) -> None:
    talk = await begun(begin)
    await talk.prompt("two")
    assert len(talk.fake.received("session/prompt")) == 1

    await talk.agent.interrupt()

    await talk.until(TurnEnded, count=2)
    assert len(talk.fake.received("session/prompt")) == 2


async def test_a_prompt_that_waits_can_be_withdrawn(begin: Begin) -> None:
    talk = await begun(begin)
    second = await talk.prompt("two")

    assert await talk.agent.withdraw(second)
    assert not await talk.agent.withdraw(second)

    await talk.agent.interrupt()
    await talk.until(TurnEnded)
    assert await talk.turn("three")
    assert len(talk.fake.received("session/prompt")) == 2


async def test_an_interruption_without_a_turn_does_no_harm(begin: Begin) -> None:
    talk = await begin(Script(prompt=SAID))

    await talk.agent.interrupt()

    assert talk.agent.state.state is AgentState.IDLE
    assert (await talk.turn("hi")).why is TurnEndReason.COMPLETED
