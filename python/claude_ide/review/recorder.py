"""Records what one session of an agent writes, whatever it writes it with.

Tools that edit name their files. What commands change is found by comparing the folder before and
after them, without what the user has written in this editor meanwhile.
"""

import asyncio
import codecs
import contextlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from claude_ide.base.errors import EditorError
from claude_ide.base.paths import absolute, real
from claude_ide.base.text_diff import merge
from claude_ide.editor.disk import editor_stamp
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import without_mentions
from claude_ide.editor.port.binding import soon
from claude_ide.review import folder as folder_files
from claude_ide.review import telling
from claude_ide.review.entry import Turn
from claude_ide.review.folder import Folder, read
from claude_ide.review.merging import BaseContent, OverwrittenText, Versions, lacks
from claude_ide.review.snapshot import (
    UNSEEN,
    ChangedFile,
    Snapshot,
    Stamp,
    fresh_in,
    obstacle_of,
    stamp_of,
    with_ends_of,
)
from claude_ide.review.texts import encoded, is_utf8

if TYPE_CHECKING:
    from claude_ide.review.service import ReviewService

BUSY_SECONDS = 1.0
"""How long an agent waits for the editor, which may be at a prompt."""

MOST_USED = 300
"""Files that were read or written, whose texts are recorded where git does not have them."""

LATE_SECONDS = 5.0
"""How much earlier than its report the work of a tool may have begun."""

WAIT_SECONDS = 0.4
"""How long an agent waits at least until what its tools will change is noted."""

TOO_MANY = "too many files to compare: commands may have changed more"
ODD = "a file was changed whose name is not UTF-8"
OUTSIDE = "commands may have changed files outside of this folder, such as"

PATH = re.compile(r"(?<![\w.~/-])(?:~|\.\.|/)[^\s'\"`;|&<>()$*?]*")
"""What looks like a path in a command, of which one may lead out of a folder."""

PART = re.compile(r"[;&|\n]+(?!\d)")
TARGET = re.compile(r">+\s*(\S+)")
"""Where a part of a command writes its output."""

MOST_PATHS = 100
"""Of one command, which may be a whole file."""

READERS = ("cat", "diff", "du", "echo", "file", "grep", "head", "ls", "rg", "stat", "tail", "wc")
"""Programs that write nothing but their output."""

DEVICES = ("/dev", "/proc", "/sys")


class _Content(NamedTuple):
    """A file at one time; without a content, the obstacle says why that is not known."""

    content: bytes | None
    obstacle: str
    stamp: Stamp | None


