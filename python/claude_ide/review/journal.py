"""Keeps the files that an agent changes, as they were before and after each turn, in memory.

The caller runs the agent. It calls `begin` when a turn begins, `before_write` before each write,
and `settle` at the turn's end. For an earlier session, `reported` has the texts of its record.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from claude_ide.paths import real
from claude_ide.review import versions
from claude_ide.review.versions import Version

MOST_KEPT = 64_000_000
"""Characters of all texts together; beyond that, the oldest turns are forgotten."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a turn has changed."""

    path: str
    before: Version
    after: Version


@dataclass(slots=True)
class _Span:
    """A file during a turn; `after` is None until the turn has ended."""

    before: Version
    after: Version | None = None


@dataclass(slots=True)
class _Turn:
    files: dict[str, _Span] = field(default_factory=dict)
    is_running: bool = True
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the files are read at the turn's end: until then only older texts are known."""


class Journal:
    """The turns of one session, by ids that its caller chooses."""

    def __init__(
        self, read: Callable[[str], Version] = versions.read, most: int = MOST_KEPT
    ) -> None:
        self.turn = ""
        """The id of the current turn."""
        self._read = read
        self._most = most
        self._turns: dict[str, _Turn] = {}
        self._forgotten: set[str] = set()
        self._earlier: set[str] = set()

    async def latest(self) -> str | None:
        """Return the latest turn that has changed a file; None if no turn has."""
        for turn in reversed(list(self._turns)):
            if await self.changes(turn):
                return turn
        return None

    def is_running(self, turn: str) -> bool:
        """Return whether a turn has written a file since it was settled."""
        return turn in self._turns and self._turns[turn].is_running

    def is_earlier(self, turn: str) -> bool:
        """Return whether a turn is from the record of an earlier session."""
        return turn in self._earlier

    def is_forgotten(self, turn: str | None = None) -> bool:
        """Return whether the texts of a turn, or of any turn, were dropped to save memory."""
        return bool(self._forgotten) if turn is None else turn in self._forgotten

    def paths(self) -> list[str]:
        """Return the files that were written in any turn."""
        return list(dict.fromkeys(path for turn in self._turns.values() for path in turn.files))

    def begin(self, turn: str) -> None:
        """Begin a turn, unless it has begun."""
        self.turn = turn

    async def before_write(self, path: str) -> None:
        """Keep the current version of a file that is about to be written."""
        if self._span(path) is None:
            self.written(path, await asyncio.to_thread(self._read, real(path)))

    def written(self, path: str, before: Version) -> None:
        """Record that the current turn has written a file, or is about to."""
        path = real(path)
        before = self._known(path, before)
        turn = self._turns.pop(self.turn, None) or _Turn()
        turn.is_running = True
        turn.files.setdefault(path, _Span(before))
        self._turns[self.turn] = turn
        self._forget()

    def replaced(self, path: str, saved: str | None, unsaved: str) -> None:
        """Record that a write has replaced unsaved text, while another text was on disk.

        The unsaved changes are the user's; unless the file was written earlier in the turn, it
        regards the unsaved text as the one before.
        """
        span = self._span(path)
        if span is not None and span.before == Version(saved):
            span.before = Version(unsaved)

    def reported(self, path: str, before: str | None, after: str | None) -> None:
        """Record a write that the agent reports, with the texts in its report; None: no file.

        A version that `before_write` has kept is more exact.
        """
        if self._span(path) is None:
            self.written(path, Version(before))
        if after is not None and (span := self._span(path)):
            span.after = Version(after)

    async def settle(self, turn: str) -> None:
        """Keep the files of a turn as they are at its end."""
        if known := self._turns.get(turn):
            known.is_running = False
            async with known.reading:
                for path, after in (await self._now(known.files)).items():
                    known.files[path].after = after
            self._forget()

    def begin_earlier(self, turn: str) -> None:
        """Begin a turn of an earlier session, whose writes `reported` records."""
        self.turn = turn
        self._earlier.add(turn)

    def end_earlier(self) -> None:
        """Regard all turns as ended, with the texts that were reported last."""
        for turn in self._turns.values():
            turn.is_running = False

    async def changes(self, turn: str | None = None) -> list[FileChange]:
        """Return the files that a turn has changed; without a turn, all turns together."""
        if turn is None:
            turns = list(self._turns.values())
        else:
            turns = [self._turns[turn]] if turn in self._turns else []
        before, after = dict[str, Version](), dict[str, Version]()
        for each in turns:
            async with each.reading:
                now = await self._now(each.files) if each.is_running else {}
            for path, span in each.files.items():
                before.setdefault(path, span.before)
                after[path] = now.get(path) or span.after or versions.MISSING
        pairs = ((path, before[path], after[path]) for path in before)
        return [FileChange(path, old, new) for path, old, new in pairs if old != new]

    async def _now(self, paths: Iterable[str]) -> dict[str, Version]:
        return await asyncio.to_thread(lambda: {path: self._read(path) for path in list(paths)})

    def _span(self, path: str) -> _Span | None:
        turn = self._turns.get(self.turn)
        return turn.files.get(real(path)) if turn else None

    def _known(self, path: str, version: Version) -> Version:
        """Return the object that holds this version already, to keep each text once."""
        for turn in reversed(self._turns.values()):
            if span := turn.files.get(path):
                return span.after if span.after == version else version
        return version

    def _forget(self) -> None:
        """Drop the oldest turns until the remaining texts fit."""
        while len(self._turns) > 1 and self.size() > self._most:
            turn = next(iter(self._turns))
            del self._turns[turn]
            self._forgotten.add(turn)

    def forget(self) -> None:
        """Drop the texts of all turns."""
        self._forgotten |= self._turns.keys()
        self._turns.clear()

    def size(self) -> int:
        """Return the number of characters that are kept."""
        spans = [span for turn in self._turns.values() for span in turn.files.values()]
        kept = [version.text for span in spans for version in (span.before, span.after) if version]
        return sum(len(text) for text in {id(text): text for text in kept if text}.values())
