"""`review/announcer.py`: which events users get, and their data."""

from typing import Any

import pytest

from claude_ide.agents.events import Change, DiffHunk, FileWritten, ToolStatus, TurnEndReason
from claude_ide.review import announcer
from claude_ide.review.announcer import Announcer, found_change, whole
from claude_ide.review.snapshot import ChangedFile

HUNK = DiffHunk(1, 1, 1, 1, ("-a", "+b"))


class Heard:
    """Collects the events of one announcer."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.announcer = Announcer(self.hear, "Otter", "/river", chat=3)

    def hear(self, event: str, data: dict[str, Any]) -> None:
        self.events.append((event.removeprefix("Claude"), data))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_the_end_of_whatever_is_open_is_added(heard: Heard) -> None:
    heard.announcer.session("s1")
    heard.announcer.prompted("swim")
    heard.announcer.tool_started("t1", "Bash")

    heard.announcer.prompted("dive")
    heard.announcer.session_ended()
    heard.announcer.session("s2")
    heard.announcer.session("s3")
    heard.announcer.session_ended()

    first = ["SessionStart", "Prompt", "ToolStart", "ToolEnd", "TurnEnd"]
    second = ["Prompt", "TurnEnd", "SessionEnd"]
    assert heard.names == [*first, *second, *["SessionStart", "SessionEnd"] * 2]
    assert heard.events[3][1]["status"] == "interrupted"
    assert heard.events[4][1]["reason"] == "interrupted"
    assert [data["session"] for _, data in heard.events] == ["s1"] * 8 + ["s2"] * 2 + ["s3"] * 2


@pytest.mark.parametrize("before", ["", "s0"])
def test_a_session_whose_id_is_known_later_begins_once(heard: Heard, before: str) -> None:
    heard.announcer.session(before)
    heard.announcer.prompted("swim")
    heard.announcer.session("s1")
    heard.announcer.turn_ended(TurnEndReason.COMPLETED)

    assert heard.names == ["SessionStart", "Prompt", "TurnEnd"]
    assert [data["session"] for _, data in heard.events] == [before, before, "s1"]


def test_a_tool_begins_and_ends_once(heard: Heard) -> None:
    for _ in range(2):
        heard.announcer.tool_started("t1", "Read", "/river/a")
    for _ in range(2):
        heard.announcer.tool_ended("t1", ToolStatus.REJECTED)
    heard.announcer.tool_ended("t2", ToolStatus.COMPLETED)

    assert heard.names == ["SessionStart", "ToolStart", "ToolEnd"]
    assert heard.events[-1][1] == {
        **{"agent": "Otter", "chat": 3, "session": "", "id": "t1", "tool": "Read"},
        **{"path": "/river/a", "status": "rejected", "files": []},
    }


def test_a_turn_ends_with_the_files_of_all_its_tools(heard: Heard) -> None:
    heard.announcer.prompted("swim")
    heard.announcer.tool_started("t1", "Edit")
    heard.announcer.tool_ended("t1", ToolStatus.COMPLETED, [Change("/b", 1, 1, (HUNK,))])
    heard.announcer.touched(["/a", "/b"])
    heard.announcer.turn_ended(TurnEndReason.TOO_LONG)
    heard.announcer.prompted("dive")
    heard.announcer.turn_ended(TurnEndReason.COMPLETED)

    ends = [data for name, data in heard.events if name == "TurnEnd"]
    assert [(end["reason"], end["paths"]) for end in ends] == [
        ("failed", ["/b", "/a"]),
        ("completed", []),
    ]


def test_hunks_that_are_too_long_are_left_out(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcer, "LARGEST_HUNKS", 3)
    heard.announcer.tool_started("t1", "Edit")
    heard.announcer.tool_ended("t1", ToolStatus.COMPLETED, [Change("/a", 1, 1, (HUNK,))])

    assert heard.events[-1][1]["files"] == [{"path": "/a"}]


def test_a_write_has_the_hunks_of_its_texts_unless_they_were_reported() -> None:
    reported = Change("/a", 1, 1, (HUNK,))
    written = [
        FileWritten("t", "/a", "x\n", "y\n"),
        FileWritten("t", "/new", None, "n\n"),
        FileWritten("t", "/unknown", "u\n", None),
    ]

    changes = whole([reported, Change("/new", 1, 0, created=True)], written)

    assert changes[0] is reported
    assert [(each.path, [hunk.lines for hunk in each.hunks]) for each in changes[1:]] == [
        ("/new", [("+n",)])
    ]


def test_a_change_on_disk_has_hunks_if_both_texts_are_known() -> None:
    gone = found_change(ChangedFile("/a", b"a\n", None))
    unknown = found_change(ChangedFile("/b", None, b"b\n", obstacle="too large"))

    assert [hunk.lines for hunk in gone.hunks] == [("-a",)]
    assert unknown.hunks == ()
