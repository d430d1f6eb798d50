"""What is on disk below a folder at one time, as far as it helps to find what a command changes.

In a git folder, git says which files differ from its latest commit. The others are as committed.
Elsewhere the files are listed with their times and sizes, and their texts are not known.
"""

import asyncio
import contextlib
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from claude_ide.base import files, git
from claude_ide.base.errors import UserError
from claude_ide.base.program import output

logger = logging.getLogger(__name__)

MOST_FILES = 20_000
"""Of a folder without git, or that differ from the latest commit."""

SCAN_SECONDS = 0.2
"""How long a folder without git is listed: the agent waits for it."""

MOST_CONTENT_BYTES = 16_000_000
"""Bytes of all texts that are read before a command."""

LARGEST = 2_000_000
"""Bytes of the largest file whose text is read."""

MOST_OUTPUT = 20_000_000
"""Bytes that git may print."""

CONVERTING = "filter", "ident", "working-tree-encoding"
UNCONVERTED = (b"unspecified", b"unset")
"""Attributes of files that git writes otherwise than it stores them, and their usual values."""

MOST_INNER = 20
"""Repositories inside of a repository that are looked at."""

MOST_HIDDEN = 300
"""Files that are looked at although git was told not to (`git update-index --skip-worktree`)."""

SUBMODULE = re.compile(r"^\s*path\s*=\s*(\S.*?)\s*$", re.MULTILINE)

BUILT = {"node_modules", "__pycache__", ".venv", "venv", "target", "build", "dist", ".cache"}
"""Folders that are skipped where git does not say what is ignored."""

STATUS = (
    *("--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all"),
    *("--no-renames", "--ignore-submodules=all"),
)
DIFF = (*git.DIFF, "--name-only", "--no-renames", "-z")
HEAD = "# branch.oid "

T = TypeVar("T")
LINK_MODE = "120000"
FIELDS = {"1": 8, "u": 10, "?": 1}
"""By its first letter: the fields of a line of `git status` before the name."""

CLOCK_NS = 20_000_000
"""How far the times of files may lag behind the clock."""

PASSING = re.compile(r"\..+\.sw[a-p]|4913|.*~")
"""Names of files that editors make for a while."""

UNSEEN = "the text before was not seen"
LINK = "a link"

Stamp = tuple[int, int, int, int]
"""Inode, mode, size in bytes, and the time of the last change in nanoseconds, which nobody sets."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that has changed between two snapshots; contents are None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: tuple[int, int] | None = None
    """The permissions before and after, if only these have changed."""
    obstacle: str = ""
    """Why one of the contents is unknown, and empty here."""


@dataclass(slots=True)
class Snapshot:
    """The files below a folder that may change unnoticed, by real path."""

    stamps: dict[str, Stamp | None]
    """None: git knows the file, and it does not exist."""
    head: str = ""
    """The latest commit, where there is git."""
    contents: dict[str, bytes] = field(default_factory=dict)
    is_cut: bool = False
    """Whether some files are missing because they are too many."""
    links: frozenset[str] = frozenset()
    """Those that differ, and are links in the latest commit."""
    wanted: frozenset[str] = frozenset()
    """Those that are there because somebody asked for them."""
    taken: int = field(default_factory=time.time_ns)
    """When it was complete: Unix time in nanoseconds."""
    inner: dict[str, "Snapshot"] = field(default_factory=dict)
    """By folder, those of the repositories inside, submodules or not."""
    is_partial: bool = False
    """Whether files of it, or of a repository inside, are missing because they are too many."""

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; all files that are as committed have the same one."""
        return self.stamps.get(path, (0, 0, 0, 0))

    def with_rest_of(self, later: "Snapshot", paths: Set[str]) -> "Snapshot":
        """Return a later snapshot, in which these paths are as they are in this one."""

        def mixed(then: dict[str, T], now: dict[str, T]) -> dict[str, T]:
            rest = {path: value for path, value in now.items() if path not in paths}
            return rest | {path: then[path] for path in paths if path in then}

        stamps = mixed(self.stamps, later.stamps)
        contents = mixed(self.contents, later.contents)
        return replace(later, stamps=stamps, contents=contents, inner=self.inner)


