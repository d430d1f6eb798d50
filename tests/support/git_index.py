"""Repositories of files that need not exist."""

import subprocess
from pathlib import Path

EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""The id of the empty file in git."""


def git(folder: Path, *arguments: str, text: str = "") -> None:
    """Run git in a folder, with a text as its input."""
    subprocess.run(["git", *arguments], cwd=folder, input=text, text=True, check=True)


def index(folder: Path, *paths: str) -> None:
    """Make a repository whose index has these paths; the files need not exist."""
    git(folder, "init", "--quiet")
    entries = "".join(f"100644 {EMPTY}\t{path}\n" for path in paths)
    git(folder, "update-index", "--index-info", text=entries)
