"""Requests and their keys."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.requests import (
    Asked,
    Option,
    OptionKind,
    PermissionAsked,
    PlanProposed,
    Question,
    QuestionAsked,
    Replacement,
    Subagent,
)
from claude_ide.base.paths import DisplayPath
from claude_ide.ui import request as drawn
from claude_ide.ui.page import Page, Part
from claude_ide.ui.request import CUT, ONCE, WHOLE, RequestView
from claude_ide.ui.text import visible

ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)
ALWAYS = Option("always:0", "always allow Bash(ls)", OptionKind.ALLOW_ALWAYS, "this session")
NEVER = Option("always:1", "never allow Bash(ls)", OptionKind.REJECT_ALWAYS)
REJECT = Option("reject", "Reject", OptionKind.REJECT_ONCE)


def request(asked: Asked) -> RequestView:
    return RequestView(Part(1, "request"), asked, "/p", "Claude")


def lines(asked: Asked) -> list[str]:
    return [row.text for row in request(asked).rows()]


def permission(*always: Option, **fields: Any) -> PermissionAsked:
    asked = {"kind": "execute", "title": "ls", "arguments": {"command": "ls"}} | fields
    return PermissionAsked("r", "t", "Bash", options=(ALLOW, *always, REJECT), **asked)


def test_a_permission_has_a_line_for_each_way_to_answer() -> None:
    assert lines(permission(ALWAYS, reason="not in the list")) == [
        "? Run this command?  ls",
        "  not in the list",
        "  y  yes, once",
        "  a  always allow Bash(ls) (this session)",
        "  n  no",
        "  N  no, because…",
    ]


def test_several_always_options_share_one_key() -> None:
    assert "  a  always… (2 ways)" in lines(permission(ALWAYS, NEVER))


def test_an_option_that_is_not_offered_has_no_key() -> None:
    assert not [line for line in lines(permission()) if line.startswith("  a")]


def test_keys_are_highlighted() -> None:
    row = request(permission()).rows()[1]

    assert row.text == "  y  yes, once"
    assert tuple(row.marks[0]) == (2, 3, "ClaudeChatKey")


EDIT = {"file_path": "/p/a.py", "content": "new\nlines\n"}


def test_an_edit_with_an_open_diff_refers_to_the_diff() -> None:
    shown = request(permission(kind="edit", title="/p/a.py", arguments=EDIT))
    shown.reviewed = True

    assert [row.text for row in shown.rows()] == [
        "? Edit a.py?",
        "  in its diff: :w accepts, :q rejects",
        *("  │ +new", "  │ +lines"),
        "  y  yes, once",
        "  n  no",
        "  N  no, because…",
    ]
    assert shown.kind == WHOLE


def test_an_edit_without_a_diff_is_shown_in_the_transcript() -> None:
    shown = request(permission(kind="edit", title="/p/a.py", arguments=EDIT))

    assert [row.text for row in shown.rows()][:4] == [
        *("? Edit a.py?", "  │ +new", "  │ +lines", "  y  yes, once")
    ]
    assert shown.kind == WHOLE


LONG_EDIT = EDIT | {"content": "".join(f"line {number}\n" for number in range(12))}


def test_a_press_shows_all_of_an_edit_although_its_diff_is_open() -> None:
    shown = request(permission(kind="edit", title="/p/a.py", arguments=LONG_EDIT))
    shown.reviewed = True

    assert shown.kind == CUT
    assert "  4 more lines" in [row.text for row in shown.rows()]
    assert shown.press(0) is None
    assert "  │ +line 11" in [row.text for row in shown.rows()]
    assert shown.kind == WHOLE
    shown.press(0)
    assert shown.kind == CUT


def test_an_edit_is_shown_as_a_unified_diff() -> None:
    asked = {"old_string": "a\n", "new_string": "b\n", "replace_all": True}
    arguments = {"file_path": "/p/a.py"} | asked
    shown = request(permission(kind="edit", title="/p/a.py", arguments=arguments))

    shown.propose(("@@ -1,2 +1,2 @@", "-a", "+b", " c"))

    rows = shown.rows()[1:5]
    assert [row.text for row in rows] == ["  │ @@ -1,2 +1,2 @@", "  │ -a", "  │ +b", "  │  c"]
    assert [row.marks[1].group for row in rows] == [
        *("ClaudeChatMeta", "ClaudeChatRemoved", "ClaudeChatAdded", "ClaudeChatDetail")
    ]
    assert "replace_all: true" not in body(shown)


def test_a_command_in_the_question_is_highlighted_as_shell() -> None:
    [question, *_] = command("ls -la").rows()

    assert question.text == "? Run this command?  ls -la"
    assert [tuple(mark) for mark in question.marks] == [
        (0, 21, "ClaudeChatRequest"),
        (21, 27, "ClaudeChatShell"),
    ]


@pytest.mark.parametrize("hidden", ["rm -rf ~ \r", "rm -rf ~ \x1b[2K", "rm -rf ~\x1b[8m "])
def test_no_part_of_a_command_is_hidden_by_control_characters(hidden: str) -> None:
    command = f"{hidden}echo hello"
    shown = request(permission(title=command, arguments={"command": command}))
    shown.resize(80, 60)

    (question, *_) = [row.text for row in shown.rows()]
    assert "rm -rf ~" in question
    assert "echo hello" in question
    assert "^" in question


def command(text: str, *always: Option, width: int = 40, **more: Any) -> RequestView:
    """Return a request for a command, in a window of this width."""
    shown = request(permission(*always, title=text, arguments={"command": text} | more))
    shown.resize(width, 60)
    return shown


def body(shown: RequestView) -> list[str]:
    return [row.text[4:] for row in shown.rows() if row.text.startswith(("  │ ", "  ┊ "))]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("python3 -m pytest # tests\ncurl x | sh", ["python3 -m pytest # tests", "curl x | sh"]),
        (f"echo {'a' * 60}; touch HIDDEN", [f"echo {'a' * 31}", f"{'a' * 29}; touch", " HIDDEN"]),
        (f"ls{' ' * 50}; touch HIDDEN", [f"ls{' ' * 34}", f"{' ' * 16}; touch HIDDEN"]),
        ("ls\n\n\n\nrm", ["ls", "", "", "", "rm"]),
        ("ls\t\tx\r\nrm\r", ["ls\t\tx^M", "rm^M"]),
        ("ls # \u202e\u2066x\u200b\nrm", ["ls # <202e><2066>x<200b>", "rm"]),
        ("ls # \u2028rm\u0085rm\x0brm\x00", ["ls # <2028>rm<0085>rm^Krm^@"]),
        ("a\u0301\u0302\u0303\u0304\nb", ["a\u0301\u0302<0303><0304>", "b"]),
        ("ls \u3164\u2800\u00a0\U000e0041\ufe0f x\n", ["ls <3164><2800><00a0><e0041><fe0f> x"]),
        ("echo \ud800\nrm", ["echo <d800>", "rm"]),
        ("字" * 20, ["字" * 18, "字" * 2]),
    ],
)
def test_every_character_of_a_command_can_be_seen(text: str, rows: list[str]) -> None:
    shown = command(text, run_in_background=True)

    assert body(shown) == [*rows, "run_in_background: true"]


@given(
    text=st.text(st.characters() | st.sampled_from(" \n\t\r\u200b\u202e\u0301y")),
    width=st.integers(12, 200),
)
def test_all_of_any_command_is_shown_before_y_allows_it(text: str, width: int) -> None:
    shown = command(text, width=width)

    if shown.kind == CUT:
        assert any(row.text.endswith(("more line", "more lines")) for row in shown.rows())
        shown.unfold("y")

    assert shown.kind == WHOLE
    lines = text.removesuffix("\n").split("\n")
    question = shown.rows()[0].text
    assert question == f"? Run this command?  {visible(text)}" or "".join(body(shown)) == (
        "".join(map(visible, lines))
    )


def test_a_long_command_shows_how_many_lines_are_hidden() -> None:
    shown = command("\n".join(f"step {number}" for number in range(40)), ALWAYS)

    rows = [row.text for row in shown.rows()]
    assert rows[0] == "? Run this command?"
    assert rows[15:18] == ["  │ step 14", "  25 more lines", "  y  yes, once"]
    assert rows[-1] == "  d  details"
    assert shown.kind == CUT

    shown.unfold("y")
    rows = [row.text for row in shown.rows()]
    assert rows[1] == "  40 lines"
    assert rows[2:42] == [f"  │ step {number}" for number in range(40)]
    assert shown.kind == WHOLE


def test_the_limit_counts_rows_of_the_window() -> None:
    shown = command("x" * 3000, width=34)

    assert f"  {3000 // 30 - 15} more lines" in [row.text for row in shown.rows()]
    shown.resize(204, 60)
    assert len(body(shown)) == 3000 // 200
    assert shown.kind == WHOLE


def test_a_command_that_was_shown_stays_shown_in_a_smaller_window() -> None:
    page = Page()
    asked = permission(title="x" * 600, arguments={"command": "x" * 600})
    shown = RequestView(page.add("request", tail=True), asked, "/p", "Claude")
    shown.resize(104, 60)
    shown.draw(page)

    shown.resize(34, 60)

    assert shown.kind == WHOLE
    assert len(body(shown)) == 20


def test_a_short_command_is_part_of_the_question() -> None:
    rows = [row.text for row in command("ls", description="list files").rows()]

    assert rows[:3] == ["? Run this command?  ls", "  list files", "  y  yes, once"]


def test_all_arguments_of_an_unknown_tool_are_shown() -> None:
    arguments = {
        "old_file_path": "/p/term://sh x.sh",
        "options": {"deep": [1, {"x": None}]},
        "text": "one\ntwo\n",
        "empty": "",
        "on": False,
    }
    asked = PermissionAsked("r", "t", "mcp__neovim__openDiff", arguments, (ALLOW, REJECT))
    shown = request(asked)
    shown.resize(60, 60)

    assert body(shown) == [
        "old_file_path: /p/term://sh x.sh",
        *(
            "options:",
            "  {",
            '    "deep": [',
            "      1,",
            "      {",
            '        "x": null',
            "      }",
        ),
        *("    ]", "  }", "text:", "  one", "  two", "empty: ", "on: false"),
    ]


@pytest.mark.parametrize(
    ("name", "kind", "title", "arguments", "rows"),
    [
        ("KillShell", "execute", "", {"shell_id": "7"}, ["shell_id: 7"]),
        ("WebFetch", "fetch", "http://x/", {"url": "http://x/", "prompt": "p"}, ["prompt: p"]),
        ("WebSearch", "search", "cats", {"query": "cats", "allowed_domains": ["a.b"]}, None),
        ("Task", "think", "look", {"description": "look", "prompt": "a\nb"}, None),
    ],
)
def test_all_arguments_of_a_tool_are_shown(
    name: str, kind: str, title: str, arguments: dict[str, Any], rows: list[str] | None
) -> None:
    shown = request(PermissionAsked("r", "t", name, arguments, (ALLOW,), kind=kind, title=title))
    shown.resize(80, 60)

    assert rows is None or body(shown) == rows
    text = "\n".join(row.text for row in shown.rows())
    for key, value in arguments.items():
        assert value == title or f"{key}:" in text


def test_a_new_cell_of_a_notebook_is_shown() -> None:
    arguments = {"notebook_path": "/p/a.ipynb", "new_source": "import os\nos.abort()"}
    asked = {"kind": "edit", "title": "/p/a.ipynb", "arguments": arguments | {"cell_id": "c1"}}
    shown = request(permission(**asked))

    assert body(shown) == ["+import os", "+os.abort()", "cell_id: c1"]


def test_a_long_rule_is_shown_before_it_can_be_allowed() -> None:
    rule = f"always allow Bash({'x' * 80})"
    long = Option("always:0", rule, OptionKind.ALLOW_ALWAYS, "this session")
    shown = command("ls", long)

    assert shown.kind == ONCE
    assert "  a  always…" in [row.text for row in shown.rows()]

    shown.unfold("a")
    assert shown.kind == WHOLE
    assert "".join(body(shown)) == f"{rule} (this session)"


def test_a_subagent_that_asks_is_named() -> None:
    agent = Subagent("t1", "explore things", "general-purpose")
    shown = request(permission(agent=agent))
    shown.resize(100, 60)

    asked = '? The subagent "explore things" (general-purpose) asks: run this command?  ls'
    assert shown.rows()[0].text == asked
    assert shown.title == 'The subagent "explore things" (general-purpose) asks: Bash ls'
    unknown = request(permission(agent=Subagent()))
    unknown.resize(100, 60)
    assert unknown.rows()[0].text == "? A subagent asks: run this command?  ls"


def test_a_file_is_named_with_its_folder_and_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = request(permission(kind="edit", path="/p/a.py", title="/p/a.py", arguments=EDIT))
    shown.reviewed = True

    shown.resize(60, 60)
    where = DisplayPath("~/.config/.bash_profile", "runs at login")
    monkeypatch.setattr(drawn, "display_path", lambda *_: where)
    shown.locate()

    rows = shown.rows()
    assert [row.text for row in rows[:2]] == [
        *("? Edit ~/.config/.bash_profile?", "  runs at login")
    ]
    assert rows[1].marks[0].group == "ClaudeChatWarning"
    shown.resize(26, 60)
    assert shown.rows()[0].text == "? Edit this file?"
    assert "file_path: /p/a.py" in [piece.text for piece in shown.body]


def test_a_file_that_is_replaced_or_created_is_written() -> None:
    whole = Replacement("/p/a.py", "new\nlines\n")
    shown = request(permission(kind="edit", title="/p/a.py", arguments=EDIT, edits=(whole,)))

    assert shown.rows()[0].text == "? Write a.py?"


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (permission(), "Claude asks: Bash ls"),
        (permission(ALWAYS), "Claude asks: Bash ls"),
        (permission(title="ls\nrm", arguments={"command": "ls\nrm"}), ""),
        (permission(title="ls   x", arguments={"command": "ls   x"}), ""),
        (permission(title="x" * 60, arguments={"command": "x" * 60}), ""),
        (permission(arguments={"command": "ls", "timeout": 5}), ""),
        (permission(path="/p/a.py"), ""),
        (PlanProposed("r", "t", "", "", (ALLOW,)), "Claude asks: the plan"),
        (PlanProposed("r", "t", "# Plan", "", (ALLOW,)), ""),
    ],
)
def test_a_list_of_answers_names_a_request_only_if_all_of_it_fits(asked: Asked, line: str) -> None:
    assert request(asked).line == line


LONG = "\n".join("x" * 30 for _ in range(8))


@pytest.mark.parametrize(
    ("asked", "whole"),
    [
        (permission(title="x" * 60, arguments={"command": "x" * 60}), ["x" * 60]),
        (permission(title="ls\nrm", arguments={"command": "ls\nrm"}), ["ls", "rm"]),
        (permission(title=LONG, arguments={"command": LONG}), []),
        (permission(path="/p/a.py"), []),
    ],
)
def test_a_list_of_answers_shows_a_request_of_few_rows_whole(
    asked: Asked, whole: list[str]
) -> None:
    shown = request(asked).whole

    assert bool(shown) is bool(whole)
    words = "".join(filter(str.isalnum, shown))
    assert all(line in words for line in whole)


def test_a_plan_is_approved_in_its_buffer_or_by_a_key() -> None:
    asked = PlanProposed("r", "t", "# Plan", "/plan.md", (ALLOW, ALWAYS, REJECT))

    assert lines(asked) == [
        "? Approve this plan?",
        "  the plan is open: :w approves, :q keeps planning",
        "  y  yes",
        "  a  always allow Bash(ls) (this session)",
        "  n  no, keep planning",
        "  N  no, because…",
    ]


def test_a_plan_without_text_refers_to_the_answer_above() -> None:
    assert lines(PlanProposed("r", "t", "", "", (ALLOW,)))[1] == "  the plan is in the text above"


def test_a_request_has_a_label_in_one_line() -> None:
    asked = QuestionAsked("r", "t", (Question("Which\nlibrary?", "", ()),))

    assert request(asked).label == "Which …"
    assert request(QuestionAsked("r", "t", ())).label == ""
    assert request(permission(title="/p/a.py")).label == "Bash a.py"
