"""`tool.py`: the line of a tool and its details, and the tools of a conversation."""

from typing import Any

import pytest
from msgspec.structs import replace

from claude_ide.agents.events import (
    Change,
    DiffHunk,
    Task,
    TaskState,
    Text,
    ThinkingTokens,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
)
from claude_ide.chat.transcript.tool import ToolUse
from claude_ide.ui.page import Part
from claude_ide.ui.sheet import OpenOutput
from support.frames import Panel, shown

HUNK = DiffHunk(10, 3, 10, 4, (" same", "-old", "+new", "+more", " end"))
CHANGE = Change("/p/a.py", 2, 1, (HUNK,))


def use(kind: str = "execute", name: str = "Bash", title: str = "") -> ToolUse:
    return ToolUse(Part(1, "tool"), ToolStarted("t", name, kind, title), "/p")


def run(kind: str, name: str, arguments: dict[str, Any], output: str = "", **end: Any) -> ToolUse:
    """Return a tool that has ended and is open."""
    tool = use(kind, name)
    path = str(arguments.get("file_path", ""))
    title = path or str(arguments.get("command", ""))
    tool.input(ToolInput("t", 9, arguments, title, path), 1.0)
    tool.end(ToolEnded("t", ToolStatus.COMPLETED, output, **end), 1.25)
    tool.press(0)
    return tool


def lines(tool: ToolUse) -> list[str]:
    return [row.text for row in tool.rows()]


def groups(tool: ToolUse, line: str) -> set[tuple[str, str]]:
    row = next(row for row in tool.rows() if row.text == line)
    shown = row.text.encode()
    return {(shown[first:last].decode(), group) for first, last, group in row.marks}


def test_large_numbers_of_changed_lines_have_separators() -> None:
    change = Change("/p/a.py", 46000, 1200)

    tool = run("edit", "Edit", {"file_path": "/p/a.py"}, changes=(change,))

    assert lines(tool)[0] == "± Edit a.py  +46,000 −1,200  250 ms"  # noqa: RUF001


def test_a_tool_that_has_started_shows_its_name() -> None:
    assert lines(use()) == ["$ Bash …"]


def test_growing_input_shows_its_size() -> None:
    tool = use("edit", "Write")
    tool.input(ToolInput("t", 12_345), 0.0)

    assert lines(tool) == ["± Write  12,345 characters …"]


def test_a_running_tool_shows_its_seconds() -> None:
    tool = use(title="make")
    assert not tool.tick(5.0)
    tool.input(ToolInput("t", 9, {"command": "make"}), 1.0)

    assert not tool.tick(1.9)
    assert lines(tool) == ["$ Bash make …"]
    assert tool.tick(4.1)
    assert lines(tool) == ["$ Bash make  3 s …"]
    assert not tool.tick(4.9)
    tool.restart_clock(5.0)
    assert lines(tool) == ["$ Bash make …"]
    tool.end(ToolEnded("t", ToolStatus.COMPLETED), 70.0)
    assert lines(tool) == ["$ Bash make  1 min 5 s"]


def test_a_tool_that_has_ended_shows_its_changes_and_its_duration() -> None:
    tool = run("edit", "Edit", {"file_path": "/p/a.py"}, changes=(CHANGE,))

    line = "± Edit a.py  +2 −1  250 ms"  # noqa: RUF001
    assert lines(tool)[0] == line
    assert {("+2", "ClaudeChatAdded"), ("−1", "ClaudeChatRemoved")} <= groups(tool, line)  # noqa: RUF001


@pytest.mark.parametrize(
    ("status", "line", "group"),
    [
        (ToolStatus.FAILED, "✗ Bash ls  failed: no such file  250 ms", "ClaudeChatToolFailed"),
        (ToolStatus.REJECTED, "⊘ Bash ls  rejected", "ClaudeChatToolRejected"),
    ],
)
def test_a_tool_without_success_is_marked(status: ToolStatus, line: str, group: str) -> None:
    tool = use(title="ls")
    tool.input(ToolInput("t", 9, {"command": "ls"}), 1.0)
    tool.end(ToolEnded("t", status, "Error: no such file"), 1.25)

    assert lines(tool) == [line]
    assert (f"{line[0]} Bash", group) in groups(tool, line)


