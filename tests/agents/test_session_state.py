"""`agents/session_state.py`: the table, its invariants, the states of a session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents import events
from claude_ide.agents.events import Event, PromptStage
from claude_ide.agents.requests import PermissionAsked, RequestWithdrawn
from claude_ide.agents.session_state import BUSY, AgentState, SessionState, Signal, signal_of

ENDED = events.TurnEnded(events.TurnEndReason.COMPLETED)
ASKED = PermissionAsked("r1", "t1", "Bash", {}, ())


def through(*happened: Event, state: SessionState | None = None) -> SessionState:
    """Return the state after events, from idle unless another state is given."""
    state = state or SessionState().spawned().after(events.Ready())
    for event in happened:
        state = state.after(event)
    return state


def queued(prompt: str) -> Event:
    return events.PromptChanged(prompt, PromptStage.QUEUED)


def started(prompt: str) -> Event:
    return events.PromptChanged(prompt, PromptStage.STARTED)


def test_a_turn_with_a_tool_goes_through_all_its_states() -> None:
    """A turn, from left to right."""
    happened: list[tuple[Event, AgentState]] = [
        (events.Ready(), AgentState.IDLE),
        (queued("p"), AgentState.QUEUED),
        (started("p"), AgentState.WAITING),
        (events.Waiting(), AgentState.WAITING),
        (events.ThinkingDelta("m:0", "x"), AgentState.THINKING),
        (events.TextDelta("m:1", "x"), AgentState.WRITING),
        (events.ToolStarted("t1", "Edit"), AgentState.TOOL_INPUT),
        (events.ToolInput("t1", 7), AgentState.TOOL_INPUT),
        (events.ToolInput("t1", 9, {}), AgentState.TOOLS),
        (ASKED, AgentState.TOOLS),
        (events.ToolEnded("t1", events.ToolStatus.COMPLETED), AgentState.TOOLS),
        (events.Waiting(), AgentState.WAITING),
        (events.Retry(1, 3, 0.5, "rate_limit"), AgentState.RETRYING),
        (events.Waiting(), AgentState.WAITING),
        (events.Compacting(), AgentState.COMPACTING),
        (events.Compacted(), AgentState.WAITING),
        (events.Stopping(), AgentState.STOPPING),
        (events.TextDelta("m:1", "late"), AgentState.STOPPING),
        (ENDED, AgentState.IDLE),
        (events.Dead(0), AgentState.DEAD),
    ]
    state = SessionState().spawned()
    assert state.state is AgentState.STARTING

    for event, expected in happened:
        state = state.after(event)
        assert state.state is expected, event


@pytest.mark.parametrize(
    "state", [s for s in AgentState if s not in {AgentState.OFF, AgentState.DEAD}]
)
def test_every_turn_that_ends_leads_to_idle(state: AgentState) -> None:
    assert Signal.TURN_ENDED.after(state) is AgentState.IDLE


@pytest.mark.parametrize("state", AgentState)
def test_an_agent_can_die_in_any_state(state: AgentState) -> None:
    assert Signal.DIED.after(state) is AgentState.DEAD


@pytest.mark.parametrize("signal", [s for s in Signal if s not in {Signal.SPAWNED, Signal.DIED}])
def test_a_dead_agent_ignores_signals(signal: Signal) -> None:
    assert signal.after(AgentState.DEAD) is AgentState.DEAD


def test_every_state_can_be_reached_and_can_be_left() -> None:
    reached = {AgentState.OFF} | {following for _, following in (each.value for each in Signal)}
    departed = set().union(*(changed for changed, _ in (each.value for each in Signal)))

    assert reached == departed == set(AgentState)


def test_a_dead_agent_can_be_restarted() -> None:
    assert through(ASKED, events.Dead(1)).spawned() == SessionState(AgentState.STARTING)


def test_a_dead_agent_has_no_requests_and_no_queued_prompts() -> None:
    state = through(queued("a"), ASKED, events.Dead(-9))

    assert state == SessionState(AgentState.DEAD)


def test_stopping_an_idle_agent_changes_nothing() -> None:
    assert through(events.Stopping()).state is AgentState.IDLE


def test_a_queued_prompt_starts_when_a_turn_ends() -> None:
    state = through(queued("a"), started("a"), queued("b"), ENDED)

    assert state.state is AgentState.WAITING
    assert state.queued == ("b",)
    assert through(started("b"), ENDED, state=state) == SessionState(AgentState.IDLE)


def test_a_withdrawn_prompt_leaves_the_queue() -> None:
    cancelled = events.PromptChanged("b", PromptStage.CANCELLED)

    state = through(queued("a"), started("a"), queued("b"), cancelled, ENDED)

    assert state == SessionState(AgentState.IDLE)


def test_the_withdrawal_of_the_only_prompt_leads_to_idle() -> None:
    state = through(queued("p"), queued("q"))

    state = through(events.PromptChanged("p", PromptStage.CANCELLED), state=state)
    assert state.state is AgentState.QUEUED
    state = through(events.PromptChanged("q", PromptStage.CANCELLED), state=state)

    assert state == SessionState(AgentState.IDLE)


def test_a_queued_prompt_does_not_change_the_state_of_a_running_turn() -> None:
    assert through(events.TextDelta("m:0", "x"), queued("b")).state is AgentState.WRITING


def test_a_turn_can_begin_without_a_prompt() -> None:
    """For example, the model receives the end of a background task."""
    assert through(events.Waiting()).state is AgentState.WAITING


def test_events_of_a_subagent_do_not_change_the_state() -> None:
    assert signal_of(events.TextDelta("m:0", "x", parent="t1")) is None
    assert signal_of(events.TextDelta("m:0", "x")) is Signal.WRITING


SOME_EVENTS: list[Event] = [
    events.Ready(),
    queued("a"),
    started("a"),
    events.Waiting(),
    events.TextDelta("m:0", "x"),
    events.ThinkingTokens(3),
    events.ToolInput("t", 1, {}),
    ASKED,
    RequestWithdrawn("r1"),
    events.Retry(1, 2, 1.0, ""),
    events.Compacting(),
    events.Compacted(),
    events.Stopping(),
    events.Notice("x"),
    ENDED,
    events.Dead(0),
]


@given(st.lists(st.sampled_from(SOME_EVENTS)))
def test_after_any_events_the_end_of_a_turn_leaves_nothing_to_stop(happened: list[Event]) -> None:
    """The one exception is a queued prompt."""
    state = through(*happened, events.PromptChanged("a", PromptStage.CANCELLED), ENDED)

    assert state.state not in BUSY
    assert not state.busy
