"""`base/program.py`: how the program of the option `cmd` is found, and other processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from claude_ide.base import program
from claude_ide.base.errors import UserError


def make(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; PATH has no programs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_name_and_its_arguments_stay_as_they_are() -> None:
    assert program.words("claude") == ("claude",)
    assert program.words(["npx", "claude"]) == ("npx", "claude")


def test_a_path_becomes_absolute(home: Path) -> None:
    assert program.words("~/tools/claude") == (f"{home}/tools/claude",)
    assert program.words(["./claude", "--x"]) == (f"{home}/claude", "--x")


@pytest.mark.parametrize(("name", "shown"), [("", '""'), (" ", '" "'), ("nope", "nope")])
def test_a_missing_program_is_named(name: str, shown: str) -> None:
    with pytest.raises(UserError, match=f"^{shown} is not on PATH"):
        program.required(name, os.defpath)


@pytest.mark.parametrize("place", [".claude/local/claude", ".local/bin/claude"])
def test_an_installation_that_is_not_on_path_is_found(home: Path, place: str) -> None:
    found = make(home / place)

    assert program.words("claude") == (str(found),)
    make(home / "bin/claude")
    assert program.words("claude") == ("claude",)


def test_a_lineage_begins_with_the_process_and_its_parent() -> None:
    assert program.lineage(os.getpid())[:2] == [os.getpid(), os.getppid()]


def test_a_lineage_of_an_unknown_process_is_only_itself() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    assert program.lineage(ended.pid) == [ended.pid, 0]
    assert program.lineage(0) == [0]
