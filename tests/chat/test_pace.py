"""The pace of a turn."""

import pytest

from claude_ide.agents.events import (
    Event,
    TextDelta,
    ThinkingTokens,
    ToolInput,
    TurnEnded,
    TurnEndReason,
    Usage,
)
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.chat.bar import Bar, Pace
from support.frames import Clock

WRITING = SessionState(AgentState.WRITING)
IDLE = SessionState(AgentState.IDLE)


class Turn:
    """A turn that has begun, and its clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pace = Pace(clock=self.clock)
        self.words()

    def words(self, state: SessionState = WRITING, waiting: int = 0) -> str:
        return " · ".join(self.pace.words(state, waiting))

    def after(self, seconds: float, *happened: Event) -> "Turn":
        self.clock.seconds += seconds
        for event in happened:
            self.pace.apply(event)
        return self


def test_a_turn_shows_its_seconds_from_the_first_one_on() -> None:
    turn = Turn()

    assert turn.words() == ""
    assert turn.after(1.5).words() == "1 s"
    assert turn.after(63, TextDelta("1", "")).words() == "1 min 4 s"


def test_tokens_are_estimated_until_the_agent_counts_them() -> None:
    turn = Turn()

    turn.after(1, ThinkingTokens(10), TextDelta("1", "four" * 100), ToolInput("t", 40))
    assert turn.words() == "1 s · ↓ 120 tokens"
    turn.after(1, Usage(answered=1234))
    assert turn.words() == "2 s · ↓ 1.2k tokens"
    turn.after(1, TextDelta("2", "four" * 10_000, "parent"), TextDelta("2", "four" * 100))
    assert turn.words() == "3 s · ↓ 1.3k tokens"


def test_the_words_change_once_per_second() -> None:
    turn = Turn().after(1, TextDelta("1", "four"))
    assert turn.words() == "1 s · ↓ 1 tokens"

    assert turn.after(0.5, TextDelta("1", "four" * 50)).words() == "1 s · ↓ 1 tokens"
    assert turn.pace.seconds_to_change(WRITING, 0) == 0.5
    assert turn.after(0.5).words() == "2 s · ↓ 51 tokens"


def test_a_long_silence_is_shown() -> None:
    turn = Turn().after(5, TextDelta("1", "four"))

    assert turn.after(9).words() == "14 s · ↓ 1 tokens"
    assert turn.after(1).words() == "15 s · nothing for 10 s"
    assert turn.after(1, TextDelta("1", "four")).words() == "16 s · ↓ 2 tokens"


def test_a_silence_from_the_beginning_is_shown_once() -> None:
    assert Turn().after(12).words(SessionState(AgentState.WAITING)) == "nothing for 12 s"


@pytest.mark.parametrize("state", [AgentState.TOOLS, AgentState.STARTING, AgentState.RETRYING])
def test_some_states_are_silent(state: AgentState) -> None:
    assert Turn().after(12).words(SessionState(state)) == "12 s"


def test_the_time_of_a_request_does_not_count() -> None:
    turn = Turn().after(3)

    assert turn.words(waiting=1) == ""
    assert turn.pace.seconds_to_change(WRITING, 1) is None
    assert turn.after(100).words(waiting=1) == ""
    assert turn.words() == "3 s"
    assert turn.after(1).words() == "4 s"


def test_each_turn_begins_with_no_seconds_and_no_tokens() -> None:
    turn = Turn().after(5, TextDelta("1", "four" * 50))
    assert turn.words() == "5 s · ↓ 50 tokens"

    turn.after(0, TurnEnded(TurnEndReason.COMPLETED))
    assert turn.words() == ""
    assert turn.after(2).words() == "2 s"


def test_nothing_changes_while_the_agent_is_idle() -> None:
    turn = Turn().after(5)

    assert turn.words(IDLE) == ""
    assert turn.pace.seconds_to_change(IDLE, 0) is None


def test_the_bar_shows_the_pace_and_warns_of_a_silence() -> None:
    clock = Clock()
    bar = Bar(clock=clock)
    bar.transcript(WRITING)
    clock.seconds += 9
    assert bar.transcript(WRITING)["left"] == [("writing… 9 s", "ClaudeChatToolRunning")]

    clock.seconds += 1

    assert bar.transcript(WRITING)["left"] == [("writing… nothing for 10 s", "ClaudeChatWarning")]
