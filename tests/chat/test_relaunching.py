"""`chat/relaunching.py`: when an agent is restarted."""

import asyncio

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import Capabilities, NewSession
from claude_ide.agents.workbench import Workbench
from claude_ide.chat.relaunching import Relaunching
from support.another_agent import AnotherAgent


class Restarts:
    """An agent, the requests that wait, and how often the agent was restarted."""

    def __init__(self) -> None:
        self.agent = AnotherAgent(Capabilities(), Workbench())
        self.requests: list[str] = []
        self.count = 0
        self.relaunching = Relaunching(
            *(self.agent, self.requests, asyncio.Lock(), asyncio.Event(), self._start)
        )

    def _start(self) -> None:
        self.count += 1


@pytest.fixture
async def restarts() -> Restarts:
    """An agent that has started and is idle."""
    idle = Restarts()
    await idle.agent.start(NewSession())
    return idle


async def test_an_idle_agent_is_restarted_immediately(restarts: Restarts) -> None:
    await restarts.relaunching.now_or_later(None)

    assert restarts.count == 1


async def test_a_restart_waits_for_the_end_of_the_turn(restarts: Restarts) -> None:
    restarts.agent.emit(events.Waiting())
    await restarts.relaunching.now_or_later(None)
    assert restarts.count == 0

    restarts.agent.emit(events.TurnEnded(events.TurnEndReason.COMPLETED))
    await restarts.relaunching.if_idle(None)

    assert restarts.count == 1


async def test_a_restart_waits_while_a_background_task_asks_the_user(restarts: Restarts) -> None:
    restarts.requests.append("r1")
    await restarts.relaunching.now_or_later(None)
    assert restarts.count == 0

    restarts.requests.clear()
    await restarts.relaunching.if_idle(None)

    assert restarts.count == 1
