"""`demo/scratch.py`: the demo's project, and the edits that the demo proposes."""

import subprocess
import sys
from pathlib import Path

import pytest

from demo import scratch


def run(folder: Path) -> str:
    command = [sys.executable, "shop.py"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_ideas_apply_one_after_the_other_and_fix_the_bug(tmp_path: Path) -> None:
    scratch.make(tmp_path)
    file = tmp_path / "shop.py"
    outputs = [run(tmp_path)]

    for idea in scratch.IDEAS:
        text = file.read_text()
        assert scratch.next_idea(text) is idea
        file.write_text(idea.change(text))
        outputs.append(run(tmp_path))

    assert outputs == ["4.5", "10.8", "10.8", "10.8", "10.8"]


def test_there_is_always_one_more_idea() -> None:
    text = ""
    for _ in range(3):
        idea = scratch.next_idea(text)
        assert idea.change(text) != text
        text = idea.change(text)


def test_its_tests_fail_only_before_the_first_edit(tmp_path: Path) -> None:
    scratch.make(tmp_path)

    def passes() -> bool:
        command = [sys.executable, "-m", "unittest"]
        return not subprocess.run(
            command, cwd=tmp_path, capture_output=True, check=False
        ).returncode

    assert not passes()
    (tmp_path / "shop.py").write_text(scratch.IDEAS[0].change(scratch.SHOP))
    assert passes()


def test_without_git_there_are_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    scratch.make(tmp_path)

    assert {path.name for path in tmp_path.iterdir()} == {*scratch.FILES, *scratch.STAGED}


def test_make_restores_its_files_and_keeps_others(tmp_path: Path) -> None:
    scratch.make(tmp_path)
    (tmp_path / "shop.py").write_text("mine\n")
    (tmp_path / "other.py").write_text("mine\n")

    scratch.make(tmp_path)

    assert (tmp_path / "shop.py").read_text() == scratch.SHOP
    assert (tmp_path / "other.py").read_text() == "mine\n"