class Recorder:
    """Records for one session, which works in `folder`.

    `tell_user` is called with what the model is told, such as `reverted 2 changes in a.py`.
    `is_late`: the agent does not wait until what its tools will change is noted.
    """

    def __init__(
        self,
        service: "ReviewService",
        editor: Editor,
        session: str,
        folder: str,
        tell_user: Callable[[str], object] = lambda what: None,
        agent: str = "Claude",
        *,
        is_late: bool = False,
    ) -> None:
        self._service = service
        self.agent = agent
        self._is_late = is_late
        service.recorders.add(self)
        self._editor = editor
        self.session = session
        self._here = folder
        self._turns = 0
        self._is_in_turn = False
        self._before: Snapshot | None = None
        self._is_begun = False
        """Whether tools may have begun before the last look at the folder."""
        self._running: set[str] = set()
        self._used: dict[str, None] = {}
        self._contents: dict[str, _Content] = {}
        """What files had before the tools that are writing them."""
        self._versions = defaultdict[str, Versions](Versions)
        """Those of the files that this turn has written."""
        self._written: dict[str, bytes | None] = {}
        """What files had after the tools of this turn that have written them."""
        self._overwritten: dict[str, str] = {}
        """Files that the user has saved while tools wrote them, with the names of their buffers."""
        self._saved: dict[str, Stamp | None] = {}
        """What the user has written in this turn."""
        self._asked: dict[str, str] = {}
        """Files of edits that the user was shown, and may allow: these are reviewed then."""
        self._background = ""
        """The turn whose commands may still run in the background; empty if there are none."""
        self._order = asyncio.Lock()
        self.prompt = ""
        """That of the current turn."""
        self._reasons: dict[str, str] = {}
        """Why the agent writes the files that it is about to write."""
        self.tell_user = tell_user

    @property
    def is_running(self) -> bool:
        """Whether a tool is running that may write anything."""
        return bool(self._running)

    @property
    def may_be_writing(self) -> bool:
        """Whether files may have what is not recorded yet."""
        is_unreported = self._is_late and self._is_in_turn
        return bool(self._running or self._contents or self._background or is_unreported)

    @property
    def turn(self) -> Turn:
        """The current turn."""
        return Turn(self.session, str(self._turns), self.prompt)

    async def prompted(self) -> None:
        """Begin a turn: what was written since the last one and is no agent's is the user's."""
        self._is_in_turn = True
        async with self._order:
            folder = await self._service.folder(self._here, is_folder=True)
            if self._running or self._background:
                # The user has stopped the last turn, or its commands go on.
                await self._compare(folder, is_perhaps=not self._running)
                self._running.clear()
            await self._end_writes(folder)
            self._turns += 1
            self._written.clear()
            self._versions.clear()
            self._asked.clear()
            self._overwritten.clear()
            self._saved.clear()
            self._reasons.clear()
            with contextlib.suppress(EditorError, TimeoutError):
                await soon(self._editor.port.review.watch_own_writes(), BUSY_SECONDS)
            await self._service.follow_commits(folder)
            await folder.run(folder.review.look_at_all)
            for path in reversed(self._editor.state.paths):
                self._use(path)
            self._before = await folder.snapshots.take(self._used)

    async def runs(self, command: str) -> None:
        """Know the words of a command: what it writes outside of the folder is not found."""
        folder = await self._service.folder(self._here, is_folder=True)
        if path := await asyncio.to_thread(outside, command, self._here, folder.root):
            await folder.run(folder.review.know_not, f"{OUTSIDE} {path}")
            await self._service.changed(folder)

    async def command_begun(self, use: str, reported: float) -> None:
        """Note the folder before a command, or another tool that may write anything.

        `reported` is when the agent has told of it, by the monotonic clock.
        """
        async with self._order:
            folder = await self._service.folder(self._here, is_folder=True)
            if not self._running:
                self._before, _ = await self._look(folder, reported)
            self._running.add(use)

    async def _look(self, folder: Folder, reported: float) -> tuple[Snapshot, Snapshot]:
        """Return the folder as it was before a tool that was reported then, and as it is."""
        now = await folder.snapshots.take(self._used)
        self._is_begun = self._before is not None and self._may_have_begun(reported)
        if self._before is None or not self._is_begun:
            return now, now
        seconds = time.monotonic() - reported + (LATE_SECONDS if self._is_late else 0)
        fresh = await asyncio.to_thread(fresh_in, self._before, now, seconds)
        own = await self._own(fresh) if fresh else []
        return self._before.with_rest_of(now, {*fresh}.difference(own)), now

    def _may_have_begun(self, reported: float) -> bool:
        return self._is_late or time.monotonic() > reported + WAIT_SECONDS

    async def command_ended(self, use: str) -> list[ChangedFile]:
        """Record what has changed since; return it."""
        async with self._order:
            if use not in self._running:
                return []
            self._running.discard(use)
            return await self._compare(await self._service.folder(self._here, is_folder=True))

    async def _end_writes(self, folder: Folder) -> None:
        """Record what tools have written whose end was not reported: the user has stopped them."""
        contents, self._contents = self._contents, {}
        own = await self._own([*contents]) if contents else []
        for path, before in contents.items():
            if path not in own and path not in self._asked:
                found = _found(path, before, await asyncio.to_thread(_note, path))
                await folder.run(folder.review.wrote, self.turn, found)
        if contents:
            await self._service.changed(folder)

    def in_background(self) -> None:
        """Know that a command of this turn goes on after its tool has ended."""
        self._background = self.turn.turn

    async def before_write(self, path: str, reported: float | None = None) -> None:
        """Note a file that a tool is about to write.

        `reported` is when the agent has told of it; None if it is not written before.
        """
        async with self._order:
            path = real(path)
            content, stamp = await asyncio.to_thread(_note, path), editor_stamp(path)
            earlier = None
            if reported is not None and self._may_have_begun(reported):
                earlier = await self._earlier(path, reported)
            if earlier is not None:
                content, stamp = earlier, ""
            self._contents[path] = content
            self._versions[path].begin(content.content, stamp)

    async def _earlier(self, path: str, reported: float) -> _Content | None:
        """Return a file as it was before an agent may have written it; None if it is so now."""
        folder = await self._service.folder(self._here, is_folder=True)
        before, now = await self._look(folder, reported)
        changed = await folder.snapshots.changed(before, now)
        found = next((each for each in changed if each.path == path), None)
        if found is None:
            return None
        if path in self._written:
            return _Content(await self._latest(folder, path), "", None)
        return _Content(found.before, found.obstacle, before.stamps.get(path))

    async def explain(self, path: str, words: str) -> None:
        """Know why the agent writes a file, before or after it has done so."""
        path = real(path)
        self._reasons[path] = words
        folder = await self._service.folder(self._here, is_folder=True)
        await folder.run(folder.review.explain, self.turn, path, words)

    def is_writing(self, path: str) -> bool:
        """Return whether a tool was about to write a file."""
        return real(path) in self._contents

    def used(self, path: str) -> None:
        """Know that a tool has read a file: its text is recorded before commands."""
        self._use(real(path))

    async def saved(self, path: str, name: str, base: str | None) -> None:
        """Know that the user has written a file: what a tool makes of it later is based on that.

        `name` and `base` are those of `ReviewSaved`.
        """
        content, stamp = await asyncio.to_thread(read, path), stamp_of(path)
        async with self._order:
            if path in self._contents:
                self._overwritten[path] = name
            elif base is None or not await self._bring_back(path, name, content, base):
                # What the user saves later is based on this.
                self._versions.pop(path, None)
            if self._is_in_turn and self._before is not None and content is not None:
                self._use(path)
                self._saved[path] = stamp
                self._before.stamps[path], self._before.contents[path] = stamp, content

    async def _bring_back(self, path: str, name: str, now: bytes | None, stamp: str | None) -> bool:
        """Write again what the session has written, if the user has just saved over it.

        Return whether this was done.
        """
        lost = self._versions[path].lost(now, stamp) if path in self._versions else None
        if lost is None or now is None:
            return False
        texts = (each.decode("latin-1") for each in (lost[0], now, lost[1]))
        merged = await asyncio.to_thread(merge, *texts)
        if merged is None:
            self._service.overwritten(OverwrittenText(name, self.agent, *lost))
            return False
        after = merged.encode("latin-1")
        self._editor.port.disk.announce_write(name, self.agent)
        self._versions[path].begin(now, editor_stamp(path))
        await asyncio.to_thread(folder_files.write, path, after)
        self._versions[path].end(now, after, editor_stamp(path))
        self._written[path] = after
        folder = await self._service.folder(self._here, is_folder=True)
        await folder.run(folder.review.wrote, self.turn, [ChangedFile(path, now, after)])
        await self._service.changed(folder)
        self._editor.notify(
            f"{Path(path).name}: saved over what {self.agent} wrote; both are merged"
        )
        return True

    def replaced(self, path: str, unsaved: str) -> None:
        """Know that what is being written replaces unsaved text of the user."""
        if real(path) in self._contents:
            self._contents[real(path)] = _Content(encoded(unsaved), "", None)

    def not_asked(self, path: str, use: str = "") -> None:
        """Know that an edit of a file has begun, about which the user was not asked before."""
        if self._asked.get(real(path)) != use or not use:
            self._asked.pop(real(path), None)

    def asked(self, path: str, use: str = "") -> None:
        """Know that the user decides about an edit of a file: if written, they have seen it.

        `use` is the id of the tool's use, if it may begin after that.
        """
        self._asked[real(path)] = use

    async def wrote(
        self,
        path: str,
        before: str | None = None,
        reported: str | None = None,
        *,
        is_known: bool = False,
    ) -> None:
        """Record that a tool has written a file.

        `before` and `reported` are what the tool reports of its texts, if it does.
        """
        async with self._order:
            folder = await self._service.folder(self._here, is_folder=True)
            path = real(path)
            after = await asyncio.to_thread(_note, path)
            if path in self._contents:
                before_, now = self._contents.pop(path), after.content
                after = await self._intact(path, before_, after, reported)
                stamp = editor_stamp(path) if after.content == now else ""
                self._versions[path].end(before_.content, after.content, stamp)
            elif is_known:
                before_ = _Content(*_reported(before), None)
            else:
                old = await folder.run(folder.review.latest, path)
                before_ = _Content(old, "" if old is not None else UNSEEN, None)
            self._use(path)
            self._written[path] = after.content
            turn = replace(self.turn, reason=self._reasons.pop(path, ""))
            if path in self._asked:
                del self._asked[path]
                contents = before_.content, after.content
                await folder.run(folder.review.accepted, path, *contents, turn)
            elif found := _found(path, before_, after):
                await folder.run(folder.review.wrote, turn, found)
            if name := self._overwritten.pop(path, ""):
                await self._bring_back(path, name, await asyncio.to_thread(read, path), None)
        await self._service.changed(folder)

    async def _intact(
        self, path: str, before: _Content, now: _Content, reported: str | None
    ) -> _Content:
        """Return what a tool has written to a file, over which the user may have saved."""
        if reported is None:
            return now
        # An editor that is just saving it has emptied it first.
        is_saved = path in self._overwritten or now.content == b"" or await self._own([path])
        if not is_saved:
            return now
        after = with_ends_of(before.content, encoded(reported)) or b""
        if (before.content or b"").startswith(codecs.BOM_UTF8) and not after.startswith(
            codecs.BOM_UTF8
        ):
            after = codecs.BOM_UTF8 + after
        is_lost = lacks(before.content, after, now.content)
        return _Content(after, "", None) if is_lost else now

    async def turn_ended(self) -> tuple[int, int, int]:
        """Return how many files the turn has changed, and the lines it has added and removed."""
        async with self._order:
            folder = await self._service.folder(self._here, is_folder=True)
            if self._running or self._background:
                await self._compare(folder, is_perhaps=not self._running)
            if self._background != self.turn.turn:
                self._background = ""
            self._is_in_turn = False
            return await folder.run(folder.review.count, self.turn)

    async def note(self) -> str:
        """Return a note for the model on what the user has reverted since the last one, or ""."""
        folder = await self._service.folder(self._here, is_folder=True)
        told = await folder.run(folder.review.told, self.session)
        if told:
            self.tell_user(telling.summary(told))
        return await without_mentions(telling.note(told), self._here)

    async def _compare(self, folder: Folder, *, is_perhaps: bool = False) -> list[ChangedFile]:
        if self._before is None:
            return []
        after = await folder.snapshots.take(self._used)
        found = await folder.snapshots.changed(self._before, after)
        self._before = after
        lines = [TOO_MANY] if after.is_partial else []
        if not all(is_utf8(each.path) for each in found):
            found = [each for each in found if is_utf8(each.path)]
            lines.append(ODD)
        own = await self._own([each.path for each in found]) if found else []
        # What a tool has written by itself is recorded, and may have been reviewed.
        found = [
            each
            for each in found
            if each.path not in own
            and (each.path not in self._written or self._written[each.path] != each.after)
        ]
        if self._is_begun:
            found = [
                replace(each, before=await self._latest(folder, each.path))
                if each.path in self._written
                else each
                for each in found
            ]
        for each in found:
            self._versions[each.path].end(each.before, each.after, editor_stamp(each.path))
        if found:
            wrote = folder.review.wrote
            await folder.run(wrote, self.turn, found, is_perhaps=is_perhaps)
        for line in lines:
            await folder.run(folder.review.know_not, line)
        if found or lines:
            await self._service.changed(folder)
        return found

    async def _latest(self, folder: Folder, path: str) -> bytes | None:
        """Return what a file had that this turn has written, or the user after it."""
        return await folder.run(folder.review.latest, path) or self._written[path]

    async def base_of(self, path: str, stamp: str) -> BaseContent | None:
        """Return what a file had before the session wrote it just now; None if it has not.

        `stamp` is that of the version which the buffer has, as far as the editor knows.
        """
        path = real(path)
        async with self._order:
            folder = await self._service.folder(self._here, is_folder=True)
            before = self._before if self._running or self._background else None
            if before is not None and Path(path).is_relative_to(folder.root):
                content = await folder.snapshots.before(before, path)
                self._versions[path].begin(content, "")
            elif path not in self._versions:
                return None
            now = await asyncio.to_thread(read, path)
            try:
                return BaseContent(self.agent, self._versions[path].base(now, stamp))
            except LookupError:
                return None

    def forget(self, path: str) -> None:
        """Know that the review itself writes a file: that is no agent's write."""
        self._versions.pop(path, None)

    def _use(self, path: str) -> None:
        self._used.pop(path, None)
        self._used[path] = None
        while len(self._used) > MOST_USED:
            del self._used[next(iter(self._used))]

    async def _own(self, paths: list[str]) -> list[str]:
        with contextlib.suppress(EditorError, TimeoutError):
            own = await soon(self._editor.port.review.own_writes(paths), BUSY_SECONDS)
            # Vim compares seconds and sizes.
            return [path for path in own if self._saved.get(path) in (None, stamp_of(path))]
        return []