def test_a_command_of_several_lines_is_one_line_until_it_is_opened() -> None:
    tool = run("execute", "Bash", {"command": "cd a\nls"}, "b.py\nc.py\n")

    assert lines(tool) == ["$ Bash cd a …  250 ms", "    cd a", "    ls", "    b.py", "    c.py"]
    assert groups(tool, "    cd a") == {("cd a", "ClaudeChatCode")}
    tool.press(2)
    assert len(lines(tool)) == 1


def test_other_tools_open_to_show_their_arguments() -> None:
    tool = run("other", "Ask", {"what": "one\ntwo", "many": [1, {"a": None}]}, "done")

    assert lines(tool)[1:] == [
        *("    what: one", "      two", '    many: [1,{"a":null}]', "    done")
    ]


def test_an_edit_opens_to_show_its_hunks() -> None:
    tool = run("edit", "Edit", {"file_path": "/p/a.py", "old_string": "x"}, "ok", changes=(CHANGE,))

    assert lines(tool)[1:] == ["     same", "    -old", "    +new", "    +more", "     end"]
    assert groups(tool, "    +new") == {("+new", "ClaudeChatAdded")}
    assert groups(tool, "    -old") == {("-old", "ClaudeChatRemoved")}


def test_a_new_file_opens_to_show_its_content() -> None:
    arguments = {"file_path": "/p/a.py", "content": "one\ntwo\n"}
    tool = run("edit", "Write", arguments, "ok", changes=(Change("/p/a.py", 2, 0, created=True),))

    assert lines(tool)[1:] == ["    +one", "    +two"]


def test_several_edits_are_shown_before_they_are_applied() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]
    tool = use("edit", "MultiEdit")
    tool.input(ToolInput("t", 9, {"file_path": "/p/a.py", "edits": edits}), 0.0)
    tool.press(0)

    assert lines(tool)[1:] == ["    -a", "    +b", "    -c", "    +"]


def test_long_output_is_cut_and_opens_in_another_window() -> None:
    output = "\n".join(str(number) for number in range(1234))
    tool = run("execute", "Bash", {"command": "seq"}, output)

    assert len(lines(tool)) == 203
    assert lines(tool)[-1] == "    … 1,034 more lines"
    assert tool.press(202) == OpenOutput("Bash seq", output)
    assert len(lines(tool)) == 203, "it is still open"


def test_one_further_line_is_singular() -> None:
    tool = run("execute", "Bash", {"command": "seq"}, "x\n" * 201)

    assert lines(tool)[-1] == "    … 1 more line"


def test_a_long_change_is_cut() -> None:
    hunk = DiffHunk(1, 0, 1, 500, tuple(f"+{number}" for number in range(500)))
    tool = run(
        "edit", "Edit", {"file_path": "/p/a.py"}, changes=(Change("/p/a.py", 500, 0, (hunk,)),)
    )

    assert lines(tool)[-1] == "    … 300 more lines"
    action = tool.press(201)
    assert isinstance(action, OpenOutput)
    assert action.text.count("\n") == 499


def test_output_is_shown_while_it_arrives_without_its_colours() -> None:
    tool = use(title="make")
    tool.press(0)
    tool.output(ToolOutput("t", "\x1b[32mone\x1b[0m\n10%\r"))
    tool.output(ToolOutput("t", "20%\n"))

    assert lines(tool) == ["$ Bash make …", "    one", "    20%"]


def test_a_tool_without_anything_to_show_says_so() -> None:
    tool = run("other", "Nothing", {})

    assert lines(tool)[1:] == ["    nothing to show"]


def test_the_line_of_a_tool_leads_to_the_first_changed_line() -> None:
    tool = run("edit", "Edit", {"file_path": "/p/a.py"}, changes=(CHANGE,))

    assert tool.location(0, 5) == ("/p/a.py", 11)


def test_a_line_of_a_change_leads_to_that_line_of_the_file() -> None:
    tool = run("edit", "Edit", {"file_path": "/p/a.py"}, changes=(CHANGE,))
    tool.rows()

    assert [tool.location(offset, 0) for offset in range(1, 6)] == [
        *(("/p/a.py", 10), ("/p/a.py", 11), ("/p/a.py", 11), ("/p/a.py", 12), ("/p/a.py", 13))
    ]


