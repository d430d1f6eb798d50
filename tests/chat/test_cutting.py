"""The transcript when the conversation goes back to before a prompt."""

from claude_ide.agents.events import (
    PromptChanged,
    PromptStage,
    Text,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
    UserMessage,
    Waiting,
)
from claude_ide.chat.transcript.prompts import EDITED
from support.frames import Panel

DONE = TurnEnded(TurnEndReason.COMPLETED)


def conversation() -> Panel:
    return Panel().handle(
        *(UserMessage("First", "p1"), Text("1", "One."), DONE),
        *(UserMessage("Second", "p2"), Text("2", "Two."), DONE),
        *(UserMessage("Third", "p3"), Text("3", "Three."), DONE),
    )


def test_a_prompt_and_all_after_it_are_removed() -> None:
    panel = conversation()

    panel.transcript.cut("p2")

    assert panel.text == ["» First", "", "One."]
    assert panel.transcript.prompts == {"p1": "First"}


def test_a_running_turn_is_removed_and_the_next_prompt_begins_a_turn() -> None:
    panel = conversation().handle(Waiting(), ToolStarted("t", "Bash", "execute", "ls"))

    panel.transcript.cut("p1")
    panel.transcript.queue.add("p4", "Instead")
    panel.handle(PromptChanged("p4", PromptStage.STARTED), Text("4", "Four."))

    assert panel.text == ["» Instead", "", "Four."]


def test_an_unknown_prompt_removes_nothing() -> None:
    panel = conversation()
    before = panel.text

    panel.transcript.cut("p9")

    assert panel.text == before


def test_one_prompt_at_a_time_is_marked_as_edited() -> None:
    panel = conversation()

    panel.transcript.mark_edited("p1")
    panel.transcript.mark_edited("p2")

    text = panel.text
    assert text.count(EDITED.text) == 1
    assert text[text.index("» Second") + 1] == EDITED.text
    panel.transcript.mark_edited("")
    assert EDITED.text not in panel.text


def test_the_prompt_in_a_part_is_found() -> None:
    panel = conversation()

    part, _ = panel.drawn.part("» Second")
    other, _ = panel.drawn.part("Two.")

    assert panel.transcript.prompt_in(part) == "p2"
    assert panel.transcript.prompt_in(other) == ""


def test_the_commands_since_a_prompt_are_those_that_have_run() -> None:
    panel = conversation()
    for tool, name, kind in (("t1", "Bash", "execute"), ("t2", "Read", "read")):
        panel.handle(
            ToolStarted(tool, name, kind, ""),
            ToolInput(tool, 1, {}, title=f"title of {tool}"),
            ToolEnded(tool, ToolStatus.COMPLETED, ""),
        )
    panel.handle(ToolStarted("t3", "Bash", "execute", "never run"))

    assert panel.transcript.commands_since("p3") == ["title of t1"]
    assert panel.transcript.commands_since("p9") == []
