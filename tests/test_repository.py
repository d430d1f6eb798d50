"""`repository.py`: the branch of a worktree, without git. `trust` tests how one is found."""

import subprocess
from pathlib import Path

import pytest

from claude_ide import repository


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A repository with a commit, on the branch `trunk`, and a worktree of the branch `a/b`."""
    main = tmp_path / "main"
    main.mkdir()
    git = ["git", "-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (
        "init -q -b trunk",
        "commit -q --allow-empty -m first",
        "worktree add -q -b a/b ../other",
    ):
        subprocess.run([*git, *words.split()], check=True)
    return main


def test_the_branch_of_a_worktree_is_read(main: Path) -> None:
    assert repository.branch(main) == "trunk"
    assert repository.branch(main.parent / "other") == "a/b"


def test_without_a_branch_there_is_no_name(main: Path) -> None:
    subprocess.run(["git", "-C", main, "checkout", "-q", "--detach"], check=True)

    assert repository.branch(main) == ""
    assert repository.branch(main.parent) == ""
