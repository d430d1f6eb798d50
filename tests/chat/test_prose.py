"""The model's text, and its previews."""

from claude_ide.agents.events import (
    PreviewVoided,
    Text,
    TextDelta,
    ToolEnded,
    ToolStarted,
    ToolStatus,
)
from support.frames import Panel, shown


def test_text_is_shown_while_it_arrives() -> None:
    assert shown(TextDelta("1", "one\ntw"), TextDelta("1", "o")) == ["one", "two"]


def test_text_with_carriage_returns_is_shown() -> None:
    assert shown(Text("1", "one\rtwo\r\nthree")) == ["one^Mtwo", "three"]


def test_a_complete_text_replaces_its_preview() -> None:
    assert shown(TextDelta("1", "half"), Text("1", "another\ntext")) == ["another", "text"]


def test_a_text_that_is_reported_twice_is_shown_once() -> None:
    assert shown(Text("1", "text"), Text("1", "text")) == ["text"]


def test_a_void_preview_is_deleted() -> None:
    assert shown(Text("0", "before"), TextDelta("1", "half"), PreviewVoided(("1",))) == ["before"]


def test_a_void_tool_is_deleted() -> None:
    happened = (
        ToolStarted("t", "Bash"),
        PreviewVoided(("1",), ("t",)),
        ToolEnded("t", ToolStatus.COMPLETED),
    )

    assert shown(*happened) == []


def test_only_new_lines_of_a_text_are_appended() -> None:
    panel = Panel().handle(TextDelta("1", "one\ntwo\nthr"))

    panel.handle(TextDelta("1", "ee\nfour"))

    [edit] = panel.drawn.frames[-1]["edits"]
    assert (edit["first"], edit["last"], edit["lines"]) == (2, 3, ["three", "four"])


def test_a_fence_is_coloured_when_it_is_closed() -> None:
    panel = Panel().handle(TextDelta("1", "Look:\n```python\nprint(1)\n``"))
    assert not any(frame["code"] for frame in panel.drawn.frames)

    panel.handle(TextDelta("1", "`\n"))

    assert panel.drawn.frames[-1]["code"] == [(2, 3, "python")]
    assert [line.language for line in panel.drawn.lines] == ["", "", "python", ""]


def test_a_complete_text_equal_to_its_preview_changes_nothing() -> None:
    panel = Panel().handle(TextDelta("1", "# one\n"), TextDelta("1", "two\n\n"))

    panel.transcript.apply(Text("1", "# one\ntwo\n\n"))

    assert panel.transcript.sheet.frame() is None


def test_the_text_of_a_subagent_is_below_its_tool() -> None:
    happened = (
        ToolStarted("a", "Task"),
        ToolStarted("b", "Read"),
        Text("1", "found\nit", parent="a"),
        ToolStarted("c", "Bash", parent="a"),
        Text("2", "done"),
        ToolStarted("d", "Bash", parent="c"),
    )

    assert shown(*happened) == [
        *("• Task …", "  found", "  it", "  • Bash …", "    • Bash …", "• Read …", "", "done"),
    ]


def test_the_highlights_of_a_subagents_text_move_with_it() -> None:
    panel = Panel().handle(ToolStarted("a", "Task"), Text("1", "**very** good", parent="a"))

    assert panel.drawn.groups("  **very**") == {("**very**", "ClaudeChatBold")}


def test_the_text_of_a_subagent_with_an_unknown_tool_is_shown() -> None:
    assert shown(Text("1", "found", parent="gone")) == ["  found"]
