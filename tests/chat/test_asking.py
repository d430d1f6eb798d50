"""What waits for the user, and its keys."""

from typing import Any

import pytest

from claude_ide.agents.events import (
    Choice,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
)
from claude_ide.chat.asking import Asked, Request
from claude_ide.chat.page import Part
from claude_ide.chat.view import Review

ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)
ALWAYS = Option("always:0", "Always allow Bash(ls)", OptionKind.ALLOW_ALWAYS, "this session")
NEVER = Option("always:1", "Never allow Bash(ls)", OptionKind.REJECT_ALWAYS)
REJECT = Option("reject", "Reject", OptionKind.REJECT_ONCE)


def request(asked: Asked) -> Request:
    return Request(Part(1, "request"), asked, "/p")


def lines(asked: Asked) -> list[str]:
    return [row.text for row in request(asked).rows()]


def permission(*always: Option, **fields: Any) -> PermissionAsked:
    asked = {"kind": "execute", "title": "ls", "arguments": {"command": "ls"}} | fields
    return PermissionAsked("r", "t", "Bash", options=(ALLOW, *always, REJECT), **asked)


def test_a_permission_has_a_line_for_each_way_to_answer() -> None:
    assert lines(permission(ALWAYS, reason="not in the list")) == [
        "? May Claude use Bash ls?",
        "  not in the list",
        "  y  yes, once",
        "  a  Always allow Bash(ls) (this session)",
        "  n  no",
        "  N  no, because…",
        "  d  details",
    ]


def test_several_ways_to_allow_it_for_ever_are_one_key() -> None:
    assert "  a  always… (2 ways)" in lines(permission(ALWAYS, NEVER))


def test_there_is_no_key_for_what_is_not_offered() -> None:
    assert not [line for line in lines(permission()) if line.startswith("  a")]


def test_keys_are_highlighted() -> None:
    row = request(permission()).rows()[1]

    assert row.text == "  y  yes, once"
    assert tuple(row.marks[0]) == (2, 3, "ClaudeChatKey")


def test_an_edit_says_where_its_diff_is() -> None:
    arguments = {"file_path": "/p/a.py", "content": "new"}
    shown = lines(permission(kind="edit", title="/p/a.py", arguments=arguments))

    assert shown[:2] == [
        "? May Claude use Bash a.py?",
        "  the diff is open: :w accepts, :q rejects",
    ]


def test_an_edit_that_no_diff_shows_does_not_say_so() -> None:
    shown = lines(permission(kind="edit", arguments={"notebook_path": "/p/a.ipynb"}))

    assert shown[1] == "  y  yes, once"


def test_a_press_shows_the_arguments() -> None:
    shown = request(permission())

    assert shown.press(0) is None
    assert shown.rows()[-1].text == "    ls"
    shown.press(0)
    assert shown.rows()[-1].text == "  d  details"


@pytest.mark.parametrize("hidden", ["rm -rf ~ \r", "rm -rf ~ \x1b[2K", "rm -rf ~\x1b[8m "])
def test_no_part_of_a_command_is_hidden_by_control_characters(hidden: str) -> None:
    command = f"{hidden}echo hello"
    shown = request(permission(title=command, arguments={"command": command}))

    shown.press(0)

    rows = [row.text for row in shown.rows()]
    assert "rm -rf ~" in rows[0]
    assert "rm -rf ~" in rows[-1]
    assert "^" in rows[-1]


def test_questions_are_shown_with_their_choices() -> None:
    asked = QuestionAsked(
        "r",
        "t",
        (
            Question("Which library?", "Library", (Choice("httpx", "async"), Choice("requests"))),
            Question("Which features?\nAny.", "", (Choice("Retry"),), multiple=True),
        ),
    )

    assert lines(asked) == [
        *("? Library: Which library?", "  · httpx — async", "  · requests"),
        *("? Which features?", "  Any.", "  ☐ Retry"),
        *("  <CR>  answer", "  n  no answer", "  N  no, because…"),
    ]
    assert request(asked).press(0) == Review("r")


def test_a_plan_is_approved_in_its_buffer_or_by_a_key() -> None:
    asked = PlanProposed("r", "t", "# Plan", "/plan.md", (ALLOW, ALWAYS, REJECT))

    assert lines(asked) == [
        "? May Claude carry out the plan?",
        "  the plan is open: :w approves, :q keeps planning",
        "  y  yes",
        "  a  Always allow Bash(ls) (this session)",
        "  n  no, keep planning",
        "  N  no, because…",
    ]


def test_a_plan_that_was_told_in_text_is_looked_for_there() -> None:
    assert lines(PlanProposed("r", "t", "", "", (ALLOW,)))[1] == "  the plan is in the text above"


def test_a_request_says_in_one_line_what_it_is_about() -> None:
    asked = QuestionAsked("r", "t", (Question("Which\nlibrary?", "", ()),))

    assert request(asked).label == "Which …"
    assert request(QuestionAsked("r", "t", ())).label == ""
    assert request(permission(title="/p/a.py")).label == "Bash a.py"
