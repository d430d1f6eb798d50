"""Finds the git repository of a folder, and its branch, without running git."""

from pathlib import Path
from typing import NamedTuple

from claude_ide import files

BRANCH = "ref: refs/heads/"
LARGEST = 4096
"""Bytes of the largest file that is read; such files contain only a path."""


class Repository(NamedTuple):
    """A repository's root folder; `main` is the main worktree if `root` is a linked one."""

    root: Path
    main: Path


def find(folder: Path) -> Repository | None:
    """Return the innermost repository of a real path, or None."""
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_dir():
            return Repository(root, root)
        if git.is_file():
            return Repository(root, _main_worktree(git) or root)
    return None


def home(folder: Path) -> Repository:
    """Return the innermost repository of a real path, or else the folder as one."""
    return find(folder) or Repository(folder, folder)


def is_elsewhere(path: Path, folder: Path) -> bool:
    """Return whether a file is in another worktree of a folder's repository; both are real.

    The repository may be a bare one, without a main worktree.
    """
    own, there = find(path), find(folder)
    if own is None or there is None or own.root == there.root:
        return False
    return _data(own.root) == _data(there.root)


def branch(root: Path) -> str:
    """Return the branch of the worktree with this root; empty if it is on none, or has none."""
    git = root / ".git"
    head = (_named_in(git, "gitdir:") or git) / "HEAD" if git.is_file() else git / "HEAD"
    content = (files.read_if_sound(head, LARGEST) or b"").decode("utf-8", "replace").strip()
    return content.removeprefix(BRANCH) if content.startswith(BRANCH) else ""


def worktrees(main: Path) -> list[Path]:
    """Return the linked worktrees of the repository with this root that still exist."""
    found = []
    for listed in sorted((main / ".git" / "worktrees").glob("*/gitdir")):
        git = _named_in(listed)
        if git is not None and git.is_file():
            found.append(git.parent)
    return found


def _main_worktree(git: Path) -> Path | None:
    """Return the main worktree of a linked one, if the repository lists the linked one, too."""
    data = _data(git.parent)
    return data.parent if data != git and data.name == ".git" else None


def _data(root: Path) -> Path:
    """Return the folder of a worktree's repository, if that lists the worktree, or else `.git`."""
    git = root / ".git"
    own = None if git.is_dir() else _named_in(git, "gitdir:")
    # Any folder can claim to be a worktree of a trusted repository.
    if own is None or own.parent.name != "worktrees" or _named_in(own / "gitdir") != git:
        return git
    return own.parent.parent


def _named_in(file: Path, prefix: str = "") -> Path | None:
    content = files.read_if_sound(file, LARGEST)
    named = (content or b"").decode("utf-8", "surrogateescape").strip()
    if not named.startswith(prefix) or "\0" in named:
        return None
    path = named.removeprefix(prefix).strip()
    return (file.parent / path).resolve() if path else None
