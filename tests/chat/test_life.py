"""`chat/life.py`: the stages of an agent's life, and when it is restarted."""

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import NewSession
from claude_ide.agents.session_state import AgentState
from claude_ide.base.errors import UserError
from claude_ide.chat.chat_context import ChatContext, ChatPart, Phase
from claude_ide.chat.life import MOVES, Life, Move, Stage
from support.chat_parts import PocketChat
from support.neovim import until

LEADS: dict[tuple[Stage, Move], Stage] = {
    **{(stage, Move.START): Stage.STARTING for stage in Stage},
    **{(stage, Move.STOP): Stage.STOPPING for stage in Stage},
    **{(stage, Move.CLOSE): Stage.CLOSED for stage in Stage},
    **{(Stage.CLOSED, move): Stage.CLOSED for move in Move},
    (Stage.STARTING, Move.WAIT): Stage.LATE,
    (Stage.STARTING, Move.ANSWER): Stage.RUNNING,
    (Stage.STARTING, Move.FAIL): Stage.FAILED,
    (Stage.LATE, Move.ANSWER): Stage.RUNNING,
    (Stage.LATE, Move.FAIL): Stage.FAILED,
    (Stage.STOPPING, Move.KEEP): Stage.RUNNING,
    (Stage.STOPPING, Move.GIVE_UP): Stage.FAILED,
}
"""Where a move leads; elsewhere the stage stays."""


class Recorded(ChatPart):
    """Keeps the events."""

    def __init__(self, chat: ChatContext, kept: list[events.Event]) -> None:
        super().__init__(chat)
        self._kept = kept

    def apply(self, event: events.Event) -> None:
        self._kept.append(event)


class Restarts:
    """An agent that is started, the requests that wait, and what the agent has emitted."""

    def __init__(self) -> None:
        self.chat = PocketChat()
        self.agent = self.chat.agent
        self.requests: list[str] = []
        self.events: list[events.Event] = []
        context = self.chat.context
        self.life = Life(context)
        context.requests = self.requests
        context.phases = {Phase.RECORD: [Recorded(context, self.events)], Phase.FOLLOW: [self.life]}

    @property
    def starts(self) -> int:
        return sum(call[0] == "start" for call in self.agent.calls)

    async def start(self) -> "Restarts":
        self.life.start(NewSession())
        await self.life.started()
        return self

    async def after(self, event: events.Event) -> None:
        """Emit an event, and let what follows happen."""
        self.agent.emit(event)
        await until(lambda: event in self.events)


@pytest.fixture
async def restarts() -> Restarts:
    """An agent that has started and is idle."""
    return await Restarts().start()


@pytest.mark.parametrize("move", Move)
@pytest.mark.parametrize("stage", Stage)
def test_each_move_leads_from_a_stage_to_another(stage: Stage, move: Move) -> None:
    possible, next_ = MOVES[move]

    assert (next_ if stage in possible else stage) is LEADS.get((stage, move), stage)


async def test_an_idle_agent_is_restarted_immediately(restarts: Restarts) -> None:
    await restarts.life.relaunch()
    await restarts.life.started()

    assert restarts.starts == 2


async def test_a_restart_waits_for_the_end_of_the_turn(restarts: Restarts) -> None:
    restarts.agent.emit(events.Waiting())
    await restarts.life.relaunch()
    assert restarts.starts == 1

    await restarts.after(events.TurnEnded(events.TurnEndReason.COMPLETED))

    await until(lambda: restarts.starts == 2)


async def test_a_restart_waits_while_a_background_task_asks_the_user(restarts: Restarts) -> None:
    restarts.requests.append("r1")
    await restarts.life.relaunch()
    assert restarts.starts == 1

    restarts.requests.clear()
    await restarts.life.relaunch()
    await restarts.life.started()

    assert restarts.starts == 2


async def test_an_agent_is_started_no_more_after_the_chat_is_closed(restarts: Restarts) -> None:
    await restarts.life.end()
    restarts.life.start(NewSession())

    assert restarts.starts == 1
    assert restarts.life.state.state is AgentState.DEAD
    with pytest.raises(UserError, match="has ended"):
        await restarts.life.started()