class Snapshots:
    """Takes snapshots of one folder, and remembers the texts of files that may change.

    Files for which `is_private` is true are not read.
    """

    def __init__(self, folder: str, is_private: Callable[[str], bool] = lambda path: False) -> None:
        self._folder = folder
        self._is_private = is_private
        self._known: dict[str, tuple[Stamp, bytes]] = {}
        self._top: str | None = None
        self._environment: dict[str, str] | None = None
        self._inner: dict[str, Snapshots] = {}
        self._index = ""
        """The path of git's index."""
        self._hidden: tuple[Stamp | None, list[str]] = None, []
        """Files whose changes git does not tell, and the stamp of the index that says so."""

    async def top(self) -> str | None:
        """Return the top of the working tree of git that the folder is in; None without git."""
        if self._top is None:
            found = await self._git("rev-parse", "--show-toplevel")
            self._top = os.path.realpath(os.fsdecode(found[:-1])) if found else ""
        return self._top or None

    async def head(self) -> str:
        """Return the latest commit; empty without one."""
        return (await self._git("rev-parse", "--verify", "--quiet", "HEAD") or b"").decode().strip()

    async def moving(self) -> list[Path]:
        """Return the files that git writes when it writes others, or makes a commit."""
        if not await self.top():
            return []
        names = "--git-path", "logs/HEAD", "--git-path", "index"
        found = await self._git("rev-parse", *names) or b""
        return [Path(self._top or "", os.fsdecode(each)) for each in found.splitlines()]

    async def contents_in(self, head: str, names: Sequence[str]) -> dict[str, bytes | None]:
        """Return the contents that a commit has of files, by paths relative to the top.

        Those are missing that a working tree has otherwise, and whose names git cannot be asked
        for.
        """
        wanted = [name for name in names if "\n" not in name]
        asked = b"".join(os.fsencode(f"{head}:{name}") + b"\n" for name in wanted)
        # With `--filters`, git prints other sizes than those of what it prints.
        answer = await self._git("cat-file", "--batch", given=asked) if wanted else b""
        found = dict(zip(wanted, _objects(answer or b"", len(wanted)), strict=True))
        for name in await self._converted([each for each in found if found[each] is not None]):
            del found[name]
        return found

    async def _converted(self, names: Sequence[str]) -> set[str]:
        """Return the files that git converts when it writes them, but for their line ends."""
        given = b"".join(os.fsencode(name) + b"\0" for name in names)
        asked = "check-attr", "-z", "--stdin", *CONVERTING
        answer = await self._git(*asked, given=given) if names else b""
        *fields, _ = (answer or b"").split(b"\0")
        found = zip(fields[::3], fields[2::3], strict=False)
        return {os.fsdecode(name) for name, value in found if value not in UNCONVERTED}

    async def since(self, revision: str) -> tuple[dict[str, bytes | None], list[str]] | None:
        """Return the contents that files had in a revision, of those that differ from it now.

        The names of differing files follow that git converts, whose contents are not known. None if
        git does not know the revision.
        """
        verify = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        head = (await self._git(*verify) or b"").decode().strip()
        if not head:
            return None
        differing = await self._git("diff", *DIFF, head, "--")
        untracked = await self._git("ls-files", "--others", "--exclude-standard", "-z")
        names = [os.fsdecode(each) for each in (differing or b"").split(b"\0") if each]
        found, top = await self.contents_in(head, names), await self.top() or ""
        for name, content in found.items():
            now = await asyncio.to_thread(self._content, str(Path(top, name)))
            found[name] = with_ends_of(now, content)
        others = [os.fsdecode(each) for each in (untracked or b"").split(b"\0") if each]
        new = {name: None for name in others if not _passes(name)}
        return found | new, [name for name in names if name not in found]

    async def take(self, paths: Iterable[str] = ()) -> Snapshot:
        """Return what differs from the latest commit now, and these files, with their texts."""
        # The agent may have changed the configuration of the repository.
        self._environment = None
        top = await self.top()
        if top:
            snapshot, hidden = await asyncio.gather(self._status(top), self._untold(top))
            snapshot.is_cut |= len(hidden) > MOST_HIDDEN
        else:
            snapshot, hidden = await asyncio.to_thread(self._scan), []
        extra = {os.path.realpath(path) for path in paths} | {*hidden[:MOST_HIDDEN]}
        await asyncio.to_thread(self._note, snapshot, extra)
        wanted = [*snapshot.inner]
        for path in wanted:
            self._inner.setdefault(path, Snapshots(path, self._is_private))
        found = await asyncio.gather(*(self._inner[path].take() for path in wanted))
        snapshot.inner = dict(zip(wanted, found, strict=True))
        snapshot.is_partial |= snapshot.is_cut or any(each.is_partial for each in found)
        return snapshot

    async def before(self, snapshot: Snapshot, path: str) -> bytes | None:
        """Return the content that a file had at a snapshot; None if that is not known."""
        if path in snapshot.stamps:
            return snapshot.contents.get(path)
        committed = (await self._committed(snapshot, [path])).get(path)
        return with_ends_of(await asyncio.to_thread(self._content, path), committed)

    async def changed(self, before: Snapshot, after: Snapshot) -> list[ChangedFile]:
        """Return what has changed between two snapshots, but not what a checkout explains."""
        differing = [
            path
            for path in sorted({*before.stamps, *after.stamps})
            if before.stamp(path) != after.stamp(path)
            and not await asyncio.to_thread(_is_missed, before, after, path)
        ]
        committed = {} if before.is_cut else await self._committed(before, differing)
        found = []
        for path in differing:
            new = await asyncio.to_thread(self._content, path)
            if path in committed:
                old = with_ends_of(new, committed[path])
                was_there = old is not None
            else:
                old = before.contents.get(path)
                is_unknown = before.is_cut or (bool(self._top) and path not in before.stamps)
                was_there = is_unknown or before.stamps.get(path) is not None
            is_there = os.path.lexists(path)
            obstacle = "" if new is not None or not is_there else self._obstacle(path)
            if path in before.links or path in after.links:
                old, was_there, obstacle = None, True, LINK
            if was_there and old is None:
                obstacle = obstacle or self._obstacle(path) or UNSEEN
            mode = None
            if (old, new) != (None, None) and old == new and not obstacle:
                mode = _modes(before.stamps.get(path), after.stamps.get(path))
                if mode is None:
                    continue
            found.append(ChangedFile(path, old if was_there else None, new, mode, obstacle))
        for path, then in before.inner.items():
            if path in after.inner:
                found += await self._inner[path].changed(then, after.inner[path])
        return found

    async def _status(self, top: str) -> Snapshot:
        # One call tells the commit, too. Each looks at every file, and the agent waits for it.
        status = await self._git("status", *STATUS)
        commit, names, links = _parsed(status or b"")
        # Names are relative to the top, also below it.
        start = f"{top.rstrip('/')}/"
        paths = [start + name for name in names if not _passes(name)]
        stamps = {path: stamp_of(path) for path in paths[:MOST_FILES]}
        is_cut = len(paths) > MOST_FILES or status is None
        inner = await asyncio.to_thread(_repositories, top, names)
        return Snapshot(
            *(stamps, commit),
            is_cut=is_cut,
            links=frozenset(start + name for name in links),
            inner={path: Snapshot({}) for path in inner[:MOST_INNER]},
            is_partial=len(inner) > MOST_INNER,
        )

    async def _untold(self, top: str) -> list[str]:
        """Return the files whose changes `git status` does not tell: the user wants that of git."""
        if not self._index:
            found = await self._git("rev-parse", "--git-path", "index") or b""
            self._index = str(Path(top, os.fsdecode(found[:-1])))
        stamp = stamp_of(self._index)
        if stamp != self._hidden[0]:
            listed = os.fsdecode(await self._git("ls-files", "-v", "-z") or b"").split("\0")
            # `S`: skip-worktree; a small letter: assume-unchanged.
            names = [each[2:] for each in listed if each[:1] == "S" or each[:1].islower()]
            paths = [str(Path(top, each)) for each in names]
            there = await asyncio.to_thread(lambda: [*filter(os.path.lexists, paths)])
            self._hidden = stamp, there
        return self._hidden[1]

    def _scan(self) -> Snapshot:
        snapshot = Snapshot({})
        deadline = time.monotonic() + SCAN_SECONDS
        folders = [self._folder]
        while folders:
            try:
                entries = list(os.scandir(folders.pop()))
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in BUILT and entry.name != ".git":
                        folders.append(entry.path)
                elif _passes(entry.name):
                    continue
                elif len(snapshot.stamps) < MOST_FILES and time.monotonic() < deadline:
                    snapshot.stamps[entry.path] = stamp_of(entry.path)
                else:
                    snapshot.is_cut = True
                    return snapshot
        return snapshot

    def _note(self, snapshot: Snapshot, extra: set[str]) -> None:
        """Add the contents of the files that git does not have; without git, of `extra` only."""
        snapshot.wanted = frozenset(extra.difference(snapshot.stamps))
        for path in snapshot.wanted:
            snapshot.stamps[path] = stamp_of(path)
        wanted = snapshot.stamps if snapshot.head or self._top else extra
        known, self._known, total = self._known, {}, 0
        for path in wanted:
            stamp = snapshot.stamps.get(path)
            if stamp is None or not stat.S_ISREG(stamp[1]) or stamp[2] > LARGEST:
                continue
            if path in known and known[path][0] == stamp:
                content: bytes | None = known[path][1]
            elif total + stamp[2] > MOST_CONTENT_BYTES:
                continue
            else:
                content = self._content(path)
            if content is not None:
                total += len(content)
                self._known[path] = stamp, content
                snapshot.contents[path] = content

    def _content(self, path: str) -> bytes | None:
        return content_of(path, self._is_private)

    def _obstacle(self, path: str) -> str:
        return "private" if self._is_private(path) else obstacle_of(path)

    async def _committed(self, before: Snapshot, paths: list[str]) -> dict[str, bytes | None]:
        """Return the contents that files had as committed; None: there was no such file."""
        clean = [path for path in paths if path not in before.stamps and "\n" not in path]
        if not clean or not self._top:
            return {}
        if not before.head:
            return dict.fromkeys(clean)
        names = {os.path.relpath(path, self._top): path for path in clean}
        found = await self.contents_in(before.head, [*names])
        return {names[name]: content for name, content in found.items()}

    async def _git(self, *arguments: str, given: bytes = b"") -> bytes | None:
        """Return what git prints; None if it fails. It runs no program of the repository."""
        folder = self._top or self._folder
        try:
            command = git.command(*arguments)
        except OSError:
            return None
        if self._environment is None:
            inherited = git.environment(os.environ)
            try:
                self._environment = await asyncio.to_thread(git.guarded, inherited, Path(folder))
            except UserError as error:
                logger.warning("the review knows nothing of git: %s", error)
                return None
        return await output(command, MOST_OUTPUT, self._environment, folder, given)


