"""`detail.py`: the changes of tools as a unified diff; what a turn has changed in one line."""

from claude_ide.agents.events import Change, Hunk
from claude_ide.chat.page.rows import row
from claude_ide.chat.transcript.detail import Summary, at_end, unified


def test_changes_follow_each_other_in_order() -> None:
    edited = Change("/project/a.py", 1, 1, (Hunk(1, 2, 1, 2, (" one", "-two", "+2")),))
    made = Change("/elsewhere/b.py", 1, 0, (Hunk(0, 0, 1, 1, ("+new",)),), created=True)

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
