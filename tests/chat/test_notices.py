"""`transcript/notices.py`: what is said beside the conversation."""

import pytest

from claude_ide.agents.events import (
    Notice,
    PromptBlocked,
    PromptChanged,
    PromptStage,
    Text,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
)
from claude_ide.chat.transcript.notices import LONGEST_LINE, MOST_REMARK_LINES
from claude_ide.ui.sheet import OpenOutput
from support.frames import Panel


def many(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("level", "group"), [("notice", "ClaudeChatMeta"), ("warning", "ClaudeChatWarning")]
)
def test_a_remark_is_a_line_in_the_colour_of_its_level(level: str, group: str) -> None:
    panel = Panel().handle(Notice("Stop says: x", level))

    assert panel.text == ["Stop says: x"]
    assert panel.drawn.groups("Stop says") == {("Stop says: x", group)}


def test_a_long_remark_folds_and_opens_with_a_press() -> None:
    panel = Panel().handle(Notice(many(5), "notice"))
    assert panel.text == ["line 1", "line 2", "line 3", "… 2 more lines"]

    panel.press("line 1")
    assert panel.text == many(5).split("\n")
    panel.press("line 1")
    assert len(panel.text) == 4


def test_a_long_line_is_cut_until_the_remark_is_opened() -> None:
    panel = Panel().handle(Notice("x" * 1000, "notice"))
    assert panel.text == ["x" * (LONGEST_LINE - 1) + "…"]

    panel.press("x")

    assert panel.text == ["x" * 1000]


def test_a_very_long_remark_opens_elsewhere() -> None:
    text = many(MOST_REMARK_LINES + 1)
    panel = Panel().handle(Notice(text, "notice"))

    assert panel.press("line 1") == OpenOutput("notice", text)
    assert len(panel.text) == 4


def test_a_remark_of_a_subagent_is_below_its_tool() -> None:
    panel = Panel().handle(
        ToolStarted("t", "Agent"), Text("1", "meanwhile"), Notice("x", "notice", parent="t")
    )

    assert panel.text == ["• Agent …", "  x", "", "meanwhile"]


def test_a_remark_before_the_first_prompt_starts_no_turn() -> None:
    panel = Panel().handle(Notice("SessionStart says: welcome", "notice"))

    panel.transcript.queue.add("p", "Hello")
    panel.handle(PromptChanged("p", PromptStage.QUEUED))

    assert panel.text[-1] == "» Hello"


def test_a_blocked_prompt_stays_with_the_reason_below_it() -> None:
    panel = Panel()
    panel.transcript.queue.add("p", "Hello")
    panel.handle(
        PromptChanged("p", PromptStage.STARTED), PromptBlocked("Hello", "not today", "a hook")
    )

    assert panel.text == ["» Hello", "", "this prompt was blocked by a hook: not today"]


def test_the_text_of_a_blocked_prompt_is_what_the_user_wrote_of_it() -> None:
    panel = Panel()
    for number in ("one", "two", "three"):
        panel.transcript.queue.add(number, f"prompt {number}")
        panel.handle(PromptChanged(number, PromptStage.STARTED))

    def like(text: str) -> str:
        return panel.transcript.prompt_like(text)

    assert like("<ide_selection>x</ide_selection>\nprompt two") == "prompt two"
    assert like("") == "prompt three"
    assert like("/expanded by the agent") == "/expanded by the agent"


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        (ToolEnded("t", ToolStatus.REJECTED), "⊘ Bash ls  rejected"),
        (ToolEnded("t", ToolStatus.INTERRUPTED), "⊘ Bash ls  interrupted"),
        (
            ToolEnded("t", ToolStatus.REJECTED, denied_by="a hook", reason="no\nnever"),
            "⊘ Bash ls  denied by a hook: no …",
        ),
        (
            ToolEnded("t", ToolStatus.REJECTED, denied_by="mode plan"),
            "⊘ Bash ls  denied by mode plan",
        ),
    ],
)
def test_a_tool_that_was_not_executed_shows_who_decided_it(ended: ToolEnded, shown: str) -> None:
    panel = Panel().handle(ToolStarted("t", "Bash"), ToolInput("t", 2, {}, title="ls"), ended)

    assert panel.text == [shown]
