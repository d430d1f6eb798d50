"""`sessions/entry.py`: the rows of the list of sessions, and their order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import Dead, PromptChanged, PromptStage, Ready
from claude_ide.agents.kinds import age_of
from claude_ide.agents.session_state import SessionState
from claude_ide.agents.stream_json.running import RunningSession
from claude_ide.chat.chat import Status
from claude_ide.sessions.entry import (
    ENDED,
    IDLE,
    WAITS,
    WORKS,
    Place,
    SessionEntry,
    items,
    ordered,
    when,
)

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
READY = SessionState().spawned().after(Ready())
HERE = Place("/w/p", "/w/p", "/w/p", "main")
FEATURE = Place("/w/p/.claude/worktrees/f", "/w/p/.claude/worktrees/f", "/w/p", "worktree-f")


def entry(id_: str, state: str = ENDED, place: Place = HERE, **more: Any) -> SessionEntry:
    kind = more.pop("kind", "stored")
    return SessionEntry(id_, kind, state, RunningSession(id_), place, **more)


@pytest.mark.parametrize(
    ("ago", "age"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=1), "1 min"),
        (timedelta(minutes=119), "1 h"),
        (timedelta(hours=47), "1 d"),
        (timedelta(days=31), "2026-02-01"),
    ],
)
def test_ages_are_short(ago: timedelta, age: str) -> None:
    assert age_of(NOW - ago, NOW) == age


def test_an_entry_says_how_many_of_its_files_wait() -> None:
    assert " · 2 files to review" in entry("abc", IDLE, files=2).item(NOW)["lines"][0]
    assert " · 1 file to review" in entry("abc", IDLE, files=1).item(NOW)["lines"][0]


def test_a_chat_has_one_word_for_its_state() -> None:
    busy = READY.after(PromptChanged("a", PromptStage.QUEUED))

    assert Status("", READY).word[0] == "open"
    assert Status("", busy).word[0] == "works"
    assert Status("", busy, waiting=1).word[0] == "waits"
    assert Status("", READY.after(Dead(1))).word[0] == "ended"


def test_an_entry_has_its_figures_its_title_and_its_first_prompt() -> None:
    found = entry(
        *("abc", WORKS),
        name="Fish",
        first_prompt="Which fish?",
        changed=NOW - timedelta(hours=3),
        turns=1,
        cost=0.5,
    ).item(NOW)

    assert found["id"] == "abc"
    assert found["lines"] == ["works             3 h     1 turn    $0.50  Fish · Which fish?"]
    assert found["marks"][0] == (0, 0, 10, "ClaudeChatToolRunning")


def test_one_that_waits_says_where_it_is_and_for_what() -> None:
    asks = entry("b", WAITS, kind="background", name="fish", needs="approve Bash: make")

    assert asks.item(NOW)["lines"][0].endswith("  background  fish · approve Bash: make")
    attached = replace(asks, terminal="2").item(NOW)
    assert "background, in terminal 2  fish" in attached["lines"][0]


def test_a_passage_is_below_its_entry() -> None:
    title, passage = entry("abc", first_prompt="Which?", passage="a fish").item(NOW)["lines"]

    assert title.split() == ["ended", "Which?"]
    assert passage == "          a fish"
    assert entry("abc").item(NOW)["lines"][0].endswith("(empty)")


def test_entries_are_below_their_project_and_their_worktree() -> None:
    other = Place("/w/q/sub", "/w/q", "/w/q", "dev")
    found = [
        entry("old", changed=NOW - timedelta(days=1)),
        entry("new", changed=NOW),
        entry("there", WAITS, other),
        entry("feature", WORKS, FEATURE),
    ]

    listed = [*items(ordered(found, "/w/p"), NOW, {"/w/p": 2}, ("open",))]

    shown = [each["lines"][0].split("  ")[0] if not each["id"] else each["id"] for each in listed]
    assert shown == ["/w/p", "new", "old", "", "feature", "/w/q", "there"]
    headings = [each["lines"][0] for each in listed if not each["id"]]
    assert headings == [
        "/w/p  main  2 files to review",
        "  .claude/worktrees/f  worktree-f",
        "/w/q  dev",
    ]
    assert all(each["lacks"] == ["open"] for each in listed if not each["id"])


def test_words_are_looked_for_in_all_that_is_known() -> None:
    found = entry("b", WAITS, FEATURE, kind="background", name="Fish", needs="approve Bash: make")

    assert found.contains(["fish", "MAKE", "worktree-f", "waits"])
    assert not found.contains(["fish", "bird"])


def test_its_value_is_plain() -> None:
    assert entry("b", IDLE, FEATURE, kind="background", session="s", pid=3).value() == {
        "id": "s",
        "name": "",
        "kind": "background",
        "state": "idle",
        "needs": "",
        "folder": FEATURE.folder,
        "worktree": FEATURE.worktree,
        "branch": "worktree-f",
        "agent": "",
        "pid": 3,
    }


def test_a_time_that_is_none_is_unknown() -> None:
    assert when(0) is None
    assert when(1e300) is None
    assert when(NOW.timestamp()) == NOW


def test_a_folder_that_is_gone_has_a_place(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")

    assert Place.of(gone) == Place(gone, gone, gone)
