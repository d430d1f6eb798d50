"""The user's prompts, while they wait and when they start."""

import pytest

from claude_ide.agents.events import (
    Notice,
    PromptChanged,
    PromptStage,
    TextDelta,
    TurnEnded,
    TurnEndReason,
    UserMessage,
    Waiting,
)
from claude_ide.ui.sheet import OpenOutput
from support.frames import Panel

DONE = TurnEnded(TurnEndReason.COMPLETED, milliseconds=1500)


def test_a_prompt_becomes_a_turn_when_it_starts() -> None:
    panel = Panel()
    panel.transcript.queue.add("a", "Do it\nwell", ["a.py:2-4"])
    assert panel.text == ["» Do it", "  well", "  a.py:2-4"]
    assert [kind for _, kind in panel.drawn.parts] == ["queued"]

    panel.handle(PromptChanged("a", PromptStage.QUEUED), PromptChanged("a", PromptStage.STARTED))

    assert panel.text == ["» Do it", "  well", "  a.py:2-4"]
    assert [kind for _, kind in panel.drawn.parts] == ["turn"]


def test_a_prompt_during_a_turn_waits_below_the_answer() -> None:
    panel = Panel().handle(Waiting(), TextDelta("1", "one"))
    panel.transcript.queue.add("b", "And then?\nWhat?")

    panel.handle(TextDelta("1", "\ntwo"))

    assert panel.text == ["one", "two", "", "⧗ And then? (+1 line)  x withdraws it"]
    part, _ = panel.drawn.part("⧗")
    waiting = panel.transcript.queued_at(part)
    assert waiting is not None
    assert waiting.prompt == "b"
    assert panel.transcript.queue.queued == {"b": "And then?\nWhat?"}


def test_a_prompt_shows_its_context_and_the_files_that_do_not_exist() -> None:
    panel = Panel()
    held = panel.transcript.queue.hold("Do it", ["a.py"], is_ready=False)
    assert panel.text == ["⧗ Do it  x withdraws it", "  a.py"]

    panel.transcript.queue.sent(held, "a", ["a.py, not saved", "2 images"], ["nope.txt"])

    line = "  a.py, not saved · 2 images · @nope.txt not found"
    assert panel.text == ["» Do it", line]
    assert ("@nope.txt not found", "ClaudeChatWarning") in panel.drawn.groups(line)
    panel.handle(Waiting())
    assert panel.text == ["» Do it", line]


def test_a_prompt_that_the_agent_does_not_have_waits_behind_the_others() -> None:
    panel = Panel()
    held = panel.transcript.queue.hold("first", is_ready=False)
    panel.transcript.queue.hold("second", is_ready=False)

    panel.transcript.queue.sent(held, "a", [])
    assert panel.text == ["» first", "", "⧗ second  x withdraws it"]
    assert panel.transcript.queue.queued == {"a": "first"}
    panel.handle(Waiting())

    assert panel.text == ["» first", "", "⧗ second  x withdraws it"]
    assert panel.transcript.queue.queued == {}


def test_a_prompt_that_the_agent_does_not_get_is_removed() -> None:
    panel = Panel()
    held = panel.transcript.queue.hold("first", is_ready=False)
    assert panel.text == ["⧗ first  x withdraws it"]

    panel.transcript.queue.drop(held)
    panel.transcript.queue.drop(held)

    assert panel.text == []


def test_a_withdrawn_prompt_is_removed() -> None:
    panel = Panel().handle(Waiting())
    panel.transcript.queue.add("b", "And then?")

    panel.handle(PromptChanged("b", PromptStage.CANCELLED))

    assert (panel.text, panel.transcript.queue.queued) == ([], {})


def test_an_interrupted_prompt_remains_visible() -> None:
    panel = Panel()
    panel.transcript.queue.add("a", "Do it")

    panel.handle(PromptChanged("a", PromptStage.STARTED), PromptChanged("a", PromptStage.CANCELLED))

    assert panel.text == ["» Do it"]


@pytest.mark.parametrize("stage", [PromptStage.STARTED, PromptStage.COMPLETED])
def test_a_prompt_may_start_before_we_know_its_id(stage: PromptStage) -> None:
    panel = Panel().handle(PromptChanged("a", stage))

    panel.transcript.queue.add("a", "Do it")

    assert (panel.text, panel.transcript.queue.queued) == (["» Do it"], {})


def test_a_prompt_may_be_withdrawn_before_we_know_its_id() -> None:
    panel = Panel().handle(PromptChanged("a", PromptStage.CANCELLED))

    panel.transcript.queue.add("a", "Do it")

    assert panel.text == []


@pytest.mark.parametrize("is_reported", [True, False])
def test_one_prompt_starts_with_a_turn_whose_prompt_is_not_reported(is_reported: bool) -> None:
    """The CLI answers its own commands without reporting that they have started."""
    panel = Panel()
    for prompt in ("a", "b"):
        panel.transcript.queue.add(prompt, prompt)
        if is_reported:
            panel.handle(PromptChanged(prompt, PromptStage.QUEUED))

    panel.handle(Notice("Total cost: 0"), DONE)

    assert panel.text[:3] == ["» a", "", "Total cost: 0"]
    assert list(panel.transcript.queue.queued) == ["b"]


def test_prompts_that_the_end_of_a_turn_names_were_part_of_it() -> None:
    panel = Panel().handle(Waiting())
    panel.transcript.queue.add("b", "steer")
    panel.handle(PromptChanged("b", PromptStage.QUEUED))

    panel.handle(TurnEnded(TurnEndReason.COMPLETED, ("a", "b"), milliseconds=3))

    assert panel.text == ["» steer", "── 3 ms"]


def test_the_prompts_of_all_turns_are_listed_by_their_ids() -> None:
    panel = Panel()
    panel.transcript.load_history([UserMessage("First\nof all", "a"), UserMessage("nobody's")])
    panel.transcript.queue.add("b", "Second")
    panel.handle(Waiting())
    panel.transcript.queue.add("c", "not yet")

    assert panel.transcript.prompts == {"a": "First …", "b": "Second"}


def test_a_long_prompt_is_cut_and_opens_in_another_window() -> None:
    text = "\n".join(str(number) for number in range(300))
    panel = Panel()
    panel.transcript.queue.add("a", text)
    panel.handle(Waiting())

    assert len(panel.text) == 201
    assert panel.press("  … 100 more lines") == OpenOutput("prompt", text)
