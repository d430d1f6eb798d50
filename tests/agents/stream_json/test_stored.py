"""`stored.py`: the CLI's stored sessions are searched, counted, renamed and deleted."""

import json
import os
from pathlib import Path

import pytest

from claude_ide.agents.stream_json import running, stored
from claude_ide.base.errors import AgentError, UnknownSessionError
from support.transcripts import GOLDEN

TERMINAL = GOLDEN / "sessions/terminal.jsonl"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    return tmp_path


@pytest.fixture
def environment(config: Path) -> dict[str, str]:
    return {"CLAUDE_CONFIG_DIR": str(config)}


@pytest.fixture
def session(config: Path) -> Path:
    """A stored session with a folder beside it."""
    path = config / "projects/p/abc.jsonl"
    path.with_suffix("").mkdir(parents=True)
    path.write_bytes(TERMINAL.read_bytes())
    return path


def run_in(config: Path, session: str, pid: int, started: str = "") -> None:
    """Write the record of a running CLI."""
    record = {"pid": pid, "sessionId": session, "procStart": started}
    (config / f"sessions/{pid}.json").write_text(json.dumps(record))


def test_a_session_of_a_running_process_is_known(config: Path, environment: dict[str, str]) -> None:
    run_in(config, "abc", os.getpid())
    (config / "sessions/junk.json").write_text("junk")

    assert running.processes(environment) == {"abc": os.getpid()}


def test_a_process_with_the_same_id_that_started_later_is_another_one(
    config: Path, environment: dict[str, str]
) -> None:
    run_in(config, "abc", os.getpid(), started="1")

    assert running.processes(environment) == {}


def test_turns_are_the_prompts_of_the_user(session: Path) -> None:
    turns = stored.FileReadings(stored.count_turns, 0)
    assert turns.of(session) == 3

    with session.open("a") as file:
        message = {"type": "user", "message": {"role": "user", "content": "More"}}
        file.write(json.dumps(message, separators=(",", ":")) + "\n")

    assert turns.of(session) == 4
    assert turns.of(session.with_name("none.jsonl")) == 0


@pytest.mark.parametrize(
    ("words", "found"),
    [("GREET me", "Greet me"), ("listed", "Listed."), ("toolu", ""), ("hello listed", "")],
)
def test_a_passage_has_all_words_in_one_text(session: Path, words: str, found: str) -> None:
    assert stored.find_passage(session, words.split()) == found


def test_a_long_line_is_shown_around_the_first_word(tmp_path: Path) -> None:
    words = f"{'before ' * 50}the needle {'after ' * 50}"
    path = tmp_path / "a.jsonl"
    message = {"type": "user", "message": {"role": "user", "content": words}}
    path.write_text(json.dumps(message, separators=(",", ":")))

    passage = stored.find_passage(path, ["needle"])

    assert passage.startswith("…")
    assert "the needle after" in passage
    assert len(passage) <= stored.LONGEST_PASSAGE + 1


def test_a_new_title_is_the_one_that_is_listed(session: Path, environment: dict[str, str]) -> None:
    (session.with_suffix("") / "custom-title.json").write_text("{}")

    stored.rename(environment, session, "My “title”")

    found = stored.summary(session)
    assert found is not None and found.title == "My “title”"
    beside = (session.with_suffix("") / "custom-title.json").read_text()
    assert json.loads(beside) == {"customTitle": "My “title”"}


def test_a_deleted_session_leaves_nothing(session: Path, environment: dict[str, str]) -> None:
    stored.delete(environment, session)

    assert list(session.parent.iterdir()) == []


def test_a_running_session_is_neither_renamed_nor_deleted(
    config: Path, session: Path, environment: dict[str, str]
) -> None:
    run_in(config, "abc", os.getpid())
    before = session.read_bytes()

    with pytest.raises(AgentError, match=f"is running in process {os.getpid()}"):
        stored.delete(environment, session)
    with pytest.raises(AgentError, match=f"is running in process {os.getpid()}"):
        stored.rename(environment, session, "x")

    assert session.read_bytes() == before


def test_an_unknown_session_is_named(config: Path, environment: dict[str, str]) -> None:
    with pytest.raises(UnknownSessionError, match="there is no session none"):
        stored.delete(environment, config / "none.jsonl")
