"""The transcript: the lines that events result in, and the effect of keys on them."""

from typing import Any

import pytest

from claude_ide.agents.events import (
    Cleared,
    Dead,
    Event,
    Notice,
    Ready,
    Retry,
    Text,
    TextDelta,
    Thinking,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
    Usage,
    UserMessage,
    Waiting,
)
from claude_ide.agents.requests import (
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    RequestWithdrawn,
)
from claude_ide.chat.transcript.detail import Summary
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.ui.sheet import ReviewWanted
from support.frames import Clock, Panel, shown

DONE = TurnEnded(TurnEndReason.COMPLETED, milliseconds=1500)
ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)


def asks(request: str, tool: str = "t", **fields: Any) -> PermissionAsked:
    return PermissionAsked(request, tool, "Bash", {"command": "ls"}, (ALLOW,), **fields)


# Requests.


def test_a_request_waits_below_everything_and_becomes_a_line_with_its_tool() -> None:
    panel = Panel().handle(ToolStarted("t", "Bash"), asks("r"), Text("1", "meanwhile"))
    assert panel.text[:4] == ["• Bash …", "", "meanwhile", ""]
    assert panel.text[4] == "? Use Bash?"
    part, _ = panel.drawn.part("?")
    assert panel.request(part) == asks("r")

    panel.answer("r", "allowed")

    assert panel.text == ["• Bash …", "  ↳ allowed", "", "meanwhile"]
    assert panel.waiting == []


def test_an_answer_for_a_hidden_tool_names_the_request() -> None:
    panel = Panel().handle(asks("r", title="ls"))

    panel.answer("r", "no: never\nlist")

    assert panel.text == ["↳ Bash ls: no: never …"]


def test_a_withdrawn_request_is_removed() -> None:
    panel = Panel().handle(asks("r"), asks("s"), RequestWithdrawn("r"))

    assert [asked.request for asked in panel.waiting] == ["s"]
    panel.answer("r", "allowed")
    assert panel.text.count("? Use Bash?") == 1


def test_a_request_ends_with_its_tool() -> None:
    happened = (ToolStarted("t", "Bash"), asks("r"), ToolEnded("t", ToolStatus.REJECTED))

    assert shown(*happened) == ["⊘ Bash  rejected"]


def test_the_users_time_to_answer_is_not_part_of_a_tools_duration() -> None:
    panel = Panel().handle(ToolStarted("t", "Bash"), ToolInput("t", 2, {}), asks("r"))
    panel.clock.seconds = 60
    panel.answer("r", "allowed")
    panel.clock.seconds = 60.5

    panel.handle(ToolEnded("t", ToolStatus.COMPLETED))

    assert panel.text == ["• Bash  500 ms", "  ↳ allowed"]


def test_a_press_on_a_plan_starts_its_review() -> None:
    panel = Panel().handle(PlanProposed("r", "t", "# Plan", "/plan.md", (ALLOW,)))

    assert panel.press("? Approve this plan") == ReviewWanted("r")


# The turn's end, and other ends.


def test_a_turn_ends_with_its_cost() -> None:
    happened = (Usage(0.5), DONE, Usage(0.75), DONE)

    assert shown(*happened) == ["── 1.5 s · $0.50", "── 1.5 s · $0.25"]


@pytest.mark.parametrize("counted", [0.0, 0.5])
def test_clearing_costs_nothing_whether_or_not_the_agent_resets_its_cost(counted: float) -> None:
    happened = (Usage(0.5), DONE, Cleared(), Usage(counted), DONE, Usage(counted + 0.25), DONE)

    assert shown(*happened)[-2:] == ["── 1.5 s", "── 1.5 s · $0.25"]


def test_an_interrupted_turn_says_so_and_leaves_no_tool_running() -> None:
    happened = (ToolStarted("t", "Bash"), TurnEnded(TurnEndReason.INTERRUPTED))

    assert shown(*happened) == ["⊘ Bash  interrupted", "interrupted"]


def test_a_background_tool_runs_on_when_the_turn_is_over() -> None:
    happened = (
        ToolStarted("a", "Task"),
        ToolStarted("b", "Bash", parent="a"),
        ToolEnded("a", ToolStatus.COMPLETED),
        DONE,
    )

    panel = Panel().handle(*happened)
    panel.press("• Task")

    assert panel.text == ["• Task  1 tool", "  • Bash …", "── 1.5 s"]


def test_an_error_is_shown_once() -> None:
    failed = TurnEnded(TurnEndReason.FAILED, message="overloaded")

    assert shown(failed) == ["failed", "overloaded"]
    assert shown(Notice("overloaded", "error"), failed) == ["overloaded", "failed"]


def test_a_user_who_is_not_logged_in_learns_how_to_log_in() -> None:
    happened = Notice("Please run /login", "error", "authentication_failed")

    assert shown(happened)[-1] == "L opens a terminal to log in"


