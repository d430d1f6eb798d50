"""`sessions/entry.py`: the rows of the list of sessions."""

from datetime import UTC, datetime, timedelta

import pytest

from claude_ide.agents.events import Dead, PromptChanged, PromptStage, Ready
from claude_ide.agents.session_state import SessionState
from claude_ide.chat.chat import Status
from claude_ide.chat.sessions import STORED, Entry
from claude_ide.chat.stored import age_of

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
IDLE = SessionState().spawned().after(Ready())


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


def test_a_chat_has_one_word_for_its_state() -> None:
    busy = IDLE.after(PromptChanged("a", PromptStage.QUEUED))

    assert Status("", IDLE).word[0] == "open"
    assert Status("", busy).word[0] == "works"
    assert Status("", busy, waiting=1).word[0] == "waits"
    assert Status("", IDLE.after(Dead(1))).word[0] == "ended"


def test_an_entry_has_its_figures_its_title_and_its_first_prompt() -> None:
    entry = Entry(
        *("abc", ("works", "ClaudeChatToolRunning"), "Fish", "Which fish?"),
        *(NOW - timedelta(hours=3), 1, 0.5),
    )

    found = entry.item(NOW)

    assert found["id"] == "abc"
    assert found["lines"] == ["works             3 h     1 turn    $0.50  Fish · Which fish?"]
    assert found["marks"][0] == (0, 0, 10, "ClaudeChatToolRunning")


def test_a_passage_is_below_its_entry() -> None:
    entry = Entry("abc", STORED, "", "Which?", passage="a fish")

    title, passage = entry.item(NOW)["lines"]
    assert title.strip() == "Which?"
    assert passage == "          a fish"
    assert Entry("abc", STORED, "").item(NOW)["lines"][0].strip() == "(empty)"
