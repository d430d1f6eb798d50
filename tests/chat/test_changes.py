"""`changes.py`: the changes of tools as a unified diff."""

from claude_ide.agents.events import Change, Hunk
from claude_ide.chat.transcript.changes import unified


def test_changes_follow_each_other_in_order() -> None:
    edited = Change("/project/a.py", 1, 1, (Hunk(1, 2, 1, 2, (" one", "-two", "+2")),))
    made = Change("/elsewhere/b.py", 1, 0, (Hunk(0, 0, 1, 1, ("+new",)),), created=True)

    assert unified([edited, made], "/project").splitlines() == [
        *("--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", " one", "-two", "+2"),
        *("--- /dev/null", "+++ b//elsewhere/b.py", "@@ -0,0 +1,1 @@", "+new"),
    ]


def test_no_changes_give_an_empty_text() -> None:
    assert unified([], "/project") == ""
