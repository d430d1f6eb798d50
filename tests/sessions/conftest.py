"""A repository with a linked worktree."""

from pathlib import Path

import pytest

from claude_ide.sessions.worktree import Worktree
from support.worktrees import git


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b")
    folder = tmp_path / "main"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def root(main: Path) -> Path:
    """A worktree with one commit."""
    root = main / ".claude/worktrees/fish"
    git(main, "worktree", "add", "-q", "-b", "worktree-fish", str(root))
    (root / "b.txt").write_text("new\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "add b")
    return root


@pytest.fixture
def tree(root: Path, main: Path) -> Worktree:
    return Worktree.named("fish", main, runs_hooks=False)