def test_a_numbered_line_of_output_leads_to_that_line_of_the_file() -> None:
    tool = run("read", "Read", {"file_path": "/p/a.py"}, "  41\tone\n  42\ttwo")
    tool.rows()

    assert tool.location(3, 9) == ("/p/a.py", 42)


def test_a_search_result_leads_to_its_location() -> None:
    tool = run("search", "Grep", {"pattern": "x"}, "src/b.py:7:x = 1")
    tool.part.rows = tool.rows()

    assert tool.location(2, 6) == ("src/b.py", 7)
    assert tool.location(2, 18) is None


def test_a_tool_without_a_file_leads_nowhere() -> None:
    assert use().location(0, 0) is None


def test_a_title_is_one_short_line() -> None:
    assert lines(use(title="x" * 500)) == [f"$ Bash {'x' * 119}… …"]


def test_an_agent_may_name_a_tool_twice() -> None:
    tool = use(title="")
    tool.rename(ToolStarted("t", "", "execute", "ls -l"))

    assert lines(tool) == ["$ Bash ls -l …"]


BEHIND = Task("a1", "Explore", "look", "t", in_background=True, is_agent=True)


def head_after(*tasks: Task) -> str:
    """Return the line of a subagent that was started in no time, with its task after 5 seconds."""
    tool = use("think", "Agent", "look")
    tool.input(ToolInput("t", 9, {}), 1.0)
    tool.end(ToolEnded("t", ToolStatus.COMPLETED), 1.0)
    for task in tasks:
        tool.follow(task, 6.0)
    return lines(tool)[0]


def test_a_tool_whose_task_runs_in_the_background_does_not_look_done() -> None:
    assert head_after(BEHIND) == "◇ Agent look  in the background …"


def test_the_progress_of_a_subagent_is_in_its_line() -> None:
    task = replace(BEHIND, tools=3, tokens=1234, last_tool="Read")

    shown = head_after(task)

    assert shown == "◇ Agent look  in the background · 3 tools · 1,234 tokens · Read …"


@pytest.mark.parametrize(
    ("state", "result", "shown"),
    [
        (TaskState.COMPLETED, "It is fine.", "◇ Agent look  5.0 s"),
        (TaskState.STOPPED, "", "⊘ Agent look  stopped  5.0 s"),
        (TaskState.FAILED, "", "✗ Agent look  failed  5.0 s"),
        (TaskState.FAILED, "no tools", "✗ Agent look  failed: no tools  5.0 s"),
        (TaskState.FAILED, "failed with code 3", "✗ Agent look  failed with code 3  5.0 s"),
    ],
)
def test_a_tool_shows_how_its_task_has_ended(state: TaskState, result: str, shown: str) -> None:
    assert head_after(BEHIND, replace(BEHIND, state=state, result=result)) == shown


def test_the_report_of_a_subagent_is_in_its_details() -> None:
    tool = use("think", "Agent")
    tool.follow(replace(BEHIND, state=TaskState.COMPLETED, result="It is fine."), None)

    tool.press(0)

    assert lines(tool)[1:] == ["    It is fine."]


def test_a_task_in_the_foreground_ends_with_its_tool() -> None:
    tool = use(title="make")
    tool.follow(replace(BEHIND, in_background=False), 1.0)
    assert tool.is_running

    tool.end(ToolEnded("t", ToolStatus.COMPLETED), 2.0)

    assert lines(tool) == ["$ Bash make"]


def test_a_line_that_grows_redraws_only_itself() -> None:
    panel = Panel().handle(ToolStarted("a", "Read"), ToolStarted("b", "Write"))
    panel.handle(Text("1", "text"), ThinkingTokens(1))

    for event in (ToolInput("b", 100), ToolInput("b", 200), ThinkingTokens(2), ThinkingTokens(3)):
        panel.handle(event)
        [edit] = panel.drawn.frames[-1]["edits"]
        assert (edit["last"] - edit["first"], len(edit["lines"])) == (1, 1)

    assert panel.text == [
        *("• Read …", "• Write  200 characters …", "", "text", "", "· Thinking… 3 tokens")
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
