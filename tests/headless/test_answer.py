"""`headless/answer.py`: what is shown of an answer while it grows."""

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


def test_pieces_make_up_texts_in_their_order() -> None:
    answer = after(TextDelta("a", "one"), TextDelta("b", "two"), TextDelta("a", "!"))

    assert answer.text == "one!\n\ntwo"


def test_what_is_said_whole_replaces_its_pieces() -> None:
    assert after(TextDelta("a", "on"), Text("a", "one")).text == "one"


def test_what_was_said_in_vain_goes() -> None:
    assert after(Text("a", "one"), TextDelta("b", "tw"), PreviewVoided(("b", "c"))).text == "one"


def test_a_subagents_words_are_not_the_answer() -> None:
    assert after(TextDelta("a", "x", "tool"), Text("b", "y", "tool")).text == ""


def test_an_error_is_kept_but_not_what_is_only_told() -> None:
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
def test_what_goes_on_is_said(events: list[Event], words: str) -> None:
    assert after(*events).progress == words
