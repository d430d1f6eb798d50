"""Merges what an agent has written into the unsaved changes of the user to the same file.

The user may write the buffer at any time: it does not ask about the agent's write as soon as that
is known here. The text of the agent is put in once they do not type in it, in one undo step.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from claude_ide.base import files
from claude_ide.base.text_diff import hunks, merge, merge_lines
from claude_ide.config import Config
from claude_ide.editor.disk import DiskReport
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.batch import Gate, Guard, modified, named, retry, stamp, step, tick
from claude_ide.editor.port.events import FileFollowed, FileKept
from claude_ide.editor.port.files import DiskPort, NewText

MOST_VERSIONS, MOST_FILES = 20, 20

HINT = "you have changed the same lines"


class BaseContent(NamedTuple):
    """What a file had before an agent wrote it; None if that is not known."""

    agent: str
    content: bytes | None


class OverwrittenText(NamedTuple):
    """What an agent has written to the file of a buffer, over which the user has saved."""

    name: str
    agent: str
    before: bytes
    after: bytes


class Versions:
    """The latest versions of one file, as an agent found and left it.

    The buffer may not have got all of them; the stamp of its text tells which one it has.
    """

    def __init__(self) -> None:
        self._known: list[tuple[str, bytes | None]] = []
        """Each with the stamp that the editor would have for it, or ""."""
        self._is_writing = False

    def begin(self, content: bytes | None, stamp: str) -> None:
        """Know that the agent is about to write the file, which has this content."""
        self._follow(content, stamp, is_own=self._is_writing)
        self._is_writing = True

    def end(self, before: bytes | None, after: bytes | None, stamp: str) -> None:
        """Know what the agent has written."""
        self._follow(before, "", is_own=self._is_writing)
        self._is_writing = False
        self._follow(after, stamp, is_own=True)

    def _follow(self, content: bytes | None, stamp: str, *, is_own: bool) -> None:
        last = self._known[-1] if self._known else None
        if last is None or (last[1] != content and not is_own):
            # Others have written the file.
            self._known = []
        elif last[1] == content and stamp in ("", last[0]):
            return
        self._known = [*self._known[-MOST_VERSIONS:], (stamp, content)]

    def base(self, now: bytes | None, stamp: str) -> bytes | None:
        """Return the version that a buffer has by its stamp, or else the earliest one.

        Raises `LookupError` if the file, as it is `now`, is not the agent's.
        """
        known = self._known if self._is_writing else self._known[:-1]
        if not known or not (self._is_writing or self._known[-1][1] == now):
            raise LookupError
        return next((content for each, content in known if each == stamp), known[0][1])

    def lost(self, now: bytes | None, stamp: str | None) -> tuple[bytes, bytes] | None:
        """Return what the agent has last made of what, if the user has saved `now` over it.

        They had the version with this stamp, or the earliest one; None: certainly not the last one.
        """
        *earlier, (last, after) = self._known or [("", None)]
        if self._is_writing or not earlier or after is None or stamp in ("", last):
            return None
        before = next((content for each, content in earlier if each == stamp), earlier[0][1])
        return (before or b"", after) if lacks(before, after, now) else None


def lacks(before: bytes | None, after: bytes, now: bytes | None) -> bool:
    """Return whether a text has nothing of the changes that lead from a text to another one."""
    # Line feeds are the same bytes in any encoding that has them.
    old, new, text = [(each or b"").decode("latin-1").split("\n") for each in (before, after, now)]
    changes, there = [
        {(first, last, *lines[start:stop]) for first, last, start, stop in hunks(old, lines)}
        for lines in (new, text)
    ]
    return bool(changes) and not changes & there


class _Write(NamedTuple):
    """What an agent has written; `before` is None if it is not known."""

    agent: str
    before: str | None
    after: str


class _Overlap(NamedTuple):
    """A write that cannot be merged into the text of a buffer."""

    bufnr: int
    text: str
    write: _Write


class Merging:
    """Merges writes for one editor.

    `base_of` returns what a file had before an agent wrote it just now; None if none has.
    `put_below` is called with the path of a file, the text before an agent's write, and what the
    user had made of it, once they have decided between the two.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        report: DiskReport,
        base_of: Callable[[FileKept], Awaitable[BaseContent | None]],
        put_below: Callable[[str, str, str], Awaitable[None]],
    ) -> None:
        self._editor = editor
        self._config = config
        self._report = report
        self._base_of = base_of
        self._put_below = put_below
        self._waiting: dict[str, list[_Write]] = {}
        """By path, what is not merged yet."""
        self._merged: dict[str, tuple[str, bytes]] = {}
        """By path, the stamp and the content of the last file that was merged, or will be."""

    async def follow(self, event: FileKept) -> None:
        """Merge what an agent has written; report a write of another program."""
        base = await self._base_of(event)
        write = await retry(partial(self._taken, event, base)) if base else None
        if write is None:
            self._report.keep(event)
        else:
            await self._add(event.path, write)

    async def bring_back(self, lost: OverwrittenText) -> None:
        """Ask about what an agent has written where the user has saved other lines over it."""
        path, agent = lost.name, lost.agent
        self._editor.notify(f"{Path(path).name}: saved over what {agent} wrote")
        buffer = await self._editor.port.disk.look(path, False)
        encoding = buffer.encoding if buffer else ""
        try:
            before, after = lost.before.decode(encoding), lost.after.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            return
        await self._add(path, _Write(agent, before, after))

    async def _add(self, path: str, write: _Write) -> None:
        if path in self._waiting:
            self._waiting[path].append(write)
        else:
            self._waiting[path] = [write]
            try:
                await self._put_all(path)
            finally:
                del self._waiting[path]

    async def _taken(self, event: FileKept, base: BaseContent) -> _Write | None:
        """Return a write, about which the editor no longer asks; None if it cannot be merged."""
        disk = self._editor.port.disk
        buffer = await disk.look(event.path, False)
        if buffer is None or not buffer.is_modified or not buffer.encoding:
            return None
        content = await asyncio.to_thread(
            files.read_if_sound, Path(event.path), files.LARGEST_BYTES
        )
        if content is None:
            return None
        known = self._merged.get(event.path)
        is_known = known is not None and known[0] == event.stamp
        before = known[1] if known and is_known else None if event.is_earlier else base.content
        try:
            old = None if before is None else before.decode(buffer.encoding)
            write = _Write(base.agent, old, content.decode(buffer.encoding))
        except (LookupError, UnicodeDecodeError):
            return None
        facts = modified(buffer.bufnr, True), stamp(event.path, buffer.stamp)
        acknowledge = step(DiskPort.acknowledge, buffer.bufnr)
        await self._editor.port.batch([acknowledge], Guard(Gate.POSSIBLE, facts))
        self._merged.pop(event.path, None)
        self._merged[event.path] = buffer.stamp, content
        while len(self._merged) > MOST_FILES:
            del self._merged[next(iter(self._merged))]
        return write

    async def _put_all(self, path: str) -> None:
        while self._waiting[path]:
            overlap = await retry(partial(self._put, path))
            if overlap:
                await self._ask(path, overlap)

    async def _put(self, path: str) -> _Overlap | None:
        """Merge what waits, up to a write that overlaps with the user's changes."""
        port, waiting = self._editor.port, self._waiting[path]
        found = await port.disk.look(path, False)
        if found is None:
            waiting.clear()
            return None
        # What the user types until then is merged, too.
        await port.batch((), Guard(Gate.CHANGEABLE, (named(found.bufnr, path),)))
        buffer = await port.disk.look(path, True)
        if buffer is None or buffer.text is None:
            waiting.clear()
            return None
        text, merged, count = buffer.text, buffer.text, 0
        for write in waiting:
            result = await asyncio.to_thread(_merged, write, merged)
            if result is None:
                break
            merged, count = result, count + 1
        if merged != text:
            facts = (tick(buffer.bufnr, buffer.changedtick),)
            replace = step(DiskPort.replace, buffer.bufnr, NewText(merged))
            (now,) = await port.batch([replace], Guard(Gate.CHANGEABLE, facts))
            ticks = buffer.changedtick, now
            self._report.add(_followed(path, waiting[0].agent, (text, merged), ticks))
        overlap = _Overlap(buffer.bufnr, merged, waiting[count]) if count < len(waiting) else None
        del waiting[: count + 1]
        return overlap

    async def _ask(self, path: str, overlap: _Overlap) -> None:
        """Show a diff between the user's text and the agent's; the user decides."""
        bufnr, text, write = overlap
        proposal = await asyncio.to_thread(_proposal, write, text)
        if proposal == text:
            return
        diffs, layout = self._editor.diffs, self._config.diff.layout
        shown = {"agent": write.agent, "hint": HINT}
        diff = await diffs.show(
            *("", path, proposal, write.agent, layout), original=bufnr, is_unsaved=True, **shown
        )
        try:
            decision = await diff.decision
        finally:
            diffs.close(diff)
        if write.before is not None:
            await self._put_below(path, write.before, text)
        if decision.accepted:
            # The user may have typed meanwhile.
            self._waiting[path].insert(0, _Write(write.agent, text, decision.text))


def _merged(write: _Write, text: str) -> str | None:
    return None if write.before is None else merge(write.before, text, write.after)


def _proposal(write: _Write, text: str) -> str:
    """Return the agent's text with what the user has changed elsewhere, if that is known."""
    if write.before is None:
        return write.after
    texts = (each.split("\n") for each in (write.before, text, write.after))
    merged = merge_lines(*texts, theirs_win=True)
    return write.after if merged is None else "\n".join(merged)


def _followed(
    path: str, agent: str, texts: tuple[str, str], ticks: tuple[int, int]
) -> FileFollowed:
    found = [*hunks(*(text.split("\n") for text in texts))]
    removed = sum(last - first for first, last, _, _ in found)
    added = sum(stop - start for _, _, start, stop in found)
    return FileFollowed(path, added, removed, *ticks, 0, agent)
