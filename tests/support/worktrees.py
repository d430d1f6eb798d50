"""Repositories with worktrees, as tests look at them."""

import os
import subprocess
from collections.abc import Awaitable, Iterable
from pathlib import Path

import pytest

from claude_ide.base.errors import UserError


def git(folder: Path, *words: str) -> str:
    """Return what git says, without the last line end. Raises `CalledProcessError`.

    A look takes no lock, which would stop a git that the product runs at the same time.
    """
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def make_trunk(folder: Path) -> None:
    """Make a repository with a user, whose first commit, on `trunk`, has all files."""
    git(folder, "init", "-q", "-b", "trunk")
    for key, value in (("user.name", "a"), ("user.email", "a@b")):
        git(folder, "config", key, value)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")


def all_text(project: Path, roots: Iterable[Path]) -> str:
    """Return all that is in commits of branches, or in text files of the project or worktrees."""
    branches = git(project, "branch", "--format=%(refname)").split()
    found = git(project, "log", "-p", "--no-color", "-m", *branches)
    for root in (project, *roots):
        for path in root.glob("*.txt"):
            found += path.read_text()
    return found


def conflict(main: Path, root: Path) -> None:
    """Commit a change of one file, in one way here and in another way there."""
    for folder, text in ((main, "main\n"), (root, "fish\n")):
        (folder / "a.txt").write_text(text)
        git(folder, "commit", "-qam", f"change a to {text.strip()}")


async def fails(work: Awaitable[object], words: str) -> None:
    """Expect an error for the user, which has these words."""
    with pytest.raises(UserError, match=words):
        await work
