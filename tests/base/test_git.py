"""`base/git.py`: the branch of a worktree, without git. `trust` tests how one is found."""

import subprocess
from pathlib import Path

import pytest

from claude_ide.base import git


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
    assert git.branch(main) == "trunk"
    assert git.branch(main.parent / "other") == "a/b"


def test_without_a_branch_there_is_no_name(main: Path) -> None:
    subprocess.run(["git", "-C", main, "checkout", "-q", "--detach"], check=True)

    assert git.branch(main) == ""
    assert git.branch(main.parent) == ""


def test_a_file_of_another_worktree_is_elsewhere(tmp_path: Path) -> None:
    main, bare = tmp_path / "main", tmp_path / "bare"
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    commit = [*author, "commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(["git", "init", "-q", main], check=True)
    subprocess.run(["git", "-C", main, *commit], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", main, bare], check=True)
    for source, name in ((main, "one"), (bare, "two"), (bare, "three")):
        add = ["worktree", "add", "-q", str(tmp_path / name)]
        subprocess.run(["git", "-C", source, *add], check=True)

    def are_apart(one: str, other: str) -> bool:
        return git.is_in_other_worktree(tmp_path / one / "a.py", tmp_path / other)

    assert are_apart("one", "main")
    assert are_apart("main", "one")
    assert are_apart("two", "three")
    assert not are_apart("two", "two")
    assert not are_apart("two", "one")
    assert not are_apart("bare", "two")
    assert not git.is_in_other_worktree(tmp_path / "a.py", tmp_path / "main")