def _parsed(status: bytes) -> tuple[str, list[str], list[str]]:
    """Return the latest commit, the files that `git status` names, and those that are links."""
    commit, names, links = "", list[str](), list[str]()
    for line in os.fsdecode(status).split("\0"):
        if line.startswith(HEAD):
            commit = line.removeprefix(HEAD).replace("(initial)", "")
        elif count := FIELDS.get(line[:1]):
            *fields, name = line.split(" ", count)
            names.append(name)
            if LINK_MODE in fields[3:5]:
                links.append(name)
    return commit, names, links


def _repositories(top: str, names: Iterable[str]) -> list[str]:
    """Return the repositories inside of one: its submodules, and those of which git names one."""
    modules = files.read_if_sound(Path(top, ".gitmodules"), LARGEST) or b""
    named = [name for name in names if name.endswith("/")]
    inner = [*named, *SUBMODULE.findall(os.fsdecode(modules))]
    paths = dict.fromkeys(os.path.realpath(Path(top, each)) for each in inner)
    return [each for each in paths if _is_inside(Path(each), Path(top))]


def _is_inside(path: Path, top: Path) -> bool:
    """Return whether a folder is a repository inside of another one, and no worktree of that.

    A submodule that is not checked out is an empty folder.
    """
    is_other = path != top and path.is_relative_to(top) and Path(path, ".git").exists()
    return is_other and not git.is_in_other_worktree(path, top)


