"""The bars above both windows."""

import pytest

from claude_ide.agents.events import (
    Cleared,
    Compacted,
    Dead,
    EffortChanged,
    Event,
    ModeChanged,
    ModelChanged,
    OfferChanged,
    Ready,
    Retry,
    SettingValue,
    Todo,
    TodoList,
    TurnEnded,
    TurnEndReason,
    Usage,
)
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.base.limits import Limit
from claude_ide.chat.bar import Bar, Sides, prompt_bar
from support.frames import Clock

IDLE = SessionState(AgentState.IDLE)
EVENTS: list[Event] = [
    ModeChanged("acceptEdits"),
    ModelChanged("claude-opus-5-5", "opus-5-5"),
    EffortChanged("high"),
    Usage(0.123, None, 200_000),
    Usage(None, 50_000),
]


def bar_after(*events: Event) -> Bar:
    shown = Bar(clock=Clock())
    for event in events:
        shown.apply(event)
    return shown


def text(sides: Sides, side: str) -> str:
    return "".join(chunk for chunk, _ in sides[side])


def test_the_bar_shows_mode_model_effort_context_and_cost() -> None:
    assert (
        text(bar_after(*EVENTS).transcript(IDLE), "right")
        == "acceptEdits  opus-5-5 high  25%  $0.12"
    )


def test_an_effort_is_shown_by_its_name() -> None:
    efforts = (SettingValue("d1", "Shallow"), SettingValue("d2", "Deep"))
    offered = bar_after(Ready(efforts=efforts), EffortChanged("d1"))
    changed = bar_after(Ready(), OfferChanged(efforts=efforts), EffortChanged("d2"))

    assert text(offered.transcript(IDLE), "right") == "Shallow"
    assert text(changed.transcript(IDLE), "right") == "Deep"


def test_the_bar_shows_only_reported_values() -> None:
    assert bar_after(Ready()).transcript(IDLE) == {"left": [], "right": []}


def test_a_nearly_full_context_is_a_warning() -> None:
    shown = bar_after(Usage(None, 190_000, 200_000)).transcript(IDLE)

    assert shown["right"] == [("95%", "ClaudeChatWarning")]


def test_limits_precede_the_figures_and_become_warnings() -> None:
    limits = [Limit("five_hour", 82), Limit("seven_day", 90)]
    shown = bar_after(Usage(0.123)).transcript(IDLE, limits=limits)

    assert text(shown, "right") == "5h 82%  7d 90%  $0.12"
    assert shown["right"][:3] == [
        ("5h 82%", "ClaudeChatMeta"),
        ("  ", ""),
        ("7d 90%", "ClaudeChatWarning"),
    ]


@pytest.mark.parametrize("event", [Cleared(), Compacted(190_000)])
def test_a_cleared_context_is_not_shown_as_full(event: Event) -> None:
    assert bar_after(Usage(None, 190_000, 200_000), event).transcript(IDLE)["right"] == []


@pytest.mark.parametrize("state", AgentState)
def test_every_state_has_a_name(state: AgentState) -> None:
    assert bool(text(bar_after().transcript(SessionState(state)), "left")) == (
        state is not AgentState.IDLE
    )


def test_the_bar_counts_requests_and_queued_prompts() -> None:
    state = SessionState(AgentState.TOOLS, queued=("a",))

    assert (
        text(bar_after().transcript(state, 2), "left")
        == "using tools…  2 requests waiting  1 queued"
    )


def test_the_bar_shows_a_single_request_in_the_singular() -> None:
    state = SessionState(AgentState.IDLE)

    assert bar_after().transcript(state, 1)["left"] == [("1 request waiting", "ClaudeChatRequest")]


def test_the_bar_counts_what_runs_in_the_background() -> None:
    assert text(bar_after().transcript(IDLE, tasks=2), "left") == "2 tasks"
    assert text(bar_after().transcript(IDLE, tasks=1), "left") == "1 task"


def test_the_bar_counts_the_todos_that_are_done() -> None:
    todos = tuple(Todo(str(n), "x", "completed" if n < 3 else "pending") for n in range(14))

    assert text(bar_after(TodoList(todos)).transcript(IDLE), "left") == "3/14 todos"
    assert bar_after(TodoList(todos), TodoList(todos[:3])).transcript(IDLE)["left"] == []


def test_a_retry_counts_down() -> None:
    clock = Clock()
    shown, state = Bar(clock=clock), SessionState(AgentState.RETRYING)
    shown.apply(Retry(2, 10, 7.5, "rate_limit"))

    counted = []
    while (change := shown.seconds_to_change(state)) is not None:
        counted.append(text(shown.transcript(state), "left"))
        clock.seconds += change
    counted.append(text(shown.transcript(state), "left"))

    assert counted == [f"retry 2/10 in {seconds} s" for seconds in (8, 7, 6, 5, 4, 3, 2, 1, 0)]


def test_a_bar_without_a_countdown_changes_only_with_events() -> None:
    shown = bar_after(Retry(2, 10, 7.5, "rate_limit"))

    assert shown.seconds_to_change(IDLE) is None


def test_the_prompt_has_its_chips_and_its_keys() -> None:
    shown = prompt_bar(["a.py:2-4"], [("<CR>", "send"), ("<C-c>", "stop")])

    assert text(shown, "left") == "[a.py:2-4]"
    assert text(shown, "right") == "<CR> send  <C-c> stop"
    assert ("<CR>", "ClaudeChatKey") in shown["right"]


def test_a_bar_is_always_one_line() -> None:
    shown = bar_after(ModelChanged("a\nmodel\x1b")).transcript(IDLE)

    assert text(shown, "right") == "a …"
    assert prompt_bar(["a\x00b"], [])["left"] == [("[a^@b]", "ClaudeChatLink")]


def test_the_cost_continues_after_a_restart_though_the_agent_counts_from_zero() -> None:
    shown = bar_after(Usage(0.10, None), Usage(0.25, None), Usage(0.05, None)).transcript(IDLE)

    assert shown["right"][-1] == ("$0.30", "ClaudeChatMeta")


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (TurnEnded(TurnEndReason.COMPLETED), "success"),
        (TurnEnded(TurnEndReason.INTERRUPTED), "cancel"),
        (TurnEnded(TurnEndReason.FAILED), "failed"),
        (TurnEnded(TurnEndReason.TOO_LONG), "failed"),
        (Dead(1), "failed"),
    ],
)
def test_work_is_the_activity_and_then_the_outcome(event: Event, status: str) -> None:
    shown = bar_after(event)

    assert shown.work(SessionState(AgentState.WRITING)) == {"text": "writing…", "status": "running"}
    assert shown.work(IDLE) == {"text": status, "status": status}


def test_work_waits_while_a_request_waits() -> None:
    asking = SessionState(AgentState.TOOLS)

    assert bar_after().work(asking, 1) == {"text": "waiting for your answer", "status": "running"}
