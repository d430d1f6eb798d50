"""The review of one folder, one step after the other; and the files in it."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from claude_ide.base import files
from claude_ide.base.errors import UserError
from claude_ide.base.paths import within
from claude_ide.review.entry import File, Remark
from claude_ide.review.review import Review
from claude_ide.review.snapshot import LARGEST, Snapshots, stamp_of
from claude_ide.review.store import Store
from claude_ide.review.texts import Rows, decoded, lines_shown, readable

T = TypeVar("T")


@dataclass(frozen=True)
class WaitingChanges:
    """What waits for review in a folder."""

    hunks: dict[str, int]
    """Their number by path."""
    sessions: Mapping[str, int]
    """By session the number of files that it has written."""
    remarked: list[str]
    """Paths."""
    open_remarks: int
    compared: list[str]
    """The paths of files that are compared with another base."""
    value: dict[str, list[Any]]
    """What `review()` of the editors returns."""

    def paths(self) -> set[str]:
        """Return the files in which something is shown."""
        return {*self.hunks, *self.remarked, *self.compared}


class Folder:
    """The review of one folder, one step after the other."""

    def __init__(self, root: str, home: Path, is_private: Callable[[str], bool]) -> None:
        self.root = root
        self.review = Review(root, Store(root, home), is_private)
        self.snapshots = Snapshots(root, is_private)
        self.bases: dict[str, str | None] = {}
        """The texts with which files are compared in place of those before their review."""
        self.whole: list[str] = []
        """The files that are listed beside these as long as they wait: decided as a whole."""
        self._uncompared: list[str] = []
        """Those that differ and cannot be compared with these."""
        self.unsaved: dict[str, str] = {}
        """The texts of modified buffers in which something waits or has been reverted, by path."""
        self.stamp: object = None
        """Of what other programs change: the state, and what git changes with files."""
        self._of_git: Sequence[Path] | None = None
        self._order = asyncio.Lock()

    async def look(self) -> bool:
        """Return whether the state or git has something else than at the last call."""
        if self._of_git is None:
            self._of_git = await self.snapshots.moving()
        stamp = [stamp_of(str(path)) for path in self.moving]
        is_other, self.stamp = stamp != self.stamp, stamp
        return is_other

    @property
    def moving(self) -> Sequence[Path]:
        """The files that other programs write when they change something here."""
        return self.review.path, *(self._of_git or ())

    async def files(self) -> list[File]:
        """Return the files that wait, as their buffers have them."""
        found = {self.path(each.path): each for each in await self.run(self.review.files)}
        for path, text in [*self.unsaved.items()]:
            if path in found and found[path].status == "deleted":
                continue
            file = await self.run(self.review.file, path, text)
            if file is not None and not file.is_reviewed:
                found[path] = file
            else:
                found.pop(path, None)
        return [*found.values()]

    async def file(self, path: str, text: str | None = None) -> File | None:
        """Return a file that waits, as if it had this text, or else as its buffer has it."""
        text = self.unsaved.get(path) if text is None else text
        found = await self.run(self.review.file, path, text)
        name = within(path, self.root)
        if name not in self.bases:
            return found
        now = text if text is not None else await asyncio.to_thread(_text, path)
        return await self.run(self.review.compared, name, self.bases[name], now)

    async def written(self) -> list[str]:
        """Return the paths of the files that agents have written, reviewed or not."""
        return [self.path(each) for each in await self.run(self.review.names)]

    def path(self, name: str) -> str:
        """Return the path of a file by its name in the review."""
        return str(Path(self.root, name))

    async def waiting(self) -> WaitingChanges:
        """Return what waits now."""
        waiting = await self.files()
        remarks = [each.at(rows) for rows, each in await self.remarks()]
        unknown = await self.unknown()
        return WaitingChanges(
            {self.path(file.path): len(file.hunks) for file in waiting},
            Counter(session for file in waiting for session in file.entry.bases),
            [*dict.fromkeys(self.path(each.path) for each in remarks)],
            sum(each.state == "open" for each in remarks),
            [self.path(name) for name in self.bases],
            value(self.root, waiting, remarks, unknown),
        )

    async def unknown(self) -> list[str]:
        """Return what cannot be known, in one line each."""
        known, count = await self.run(self.review.unknown), len(self._uncompared)
        if count:
            what = self._uncompared[0] if count == 1 else f"{count} files"
            it = "it" if count == 1 else f"them, such as {self._uncompared[0]}"
            known.append(f"{what}: not compared: git converts {it}")
        return known

    async def remarks(self) -> list[tuple[Rows, Remark]]:
        """Return all remarks, each with the rows where it is now."""
        known, placed = await self.run(self.review.remarks), list[tuple[Rows, Remark]]()
        for path in {self.path(each.path) for each in known}:
            text = self.unsaved.get(path)
            text = await asyncio.to_thread(_text, path) if text is None else text
            if text is not None:
                placed += await self.run(self.review.placed, path, readable(text))
        return [(_rows_of(each, placed), each) for each in known]

    async def compare(self, since: str, what: str) -> None:
        """Compare files with what they were before a turn or a session, or in a commit.

        Raises `UserError` if git does not know that.
        """
        self.bases, self.whole, self._uncompared = {}, [], []
        if since == "base":
            found = await self.snapshots.since(what)
            if found is None:
                raise UserError(f"git knows no {what}")
            contents, self._uncompared = found
            self.bases = {
                name: None if content is None else decoded(content)
                for name, content in contents.items()
            }
        elif since:
            for each in await self.run(self.review.since, what, is_turn=since == "turn"):
                if each.texts is None or each.texts.is_reviewed:
                    self.whole.append(each.path)
                else:
                    self.bases[each.path] = each.texts.base

    async def listed(self) -> list[File]:
        """Return what waits, or what differs from the texts with which files are compared."""
        if not self.bases and not self.whole:
            return await self.files()
        names = sorted([*self.bases, *self.whole])
        found = [await self.file(self.path(name)) for name in names]
        return [
            each for each in found if each and (each.path in self.whole or not each.is_reviewed)
        ]

    async def follow_commits(self, *, is_kept: bool = True) -> list[str]:
        """Keep what the latest commit contains, if that `is_kept`; return the files."""
        head = await self.snapshots.head()
        if not head or head == self.review.head:
            return []
        # The first commit that is known was there before what waits.
        waiting = await self.run(self.review.files) if self.review.head else []
        names, before = [file.path for file in waiting], self.review.head
        found = await self.snapshots.contents_in(head, names)
        kept = await self.run(self.review.committed, head, found, is_kept=is_kept)
        if is_kept and waiting:
            earlier = await self.snapshots.contents_in(before, names)
            kept += await self._keep_parts(found, earlier, is_joined=bool(kept))
        return kept

    async def _keep_parts(
        self,
        found: Mapping[str, bytes | None],
        earlier: Mapping[str, bytes | None],
        *,
        is_joined: bool,
    ) -> list[str]:
        """Keep the hunks that a commit contains of files that differ from it; return the files."""
        kept = list[str]()
        for name in found:
            path = self.path(name)
            # Others may have written it just before the commit.
            await self.run(self.review.look, path)
            file = await self.run(self.review.file, path)
            new, old = (decoded(each.get(name) or b"") for each in (found, earlier))
            if file is None or file.is_whole or file.texts is None or None in (new, old):
                continue
            for rows in await asyncio.to_thread(file.texts.rows_in, new or "", old or ""):
                await self.run(self.review.keep, path, rows, is_joined=is_joined or bool(kept))
                kept = [*dict.fromkeys([*kept, name])]
        return kept

    async def run(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Run a method of the review in a thread."""
        async with self._order:
            return await asyncio.to_thread(function, *arguments, **named)