def test_retries_share_one_line() -> None:
    panel = Panel().handle(Retry(1, 10, 0.5, "rate_limit", 429))
    assert panel.text == ["retry 1/10 in 500 ms: rate limit (429)"]

    panel.handle(Retry(2, 10, 7, "rate_limit", 429))
    assert panel.text == ["retry 2/10 in 7.0 s: rate limit (429)"]

    panel.handle(TextDelta("1", "answer"))
    assert panel.text[0] == "retried 2 times: rate limit (429)"
    panel.handle(Retry(1, 10, 1, "overloaded"))
    assert panel.text[-1] == "retry 1/10 in 1.0 s: overloaded"


def test_a_death_shows_the_last_output_and_removes_requests() -> None:
    panel = Panel().handle(ToolStarted("t", "Bash"), asks("r"))

    panel.handle(Dead(143, "\n".join(str(number) for number in range(30))))

    assert panel.text == [
        *("⊘ Bash  interrupted", "", "Claude has ended (exit code 143)"),
        *(str(number) for number in range(20, 30)),
        "R resumes",
    ]
    assert panel.waiting == []


def test_a_death_by_a_signal_names_the_signal() -> None:
    panel = Panel().handle(Dead(-9))

    assert panel.text == ["Claude has ended (killed by SIGKILL)", "R resumes"]


def test_the_offer_to_resume_disappears_when_the_agent_is_resumed() -> None:
    panel = Panel().handle(Dead(1))
    assert panel.text[-1] == "R resumes"

    panel.handle(Ready())
    assert panel.text == ["Claude has ended (exit code 1)", "── resumed"]

    panel.handle(Dead(1))
    assert panel.text[-1] == "R resumes"
    assert panel.text.count("── resumed") == 1


def test_a_death_keeps_queued_prompts() -> None:
    panel = Panel().handle(Waiting())
    panel.transcript.queue.add("a", "And then?")

    panel.handle(Dead(0))

    assert panel.transcript.queue.queued == {"a": "And then?"}


@pytest.mark.parametrize(
    ("event", "urgent"),
    [
        (DONE, True),
        (Dead(0), True),
        (RequestWithdrawn("r"), True),
        (ToolStarted("t", "Bash"), True),
        (TextDelta("1", "text"), False),
        (Usage(1.0), False),
    ],
)
def test_urgent_events_are_drawn_immediately(event: Event, urgent: bool) -> None:
    assert Transcript("Claude").apply(event) is urgent


# History.


def test_history_is_shown_without_times_and_costs() -> None:
    transcript = Transcript("Claude", clock=Clock())

    transcript.load_history(
        [
            UserMessage("Do it", "a"),
            Thinking("1", "Well."),
            ToolStarted("t", "Bash", "execute", "ls"),
            ToolInput("t", 2, {"command": "ls"}),
            ToolEnded("t", ToolStatus.COMPLETED),
            ToolStarted("u", "Bash", "execute", "cut off"),
            Text("2", "Done."),
            UserMessage("Thanks", "b"),
        ]
    )

    assert transcript.lines == [
        *("» Do it", "", "▸ Thought", "$ Bash ls", "⊘ Bash cut off  interrupted"),
        *("", "Done.", "", "» Thanks"),
    ]


def test_the_first_turn_after_history_does_not_include_earlier_costs() -> None:
    transcript = Transcript("Claude", clock=Clock())
    transcript.load_history([UserMessage("Do it")])

    for event in (Usage(7.0), DONE, Usage(7.5), DONE):
        transcript.apply(event)

    assert transcript.lines[-2:] == ["── 1.5 s", "── 1.5 s · $0.50"]


def test_a_prompt_after_history_is_shown_like_any_other() -> None:
    transcript = Transcript("Claude", clock=Clock())
    transcript.load_history([UserMessage("Do it"), Text("1", "Done.")])

    transcript.queue.add("b", "More")
    transcript.apply(Waiting())

    assert transcript.lines == ["» Do it", "", "Done.", "", "» More"]


def test_each_part_belongs_to_the_turn_above_it() -> None:
    panel = Panel().handle(
        Notice("before"),
        *(UserMessage("one", "p1"), Text("1", "answer one"), DONE),
        *(UserMessage("two", "p2"), ToolStarted("t", "Bash"), Text("2", "answer two")),
    )

    def turn(line: str) -> str | None:
        part, _ = panel.drawn.part(line)
        return panel.transcript.turn_at(part)

    assert turn("before") is None
    assert turn("» one") == turn("answer one") == turn("── 1.5 s") == "p1"
    assert turn("» two") == turn("• Bash") == turn("answer two") == "p2"
    assert panel.transcript.queue.current == "p2"


def test_the_line_at_a_turns_end_shows_its_changes() -> None:
    panel = Panel().handle(UserMessage("one", "p1"), DONE)
    end = panel.transcript.end
    assert end is not None

    panel.transcript.show_changes(end, Summary(1, 2, 3))

    assert panel.handle().text[-1] == "── 1.5 s · 1 file +2 −3 · gd"  # noqa: RUF001
