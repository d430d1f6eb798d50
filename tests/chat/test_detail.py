"""`detail.py`: the changes of tools, and the end of a running command's output."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from claude_ide.agents.events import (
    Change,
    Dead,
    DiffHunk,
    Event,
    Task,
    TaskChanged,
    Text,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.chat.transcript.detail import (
    LIVE_CHARACTERS,
    MOST_LIVE_LINES,
    Summary,
    at_end,
    last_lines,
    of_live,
    unified,
)
from claude_ide.ui.page import INDENT, row
from claude_ide.ui.text import cells
from support.frames import Panel


def test_changes_follow_each_other_in_order() -> None:
    edited = Change("/project/a.py", 1, 1, (DiffHunk(1, 2, 1, 2, (" one", "-two", "+2")),))
    made = Change("/elsewhere/b.py", 1, 0, (DiffHunk(0, 0, 1, 1, ("+new",)),), created=True)

    assert unified([edited, made], "/project").splitlines() == [
        *("--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", " one", "-two", "+2"),
        *("--- /dev/null", "+++ b//elsewhere/b.py", "@@ -0,0 +1,1 @@", "+new"),
    ]


def test_no_changes_give_an_empty_text() -> None:
    assert unified([], "/project") == ""


def test_the_line_at_a_turns_end_has_the_numbers_and_the_key() -> None:
    [first, second] = at_end([row(("── 2 s", "Meta")), row(("more", ""))], Summary(3, 41, 7))

    assert first.text == "── 2 s · 3 files +41 −7 · gd"  # noqa: RUF001
    marked = [(first.text.encode()[a:b].decode(), group) for a, b, group in first.marks]
    assert ("+41", "ClaudeChatAdded") in marked
    assert ("−7", "ClaudeChatRemoved") in marked  # noqa: RUF001
    assert ("gd", "ClaudeChatKey") in marked
    assert second.text == "more"


def test_a_turn_without_a_line_gets_one() -> None:
    [only] = at_end([], Summary(1, 1, 0))

    assert only.text == "── 1 file +1 −0 · gd"  # noqa: RUF001


STARTED = (ToolStarted("t", "Bash", "execute", "make"), ToolInput("t", 9, {"command": "make"}))


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("", ()),
        ("\n \n", ()),
        ("one", ("one",)),
        ("1\n2\n3\n4\n", ("2", "3", "4")),
        ("1\n\n2\n  \n\n", ("1", "2")),
        ("\x1b[1;32mok\x1b[0m\x1b[K\n", ("ok",)),
        ("Compiling\r\n10%\r20%\r", ("Compiling", "20%")),
        ("100%\n\x1b[2K\x1b[1Gdone\x1b[", ("100%", "done")),
        ("|\b/\b-\b", ("-",)),
        ("a\tb\n", ("a       b",)),
        ("\a\x00bell", ("^G^@bell",)),
        (
            "left \u202eright\u200b \U0001f469\u200d\U0001f680",
            ("left right \U0001f469\u200d\U0001f680",),
        ),
    ],
)
def test_the_last_lines_are_those_that_a_terminal_shows(
    output: str, shown: tuple[str, ...]
) -> None:
    assert last_lines(output) == shown


@given(st.text(st.characters(codec=None)), st.integers(-3, 30))
def test_no_row_is_too_wide_or_has_control_characters(output: str, width: int) -> None:
    rows = [detail.row.text for detail in of_live(last_lines(output), width)]

    assert len(rows) <= MOST_LIVE_LINES
    for text in rows:
        assert cells(text) <= max(width, 0)
        assert not [each for each in text if ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0]


def test_a_line_that_is_cut_off_at_its_beginning_is_left_out() -> None:
    output = "x" * LIVE_CHARACTERS + "\nend"

    assert last_lines(output) == ("end",)
    assert last_lines("\x1b[31m" * LIVE_CHARACTERS + "\r50%") == ("50%",)


class Running(Panel):
    """A panel in which a command runs."""

    def __init__(self, *started: Event) -> None:
        super().__init__()
        self.handle(*(started or STARTED))

    def prints(self, output: str, *, replaces: bool = False) -> None:
        self.handle(ToolOutput("t", output, replaces))

    def wait(self, seconds: float = 1.0) -> list[str]:
        """Let time pass; return the lines after the tick."""
        self.clock.seconds += seconds
        self.transcript.tick()
        return self.text


def test_the_end_of_the_output_is_shown_while_the_command_runs() -> None:
    panel = Running()
    panel.prints("1\n2\n")

    assert panel.wait() == ["$ Bash make  1 s …", "    1", "    2"]
    assert panel.drawn.groups("    1") == {("1", "ClaudeChatDetail")}
    panel.prints("3\n4\n")
    assert panel.wait() == ["$ Bash make  2 s …", "    2", "    3", "    4"]
    panel.prints("5", replaces=True)
    assert panel.wait() == ["$ Bash make  3 s …", "    5"]

    panel.handle(ToolEnded("t", ToolStatus.COMPLETED, "5\n6\n"))
    assert panel.text == ["$ Bash make  3.0 s"]


def test_a_short_command_shows_no_output() -> None:
    panel = Running()
    panel.prints("1\n")

    assert panel.wait(0.9) == ["$ Bash make …"]
    panel.handle(ToolEnded("t", ToolStatus.COMPLETED, "1\n"))
    assert panel.text == ["$ Bash make  900 ms"]


def test_new_output_is_not_drawn_before_the_next_second() -> None:
    panel = Running()
    panel.prints("1\n")
    panel.wait()
    frames = len(panel.drawn.frames)

    for number in range(500):
        panel.prints(f"{number}\n")
        panel.clock.seconds += 0.001
        panel.transcript.tick()

    assert len(panel.drawn.frames) == frames
    assert panel.wait(0.75)[1:] == ["    497", "    498", "    499"]
    assert len(panel.drawn.frames) == frames + 1


def test_output_before_the_user_has_allowed_the_command_is_not_shown() -> None:
    panel = Running()
    panel.prints("about to run make\n")
    panel.wait()

    panel.transcript.answered("t", "Bash make", "allowed")

    panel.prints("1\n", replaces=True)
    assert panel.wait(0.5) == ["$ Bash make …", "  ↳ allowed"]
    assert panel.wait() == ["$ Bash make  1 s …", "    1", "  ↳ allowed"]


def test_an_opened_command_shows_all_of_its_output_instead() -> None:
    panel = Running()
    panel.prints("1\n2\n3\n4\n")
    panel.wait()

    panel.press("    3")
    assert panel.text[1:] == ["    make", "    1", "    2", "    3", "    4"]
    panel.press("$ Bash")
    assert panel.text[1:] == ["    2", "    3", "    4"]


def test_a_location_in_the_output_can_be_opened() -> None:
    panel = Running()
    panel.prints("src/a.c:7: error\n")
    panel.wait()

    part, offset = panel.drawn.part("    src/a.c")

    assert panel.transcript.location(part, offset, 6) == ("src/a.c", 7)


@pytest.mark.parametrize("end", [TurnEnded(TurnEndReason.INTERRUPTED), Dead(1)])
def test_the_output_disappears_with_the_turn(end: Event) -> None:
    panel = Running()
    panel.prints("1\n")
    panel.wait()

    panel.handle(end)

    assert panel.text[0] == "⊘ Bash make  interrupted"
    assert "    1" not in panel.text


def test_only_commands_show_their_output() -> None:
    panel = Running(ToolStarted("t", "Read", "read"), ToolInput("t", 2, {}))
    panel.prints("1\n")

    assert panel.wait() == ["→ Read  1 s …"]


def test_what_the_tool_says_about_a_task_in_the_background_is_not_its_output() -> None:
    panel = Running()
    panel.handle(TaskChanged(Task("a", "command", "make", "t", in_background=True)))
    panel.handle(ToolEnded("t", ToolStatus.COMPLETED, "Command running in background with ID: a"))

    assert panel.wait() == ["$ Bash make  in the background · 1 s …"]


def test_long_lines_are_cut_at_the_width_of_the_window() -> None:
    panel = Running(*(replace(event, tool="a") for event in STARTED), Text("b", "text"))
    panel.press("$ Bash")
    panel.handle(ToolStarted("t", "Bash", "execute", parent="a"), ToolInput("t", 2, {}, parent="a"))
    panel.prints("漢字" * 50)
    panel.wait()

    for width in (41, 20):
        panel.transcript.sheet.resize(width)
        end = next(line for line in panel.text if line.startswith(INDENT * 3))
        assert cells(end) == width - (width + 1) % 2
        assert end.endswith("字…") or end.endswith("漢…")