def value(
    root: str, waiting: Sequence[File], remarks: Sequence[Remark], unknown: Sequence[str]
) -> dict[str, list[Any]]:
    """Return what `review()` of the editors returns of a folder (`:help claude-ide.review()`)."""
    return {
        "files": [
            {"path": str(Path(root, file.path)), "status": file.status, "hunks": hunk_values(file)}
            for file in waiting
        ],
        "remarks": [
            {
                "path": str(Path(root, each.path)),
                "first": each.first + 1,
                "last": each.last,
                "words": each.words,
                "state": each.state,
            }
            for each in remarks
        ],
        "unknown": [
            *unknown,
            *(f"{file.path}: {file.entry.obstacle}" for file in waiting if file.texts is None),
        ],
    }


def _rows_of(remark: Remark, placed: Sequence[tuple[Rows, Remark]]) -> Rows:
    found = (rows for rows, each in placed if each == remark)
    return next(found, (remark.first, remark.last))


def hunk_values(file: File | None) -> list[dict[str, Any]]:
    """Return what `review()` returns of the hunks of a file."""
    if file is None or file.texts is None:
        return []
    now = lines_shown(file.texts)[1]
    return [
        {
            "first": hunk.start + 1,
            "last": hunk.stop,
            "added": hunk.stop - hunk.start,
            "removed": hunk.last - hunk.first,
            "text": "".join(now[hunk.start : hunk.stop]),
        }
        for hunk in file.hunks
    ]


def _text(path: str) -> str | None:
    content = read(path)
    return None if content is None else decoded(content)


def read(path: str) -> bytes | None:
    """Return the content of a file; None if it cannot be read, or is large."""
    return files.read_if_sound(Path(path), LARGEST)


def write(path: str, content: bytes) -> None:
    """Write a file, or raise `UserError`: its path had no link when it was recorded."""
    _change(files.write, path, os.path.normpath(path), content)


def set_mode(path: str, mode: int) -> None:
    """Give a file these permissions, likewise."""
    _change(files.set_mode, path, mode)


def delete(path: str) -> None:
    """Delete a file, likewise."""
    _change(files.delete, path)


def _change(how: Callable[..., None], path: str, *arguments: Any) -> None:
    try:
        how(path, *arguments)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
