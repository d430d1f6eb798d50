"""The model's thinking."""

from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingTokens,
)
from support.frames import Panel, shown


def test_thinking_shows_its_tokens_before_its_text() -> None:
    assert shown(ThinkingTokens(1234)) == ["· Thinking… 1,234 tokens"]


def test_thinking_is_one_line_with_its_time_and_its_tokens() -> None:
    panel = Panel().handle(ThinkingTokens(12), ThinkingDelta("1", "Well"), ThinkingTokens(1234))
    assert panel.text == ["▸ Thinking… 1,234 tokens"]
    panel.clock.seconds = 3.2

    panel.handle(Thinking("1", "Well, well."))

    assert panel.text == ["▸ Thought 3.2 s · 1,234 tokens"]


def test_the_agents_own_duration_of_thinking_has_priority() -> None:
    assert shown(Thinking("1", "Well.", milliseconds=700)) == ["▸ Thought 700 ms"]


def test_thinking_opens_and_closes() -> None:
    panel = Panel().handle(Thinking("1", "Well,\nwell.", milliseconds=700))

    panel.press("▸ Thought")
    assert panel.text == ["▾ Thought 700 ms", "  Well,", "  well."]

    panel.press("▾ Thought")
    assert panel.text == ["▸ Thought 700 ms"]


def test_open_thinking_grows_by_its_new_lines() -> None:
    panel = Panel().handle(ThinkingDelta("1", "one\ntwo"))
    panel.press("▸ Thinking")

    panel.handle(ThinkingTokens(9), ThinkingDelta("1", "\nthree"))

    assert panel.text == ["▾ Thinking…", "  one", "  two", "  three"]
    [edit] = panel.drawn.frames[-1]["edits"]
    assert edit["lines"] == ["  three"]


def test_hidden_thinking_without_time_or_tokens_has_no_line() -> None:
    assert shown(Thinking("1", ""), Text("2", "answer")) == ["answer"]


def test_tokens_without_thinking_end_when_the_answer_starts() -> None:
    assert shown(ThinkingTokens(12), TextDelta("1", "answer"), ThinkingTokens(5)) == [
        *("· Thought 0 ms · 12 tokens", "", "answer", "", "· Thinking… 5 tokens"),
    ]


def test_void_thinking_is_deleted() -> None:
    happened = (ThinkingTokens(3), ThinkingDelta("1", "hm"), PreviewVoided(("1",)))

    assert shown(*happened) == []
