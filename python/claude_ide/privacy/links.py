"""Follows the links on the way to a file."""

import os.path
from pathlib import Path

from claude_ide.base.paths import normalized, real

MOST_LINKS = 40


def spellings(path: str, folders: dict[str, str]) -> list[str]:
    """Return a normalized path, and every other that its links make of it.

    The file may be missing. `folders` keeps the real folders that have been looked up.
    """
    found = [path]
    link = path
    for _ in range(MOST_LINKS):
        there = _in_real_folder(link, folders)
        if there != link:
            found.append(there)
        try:
            target = Path(there).readlink()
        except (OSError, ValueError):
            # A `..` behind a link in a target leads elsewhere than it reads.
            return found if link == path else [*found, real(path)]
        link = normalized(str(Path(there).parent / target))
        found.append(link)
    return found


def _in_real_folder(path: str, folders: dict[str, str]) -> str:
    """Return a path without the links in its folders; the file itself may be a link."""
    folder, name = os.path.split(path)
    there = folders.get(folder)
    if there is None:
        there = folders[folder] = real(folder)
    return path if there == folder else f"{there.rstrip('/')}/{name}"