def _reported(before: str | None) -> tuple[bytes | None, str]:
    """Return the content that a tool says a file had, or why that is not known."""
    if before is None:
        return None, ""
    # It has replaced what is not UTF-8: a revert would write that.
    return (None, UNSEEN) if "\ufffd" in before else (before.encode("utf-8", "replace"), "")


def _note(path: str) -> _Content:
    content, stamp = read(path), stamp_of(path)
    return _Content(content, "" if content is not None else obstacle_of(path), stamp)


def _found(path: str, before: _Content, after: _Content) -> list[ChangedFile]:
    """Return what has become of a file, if anything."""
    obstacle = before.obstacle or after.obstacle
    is_same = before.stamp == after.stamp if obstacle else before.content == after.content
    return [] if is_same else [ChangedFile(path, before.content, after.content, obstacle=obstacle)]


def outside(command: str, here: str, root: str) -> str:
    """Return a path in the words of a command that is outside of a folder and can be written."""
    parts = [
        " ".join(TARGET.findall(part)) if part.split()[:1] and part.split()[0] in READERS else part
        for part in PART.split(command)
    ]
    for found in PATH.findall("\n".join(parts))[:MOST_PATHS]:
        path = Path(real(absolute(found, here)))
        if path.is_relative_to(root) or any(path.is_relative_to(each) for each in DEVICES):
            continue
        there = next((each for each in (path, *path.parents) if each.exists()), path)
        # What begins with a slash may be no path.
        if there != Path(there.anchor) and os.access(there, os.W_OK):
            return str(path)
    return ""
