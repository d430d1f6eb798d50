"""`agents/session_state.py`: the table, its invariants, a session's way through it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents import events
from claude_ide.agents.events import Event, PromptStage
from claude_ide.agents.session_state import (
    BUSY,
    TRANSITIONS,
    SessionState,
    Signal,
    State,
    after,
    signal_of,
)

ENDED = events.TurnEnded(events.TurnEndReason.COMPLETED)
ASKED = events.PermissionAsked("r1", "t1", "Bash", {}, ())


def through(*told: Event, state: SessionState | None = None) -> SessionState:
    """The state after events, from rest unless another is given."""
    state = state or SessionState().spawned().after(events.Ready())
    for event in told:
        state = state.after(event)
    return state


def queued(prompt: str) -> Event:
    return events.PromptChanged(prompt, PromptStage.QUEUED)


def started(prompt: str) -> Event:
    return events.PromptChanged(prompt, PromptStage.STARTED)


def test_a_turn_with_a_tool_goes_through_all_its_states() -> None:
    """A turn, from left to right."""
    told: list[tuple[Event, State]] = [
        (events.Ready(), State.IDLE),
        (queued("p"), State.QUEUED),
        (started("p"), State.WAITING),
        (events.Waiting(), State.WAITING),
        (events.ThinkingDelta("m:0", "x"), State.THINKING),
        (events.TextDelta("m:1", "x"), State.WRITING),
        (events.ToolStarted("t1", "Edit"), State.TOOL_INPUT),
        (events.ToolInput("t1", 7), State.TOOL_INPUT),
        (events.ToolInput("t1", 9, {}), State.TOOLS),
        (ASKED, State.TOOLS),
        (events.ToolEnded("t1", events.ToolStatus.COMPLETED), State.TOOLS),
        (events.Waiting(), State.WAITING),
        (events.Retry(1, 3, 0.5, "rate_limit"), State.RETRYING),
        (events.Waiting(), State.WAITING),
        (events.Compacting(), State.COMPACTING),
        (events.Compacted(), State.WAITING),
        (events.Stopping(), State.STOPPING),
        (events.TextDelta("m:1", "late"), State.STOPPING),
        (ENDED, State.IDLE),
        (events.Dead(0), State.DEAD),
    ]
    state = SessionState().spawned()
    assert state.state is State.STARTING

    for event, expected in told:
        state = state.after(event)
        assert state.state is expected, event


@pytest.mark.parametrize("state", [s for s in State if s not in {State.OFF, State.DEAD}])
def test_the_end_of_a_turn_is_rest_whatever_was_lost(state: State) -> None:
    assert after(state, Signal.TURN_ENDED) is State.IDLE


@pytest.mark.parametrize("state", State)
def test_death_can_come_at_any_time(state: State) -> None:
    assert after(state, Signal.DIED) is State.DEAD


@pytest.mark.parametrize("signal", [s for s in Signal if s not in {Signal.SPAWNED, Signal.DIED}])
def test_the_dead_say_nothing(signal: Signal) -> None:
    assert after(State.DEAD, signal) is State.DEAD


def test_the_table_knows_every_signal() -> None:
    assert set(TRANSITIONS) == set(Signal)


def test_every_state_can_be_reached_and_can_be_left() -> None:
    reached = {State.OFF} | {to for row in TRANSITIONS.values() for to in row.values()}
    left = {state for row in TRANSITIONS.values() for state in row}

    assert reached == left == set(State)


def test_a_death_can_be_followed_by_another_start() -> None:
    assert through(ASKED, events.Dead(1)).spawned() == SessionState(State.STARTING)


def test_a_dead_agent_asks_nothing_and_has_nothing_in_line() -> None:
    state = through(queued("a"), ASKED, events.Dead(-9))

    assert state == SessionState(State.DEAD)


def test_stopping_at_rest_changes_nothing() -> None:
    assert through(events.Stopping()).state is State.IDLE


def test_what_waits_in_line_begins_when_a_turn_ends() -> None:
    state = through(queued("a"), started("a"), queued("b"), ENDED)

    assert state.state is State.WAITING
    assert state.queued == ("b",)
    assert through(started("b"), ENDED, state=state) == SessionState(State.IDLE)


def test_a_prompt_that_was_withdrawn_does_not_wait_in_line() -> None:
    cancelled = events.PromptChanged("b", PromptStage.CANCELLED)

    state = through(queued("a"), started("a"), queued("b"), cancelled, ENDED)

    assert state == SessionState(State.IDLE)


def test_a_prompt_in_line_does_not_change_what_is_shown_of_the_turn() -> None:
    assert through(events.TextDelta("m:0", "x"), queued("b")).state is State.WRITING


def test_requests_overlap_and_end_by_an_answer_or_by_being_withdrawn() -> None:
    other = events.QuestionAsked("r2", "t2", ())
    state = through(events.Waiting(), ASKED, other)
    assert state.asking == ("r1", "r2")

    assert state.answered("r1").asking == ("r2",)
    assert state.after(events.RequestWithdrawn("r2")).asking == ("r1",)


def test_a_request_of_a_task_in_the_background_outlives_the_turn() -> None:
    assert through(events.Waiting(), ASKED, ENDED).asking == ("r1",)


def test_a_turn_can_begin_by_itself() -> None:
    """A task in the background has ended, and the model is told."""
    assert through(events.Waiting()).state is State.WAITING


def test_what_a_subagent_says_is_not_what_the_session_does() -> None:
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
    events.RequestWithdrawn("r1"),
    events.Retry(1, 2, 1.0, ""),
    events.Compacting(),
    events.Compacted(),
    events.Stopping(),
    events.Notice("x"),
    ENDED,
    events.Dead(0),
]


@given(st.lists(st.sampled_from(SOME_EVENTS)))
def test_after_any_events_a_turn_that_ends_leaves_nothing_to_stop(told: list[Event]) -> None:
    """Unless something waits in line."""
    state = through(*told, events.PromptChanged("a", PromptStage.CANCELLED), ENDED)

    assert state.state not in BUSY
    assert not state.busy