def _is_missed(before: Snapshot, after: Snapshot, path: str) -> bool:
    """Return whether a file differs only because one of the snapshots is cut before it."""
    if after.is_cut and path not in after.stamps:
        return before.stamps[path] == stamp_of(path)
    if before.is_cut and path not in before.stamps:
        try:
            return os.lstat(path).st_ctime_ns < before.taken - CLOCK_NS
        except OSError:
            return True
    return False


def fresh_in(before: Snapshot, now: Snapshot, seconds: float) -> list[str]:
    """Return the files that were changed between two snapshots, and only so many seconds ago.

    Not those that only one of them was asked for.
    """
    if before.is_cut or now.is_cut or before.head != now.head:
        return []
    since = time.time_ns() - seconds * 1e9
    differing = {*before.stamps, *now.stamps} - (now.wanted - {*before.stamps})
    return [
        path
        for path in differing
        if before.stamp(path) != now.stamp(path) and _changed_at(path) >= since
    ]


def _changed_at(path: str) -> int:
    """Return when a file was changed, or at the latest, if it is gone."""
    for each in (path, Path(path).parent):
        with contextlib.suppress(OSError):
            return os.lstat(each).st_ctime_ns
    return time.time_ns()


def _passes(name: str) -> bool:
    return name.endswith("/") or PASSING.fullmatch(name.rpartition("/")[2]) is not None


