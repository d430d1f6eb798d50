"""Repositories with worktrees, as tests look at them."""

import subprocess
from collections.abc import Iterable
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """Return what git says, without the last line end. Raises `CalledProcessError`."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def all_text(project: Path, roots: Iterable[Path]) -> str:
    """Return all that is in commits of branches, or in text files of the project or worktrees."""
    branches = git(project, "branch", "--format=%(refname)").split()
    found = git(project, "log", "-p", "--no-color", "-m", *branches)
    for root in (project, *roots):
        for path in root.glob("*.txt"):
            found += path.read_text()
    return found
