"""The files of a folder that a prompt may mention, found in the background and cached briefly.

Nothing here blocks the host for longer than a millisecond or two, whatever the size of a folder.
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
"""Paths."""
MOST_MATCHES = 2000
"""The editor ranks them while the user types."""

FIRST = 200
"""Paths that are offered before anything is typed."""

LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


class Paths:
    """Very many paths in little memory."""

    def __init__(self, paths: Iterable[bytes]) -> None:
        found = [*_with_folders(paths)]
        self._chunks = [
            b"\0".join(found[start : start + CHUNK]) for start in range(0, len(found), CHUNK)
        ]

    async def match(self, pattern: str, is_wanted: Callable[[], bool]) -> list[str]:
        """Return paths that contain a pattern, and others with its letters in this order.

        Case does not count. The search ends without a result when it is no longer wanted.
        """
        if not pattern:
            begin = self._chunks[0].split(b"\0")[:FIRST] if self._chunks else []
            return list(map(os.fsdecode, begin))
        wanted = os.fsencode(pattern).lower()
        first, *rest = (re.escape(wanted[at : at + 1]) for at in range(len(wanted)))
        between = (b"[^\0%b]*%b" % (letter, letter) for letter in rest)
        follow = re.compile(first + b"".join(between) + rb"[^\0]*")
        whole: list[bytes] = []
        others: list[bytes] = []
        for chunk in self._chunks:
            _search(chunk, wanted, follow, whole, others)
            if len(whole) >= MOST_MATCHES:
                break
            await asyncio.sleep(0)
            if not is_wanted():
                return []
        return list(map(os.fsdecode, [*whole, *others][:MOST_MATCHES]))


def _search(
    chunk: bytes,
    wanted: bytes,
    follow: re.Pattern[bytes],
    whole: list[bytes],
    others: list[bytes],
) -> None:
    text = chunk.lower()
    at = text.find(wanted)
    while at >= 0:
        path = _around(text, at)
        whole.append(chunk[path])
        at = text.find(wanted, path.stop)
    for found in follow.finditer(text) if len(others) < MOST_MATCHES else ():
        path = _around(text, found.start())
        if wanted not in text[path]:
            others.append(chunk[path])


def _around(text: bytes, at: int) -> slice:
    """Return where the path is that contains a byte."""
    end = text.find(b"\0", at)
    return slice(text.rfind(b"\0", 0, at) + 1, len(text) if end < 0 else end)


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
