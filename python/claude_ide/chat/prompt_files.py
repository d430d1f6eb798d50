"""The files of a folder that a prompt may mention, found in the background and cached briefly.

The searches run in threads, because a folder may have very many files.
"""

import asyncio
import contextlib
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from claude_ide import git
from claude_ide.program import output

FRESH_SECONDS = 5.0
COST = 20
"""A list is fresh for this many times the time that the search took."""

LARGEST_BYTES = 64 * 1024 * 1024
"""All paths of a folder: about a million."""

MOST_WALKED = 50_000
"""Entries of a folder that is no repository."""
DEPTH = 8
CACHED = 3
"""Folders."""

CHUNK = 1000
"""Paths that are searched before the search may end."""
MOST_MATCHES = 2000
"""The editor ranks them while the user types."""

FIRST = 200
"""Paths that are offered before anything is typed."""

LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


class Paths:
    """The paths of a folder."""

    def __init__(self, paths: Iterable[bytes]) -> None:
        self._all = [*_with_folders(paths)]

    async def match(self, pattern: str, is_wanted: Callable[[], bool]) -> list[str]:
        """Return paths that contain a pattern, and others with its letters in this order.

        Case does not count. The search ends without a result when it is no longer wanted.
        """
        found = self._all[:FIRST]
        if pattern:
            wanted = os.fsencode(pattern).lower()
            found = await asyncio.to_thread(self._matching, wanted, is_wanted)
        return list(map(os.fsdecode, found))

    def _matching(self, wanted: bytes, is_wanted: Callable[[], bool]) -> list[bytes]:
        letters = (re.escape(wanted[at : at + 1]) for at in range(len(wanted)))
        follow = re.compile(b".*?".join(letters), re.DOTALL)
        whole: list[bytes] = []
        others: list[bytes] = []
        for number, path in enumerate(self._all):
            if number % CHUNK == 0 and not is_wanted():
                return []
            text = path.lower()
            if wanted in text:
                whole.append(path)
            elif len(others) < MOST_MATCHES and follow.search(text):
                others.append(path)
            if len(whole) >= MOST_MATCHES:
                break
        return [*whole, *others][:MOST_MATCHES]


def _with_folders(paths: Iterable[bytes]) -> Iterator[bytes]:
    """Yield paths, and each folder before the first path in it.

    A path that follows itself comes once: git lists each version of a file with a conflict.
    """
    folders: set[bytes] = set()
    last = last_folder = b""
    for path in paths:
        if path in (b"", last):
            continue
        last, folder = path, path.rpartition(b"/")[0]
        if folder != last_folder:
            last_folder = folder
            while folder and folder not in folders:
                folders.add(folder)
                yield folder + b"/"
                folder = folder.rpartition(b"/")[0]
        yield path


@dataclass(slots=True)
class _Folder:
    paths: Paths | None = None
    """Possibly outdated."""
    search: "asyncio.Task[None] | None" = None
    outdated: float = 0.0
    """When another search is due, in monotonic seconds."""


class PromptFiles:
    """The files of the last folders."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}

    async def of(self, folder: str) -> Paths:
        """Return the files of a folder, as known from a search of the last seconds."""
        known = self._folders.pop(folder, None) or _Folder()
        self._folders[folder] = known
        for oldest in [*self._folders][:-CACHED]:
            del self._folders[oldest]
        if time.monotonic() > known.outdated and (known.search is None or known.search.done()):
            known.search = asyncio.create_task(_search_again(known, folder))
        if known.paths is None and known.search is not None:
            await asyncio.shield(known.search)
        return known.paths or Paths(())


async def _search_again(known: _Folder, folder: str) -> None:
    begun = time.monotonic()
    listed = await _listed(folder)
    if listed is None:
        known.paths = await asyncio.to_thread(lambda: Paths(_walked(folder)))
    else:
        known.paths = await asyncio.to_thread(lambda: Paths(listed.split(b"\0")))
    now = time.monotonic()
    known.outdated = begun + max(FRESH_SECONDS, COST * (now - begun))


async def _listed(folder: str) -> bytes | None:
    """Return the paths that git lists, with a NUL between them; None without a repository."""
    listed = await output(git.command(*LIST), LARGEST_BYTES, git.environment(os.environ), folder)
    # The last path may be cut.
    return None if listed is None else listed.rpartition(b"\0")[0]


def _walked(folder: str) -> Iterator[bytes]:
    """Yield the files of a folder without a repository, except hidden ones."""
    waiting, count = deque([("", 1)]), 0
    while waiting:
        above, depth = waiting.popleft()
        with contextlib.suppress(OSError), os.scandir(Path(folder, above)) as entries:
            for entry in entries:
                count += 1
                if count > MOST_WALKED:
                    return
                path = above + entry.name
                if entry.name.startswith("."):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield os.fsencode(path)
                elif depth < DEPTH:
                    waiting.append((f"{path}/", depth + 1))
