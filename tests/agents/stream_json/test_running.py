"""`running.py`: the records of the CLIs that run, and of the sessions in the background."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.stream_json import running
from claude_ide.agents.stream_json.running import Records, RunningSession

GONE = 2**22 + 1
"""No process has this id: it is above Linux's limit."""


class Config:
    """A configuration folder of the CLI."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = Records({"CLAUDE_CONFIG_DIR": str(folder)})

    def process(self, session: str, **more: Any) -> Path:
        pid = more.setdefault("pid", os.getpid())
        record = {"sessionId": session, "cwd": "/p", "kind": "interactive", "status": "idle"}
        return self._write(self.folder / f"sessions/{pid}.json", record | more)

    def job(self, id_: str, **more: Any) -> Path:
        state = {"sessionId": f"{id_}-1", "cwd": "/p", "name": id_, "state": "working"}
        return self._write(self.folder / f"jobs/{id_}/state.json", state | more)

    def _write(self, path: Path, content: dict[str, Any]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
        return path

    def read(self) -> list[RunningSession]:
        return self.records.read()


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(tmp_path)


def test_without_a_folder_nothing_runs(config: Config) -> None:
    assert config.read() == []
    assert not config.records.has_changed()


def test_a_cli_in_a_terminal_has_its_status(config: Config) -> None:
    config.process("s", name="proj-43", status="waiting", waitingFor="permission prompt")

    (found,) = config.read()

    assert (found.session, found.name, found.folder, found.id) == ("s", "proj-43", "/p", "")
    assert found.waits
    assert found.needs == "permission prompt"


def test_one_in_the_background_waits_in_the_words_of_its_job(config: Config) -> None:
    config.job("abc", needs="approve Bash: make")
    config.process(
        "abc-1", kind="bg", jobId="abc", status="waiting", waitingFor="permission prompt"
    )

    (found,) = config.read()

    assert (found.id, found.needs) == ("abc", "approve Bash: make")


def test_the_opinion_of_a_model_is_no_state(config: Config) -> None:
    """After its turn a job may say `working` or `blocked` for ever."""
    config.job("abc", state="blocked", needs="Which one?")
    config.process("abc-1", kind="bg", jobId="abc", status="idle")

    (found,) = config.read()

    assert (found.waits, found.needs, found.failure) == (False, "", "")


def test_a_failure_has_its_detail(config: Config) -> None:
    config.job("abc", state="failed", detail="no such worktree")

    assert config.read()[0].failure == "no such worktree"


def test_a_spare_process_is_left_out(config: Config) -> None:
    config.process("s", kind="bg", jobId="")
    assert config.read() == []

    config.process("s", kind="bg", jobId="gone")
    assert config.read() == []


def test_a_spare_process_that_begins_to_work_is_noticed(config: Config) -> None:
    config.job("abc")
    path = config.process("", kind="bg")
    assert not config.read()[0].pid

    # In its place: its folder stays as it is.
    path.write_text(path.read_text().replace('"bg"', '"bg", "jobId": "abc"'))
    assert config.records.has_changed()

    assert config.read()[0].pid == os.getpid()


def test_a_job_without_its_process_has_ended(config: Config) -> None:
    config.job("abc")
    config.process("abc-1", kind="bg", jobId="abc", pid=GONE, status="waiting")

    (found,) = config.read()

    assert (found.id, found.pid, found.waits) == ("abc", 0, False)


def test_a_job_that_was_just_made_is_starting(config: Config) -> None:
    now = datetime.now(UTC)
    for id_, ago in (("new", 5), ("old", 120)):
        made = (now - timedelta(seconds=ago)).isoformat()
        config.job(id_, createdAt=made, updatedAt=made)
    config.job("run", createdAt=now.isoformat(), updatedAt=(now + timedelta(seconds=1)).isoformat())

    found = {each.id: each for each in config.read()}

    assert [found[id_].is_starting for id_ in ("new", "old", "run")] == [True, False, False]
    assert config.records.has_changed(), "it is looked at again"


def test_another_process_with_the_same_id_is_not_the_cli(config: Config) -> None:
    config.process("s", procStart="1")

    assert config.read() == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '"x"', "null", "\0", '{"pid": "7"}', '{"pid": -5}']
)
def test_a_broken_record_is_ignored(config: Config, content: str) -> None:
    config.job("good")
    config.job("bad").write_text(content)
    config.process("s").write_text(content)

    assert "good" in [each.id for each in config.read()]
    assert not any(each.pid for each in config.read())


def test_a_half_written_record_keeps_what_was_known(config: Config) -> None:
    path = config.process("s", status="busy")
    config.read()

    path.write_text('{"pid": ')

    assert [each.status for each in config.read()] == ["busy"]


def test_values_of_other_types_are_ignored(config: Config) -> None:
    config.job("abc", name=[1], cwd={}, needs=4, updatedAt="soon")
    config.process("s", status=7, name=None, cwd=1, startedAt="x", jobId="abc", kind="bg")

    (found,) = config.read()

    assert (found.name, found.folder, found.status, found.changed) == ("", "", "", 0.0)


def test_a_record_of_another_user_is_ignored(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.process("s")
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)

    assert config.read() == []


def test_of_too_many_the_latest_are_read(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST", 3)
    for number in range(5):
        os.utime(config.job(f"j{number}"), (number, number))

    assert sorted(each.id for each in config.read()) == ["j2", "j3", "j4"]


def test_one_that_runs_is_read_however_many_have_ended_since(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST", 2)
    os.utime(config.job("old", state="blocked", needs="approve Bash: make"), (1, 1))
    config.process("old-1", kind="bg", jobId="old", status="waiting")
    for number in range(3):
        config.job(f"new{number}")

    found = {each.id: each.needs for each in config.read()}

    assert len(found) == 3
    assert found["old"] == "approve Bash: make"


def test_a_change_is_noticed(config: Config) -> None:
    config.job("abc", updatedAt="2026-11-30T06:58:47.577Z")
    path = config.process("abc-1", kind="bg", jobId="abc")
    config.read()
    assert not config.records.has_changed()

    path.write_text(path.read_text().replace("idle", "busy"))
    assert config.records.has_changed()
    config.read()
    assert not config.records.has_changed()

    config.job("abc", needs="approve Bash: make")
    assert config.records.has_changed()
    config.read()

    config.job("def")
    assert config.records.has_changed()
    config.read()

    (config.folder / "jobs/ghi").mkdir()
    config.read()
    config.job("ghi")
    assert config.records.has_changed(), "its folder was there"
    config.read()

    path.unlink()
    assert config.records.has_changed()


def test_the_worktree_of_one_that_has_ended_is_found(config: Config, tmp_path: Path) -> None:
    """Its record names the project only; the folder of its transcripts is that of the worktree."""
    worktree = tmp_path / "p" / ".claude/worktrees/a.b"
    worktree.mkdir(parents=True)
    plain = "".join(each if each.isalnum() else "-" for each in str(worktree))
    config.job("abc", cwd=str(tmp_path / "p"), linkScanPath=f"/c/projects/{plain}/abc-1.jsonl")

    assert config.read()[0].folder == str(worktree)


def test_a_worktree_that_was_entered_later_is_found(config: Config) -> None:
    config.job("abc", worktreePath="/p/.claude/worktrees/x")

    assert config.read()[0].folder == "/p/.claude/worktrees/x"
