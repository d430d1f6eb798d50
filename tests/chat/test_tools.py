"""The tools of a conversation, by their ids."""

from claude_ide.agents.events import (
    Text,
    ThinkingTokens,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
)
from support.frames import Panel, shown


def test_a_line_that_grows_redraws_only_itself() -> None:
    panel = Panel().handle(ToolStarted("a", "Read"), ToolStarted("b", "Write"))
    panel.handle(Text("1", "text"), ThinkingTokens(1))

    for event in (ToolInput("b", 100), ToolInput("b", 200), ThinkingTokens(2), ThinkingTokens(3)):
        panel.handle(event)
        [edit] = panel.drawn.frames[-1]["edits"]
        assert (edit["last"] - edit["first"], len(edit["lines"])) == (1, 1)

    assert panel.text == [
        *("• Read …", "• Write  200 characters …", "", "text", "", "· Thinking… 3 tokens"),
    ]


def test_a_tick_updates_only_the_tools_that_run() -> None:
    panel = Panel().handle(ToolStarted("a", "Read"), ToolInput("a", 2, {}))
    panel.handle(ToolStarted("b", "Bash"), ToolInput("b", 2, {}), ToolStarted("c", "Write"))
    panel.handle(ToolEnded("a", ToolStatus.COMPLETED))
    panel.clock.seconds += 3

    assert panel.transcript.tick()
    assert panel.text == ["• Read  0 ms", "• Bash  3 s …", "• Write …"]
    assert not panel.transcript.tick()


def test_a_tool_that_is_reported_twice_is_shown_once() -> None:
    happened = (ToolStarted("a", "Bash"), ToolStarted("a", "", "execute", "ls"))

    assert shown(*happened) == ["$ Bash ls …"]


def test_events_of_a_tool_that_has_not_started_are_ignored() -> None:
    assert shown(ToolInput("a", 1, {}), ToolEnded("a", ToolStatus.COMPLETED, "output")) == []