def content_of(path: str, is_private: Callable[[str], bool]) -> bytes | None:
    """Return the content of a file; None if there is none, or nothing can be known of it."""
    if is_private(path) or Path(path).is_symlink():
        return None
    return files.read_if_sound(Path(path), LARGEST)


def obstacle_of(path: str) -> str:
    """Return why the content of a path cannot be known; empty if it can, or there is nothing."""
    stamp = stamp_of(path)
    if stamp is None:
        return ""
    if not stat.S_ISREG(stamp[1]):
        return LINK if stat.S_ISLNK(stamp[1]) else "not a file"
    return "too large" if stamp[2] > LARGEST else "" if os.access(path, os.R_OK) else "unreadable"


def stamp_of(path: str) -> Stamp | None:
    """Return what changes with each write to a file; None if there is no file."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mode, found.st_size, found.st_ctime_ns


def _modes(before: Stamp | None, after: Stamp | None) -> tuple[int, int] | None:
    """Return the permissions before and after; None if they are the same.

    Of a file as committed, git tells another one only by whether it is executable.
    """
    if after is None:
        return None
    now = stat.S_IMODE(after[1])
    earlier = stat.S_IMODE(before[1]) if before else now & ~0o111 if now & 0o100 else now | 0o111
    return (earlier, now) if earlier != now else None


def with_ends_of(content: bytes | None, committed: bytes | None) -> bytes | None:
    """Return a committed content with the line ends that it has in the working tree."""
    if not content or not committed or b"\r\n" in committed:
        return committed
    has_crlf = content.count(b"\n") == content.count(b"\r\n") > 0
    return committed.replace(b"\n", b"\r\n") if has_crlf else committed


def _objects(answer: bytes, count: int) -> list[bytes | None]:
    """Return the contents that `git cat-file --batch` has printed."""
    found: list[bytes | None] = []
    at = 0
    while len(found) < count:
        head, _, _ = answer[at:].partition(b"\n")
        at += len(head) + 1
        words = head.rsplit(b" ", 2)
        size = int(words[2]) if len(words) == 3 and words[2].isdigit() else None
        is_file = size is not None and words[1] == b"blob"
        found.append(answer[at : at + (size or 0)] if is_file else None)
        # What was a folder has a content, too.
        at += 0 if size is None else size + 1
    return found


def moves(
    found: list[ChangedFile],
) -> tuple[list[tuple[ChangedFile, ChangedFile]], list[ChangedFile]]:
    """Return the files that were moved as they were, old and new, and the other changes."""
    deleted = {each.before: each for each in found if each.before and each.after is None}
    moved = []
    for each in found:
        if each.before is None and each.after and not each.obstacle:
            old = deleted.pop(each.after, None)
            if old is not None:
                moved.append((old, each))
    of_pairs = [each for pair in moved for each in pair]
    return moved, [each for each in found if each not in of_pairs]
