"""`headless/answer.py`: the text and the progress of an answer while it arrives."""

import pytest

from claude_ide.agents.events import (
    Event,
    Notice,
    PreviewVoided,
    Retry,
    Text,
    TextDelta,
    ThinkingDelta,
    ThinkingTokens,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    Waiting,
)
from claude_ide.headless.answer import STARTING, WAITING, Answer


def after(*events: Event) -> Answer:
    answer = Answer()
    for event in events:
        answer.apply(event)
    return answer


def test_pieces_are_joined_to_texts_in_order() -> None:
    answer = after(TextDelta("a", "one"), TextDelta("b", "two"), TextDelta("a", "!"))

    assert answer.text == "one!\n\ntwo"


def test_a_complete_text_replaces_its_pieces() -> None:
    assert after(TextDelta("a", "on"), Text("a", "one")).text == "one"


def test_a_void_preview_is_removed() -> None:
    assert after(Text("a", "one"), TextDelta("b", "tw"), PreviewVoided(("b", "c"))).text == "one"


def test_the_text_of_a_subagent_is_not_part_of_the_answer() -> None:
    assert after(TextDelta("a", "x", "tool"), Text("b", "y", "tool")).text == ""


def test_an_error_is_kept_and_other_notices_are_not() -> None:
    error = Notice("no", "error", "authentication_failed")

    assert after(error, Notice("by the way")).error is error


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], STARTING),
        ([Waiting()], WAITING),
        ([ThinkingDelta("a", "hm")], "thinking…"),
        ([ThinkingTokens(70), ThinkingDelta("a", "hm")], "thinking… (70 tokens)"),
        ([ToolStarted("t", "Read", "read")], "using Read…"),
        ([ToolStarted("t", "Read", "read"), ToolEnded("t", ToolStatus.COMPLETED)], WAITING),
        ([Retry(2, 9, 3.6, "rate_limit")], "rate limit: trying again in 4 s (2 of 9)"),
        ([Retry(1, 9, 1, "")], "no connection: trying again in 1 s (1 of 9)"),
        ([TextDelta("a", "x")], ""),
        ([TextDelta("a", "x"), Waiting()], WAITING),
    ],
)
def test_the_progress_describes_the_latest_activity(events: list[Event], words: str) -> None:
    assert after(*events).progress == words
