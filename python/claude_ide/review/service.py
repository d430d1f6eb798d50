"""The review in one editor: draws what waits in its buffers, and does what the user decides."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from claude_ide.base.errors import EditorError, UserError
from claude_ide.base.paths import real, within
from claude_ide.config import ReviewConfig
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.review import (
    CalledAt,
    DrawnRemark,
    ReviewLeft,
    ReviewMoved,
    ReviewPressed,
    ReviewShown,
    ReviewWritten,
    ShownBuffer,
)
from claude_ide.editor.port.windows import FloatLook
from claude_ide.editor.status_line import Reviewable
from claude_ide.review.announcer import tell_turn_end
from claude_ide.review.display import NOTHING, ReviewList, drawn, file_of, of_buffer
from claude_ide.review.entry import File
from claude_ide.review.folder import Folder, WaitingChanges, hunk_values, read
from claude_ide.review.merging import OverwrittenText
from claude_ide.review.remarks import Recipients, Remarks
from claude_ide.review.reverting import Reverts
from claude_ide.review.snapshot import Snapshots
from claude_ide.review.texts import Rows, decoded, moved

if TYPE_CHECKING:
    from claude_ide.review.recorder import Recorder

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""The least time between two looks at what others have changed."""


class ReviewService:
    """The reviews of the folders that this editor works in."""

    def __init__(
        self, editor: Editor, home: Path, config: ReviewConfig, recipients: Recipients | None = None
    ) -> None:
        self.order = asyncio.Lock()
        """The commands of the user come one after the other."""
        self.overwritten: Callable[[OverwrittenText], object] = lambda lost: None
        """Called with what an agent has written to a file over which the user has saved."""
        self._recipients = recipients or Recipients()
        self.remarks = Remarks(editor, self, self._recipients)
        self._editor = editor
        self._home = home
        self._config = config
        self.turn_ended = partial(tell_turn_end, editor.attention, config)
        self._looking: asyncio.Task[None] | None = None
        self._others = asyncio.Event()
        """Is set when others may have changed something."""
        self.recorders = WeakSet["Recorder"]()
        self._folders: dict[str, Folder] = {}
        self._tops: dict[str, str] = {}
        self.waiting: dict[str, WaitingChanges] = {}
        self._drawn: dict[str, set[str]] = {}
        """By folder: the files in whose buffers something is drawn."""
        self._reverts = Reverts(editor, self.recorders)
        self.list = ReviewList(editor)
        self._drawing = asyncio.Lock()
        self._called = (0, 0), ""
        """The buffer of the last command and its tick then, and its text."""

    # Folders

    async def folder(self, path: str, *, is_folder: bool = False) -> Folder:
        """Return the review of the folder that a path is in: the top of its working tree.

        Without git, a folder in which agents or the user work is the top of the files below it.
        """
        is_folder = is_folder or Path(path).is_dir()
        here = path if is_folder else str(Path(path).parent)
        if here not in self._tops:
            self._tops[here] = await Snapshots(here).top() or ""
        top = self._tops[here]
        if not top and not is_folder:
            tops = [*self._folders, os.path.realpath(await self._editor.port.buffers.folder())]
            top = max(
                (each for each in tops if Path(path).is_relative_to(each)), key=len, default=""
            )
        top = top or os.path.realpath(here)
        if top not in self._folders:
            self._folders[top] = Folder(
                *(top, self._home), lambda path: self._editor.private_files.reason(path) is not None
            )
        return self._folders[top]

    async def of_file(self, path: str) -> Folder:
        """Return the review that has a file: that of a session may be above the file's folder."""
        for known in self._folders.values():
            if known.review.file(path) is not None:
                return known
        return await self.folder(path)

    def known(self) -> list[Folder]:
        """Return the reviews of all folders that this editor works in."""
        return [*self._folders.values()]

    async def sessions(self) -> set[str]:
        """Return the sessions that have written what is known."""
        found = [await each.run(each.review.sessions) for each in self.known()]
        return set().union(*found)

    # What waits

    async def look_around(self) -> None:
        """Follow what other editors and commits have changed, as long as something waits."""
        changes = self._editor.file_changes
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            changes.follow(self._others.set, self._moving)
            await self._others.wait()
            self._others.clear()
            for folder in self.known():
                try:
                    if await folder.look():
                        await self._follow(folder)
                except (OSError, EditorError):
                    logger.exception("the review of %s could not be followed", folder.root)

    def _moving(self) -> list[Path]:
        return [path for folder in self.known() for path in folder.moving]

    async def _follow(self, folder: Folder) -> None:
        await self.follow_commits(folder)
        await self._look_at_files(folder)
        await self.changed(folder)

    async def follow_commits(self, folder: Folder) -> None:
        """Keep what the latest commit contains, if the user wants that, and say so."""
        kept = await folder.follow_commits(is_kept=self._config.commit_keeps)
        if kept:
            what = kept[0] if len(kept) == 1 else f"{len(kept)} files"
            self._editor.notify(f"reviewed by the commit: {what} (:ClaudeReview undo)")

    async def changed(self, folder: Folder, decided: Iterable[str] = ()) -> None:
        """Draw what waits now in a folder, and tell the editor how much that is in all folders.

        `decided` are files about which something was decided: only their buffers may have it.
        """
        if self._looking is None:
            self._looking = asyncio.ensure_future(self.look_around())
        self._others.set()
        # A buffer may turn out to have another text.
        for _ in range(2):
            unsaved = {**folder.unsaved}
            await self._show_waiting(folder, decided)
            if folder.unsaved == unsaved:
                break
        await self.list.refresh()

    async def _show_waiting(self, folder: Folder, decided: Iterable[str]) -> None:
        recipients = [each.name for each in await self._recipients.all()]
        self.waiting[folder.root] = await folder.waiting()
        all_ = [*self.waiting.values()]
        hunks = {path: count for each in all_ for path, count in each.hunks.items()}
        remarked = [path for each in all_ for path in each.remarked]
        open_remarks = sum(each.open_remarks for each in all_)
        value = {
            key: [item for each in all_ for item in each.value[key]]
            for key in ("files", "remarks", "unknown")
        }
        port = self._editor.port.review
        port.know_recipients(recipients)
        port.waiting(hunks, remarked, open_remarks, msgspec.json.encode(value).decode())
        self._editor.status.waits(Reviewable(len(hunks), sum(hunks.values()), open_remarks))
        shown = self.waiting[folder.root].paths()
        unsaved = {*folder.unsaved}
        drawn_ = self._drawn.get(folder.root, set()) | {*decided} | unsaved
        found = await self._look_at(folder, [*shown, *(drawn_ - shown)])
        # Not those that have become unsaved meanwhile.
        for path in unsaved - found:
            folder.unsaved.pop(path, None)
        self._drawn[folder.root] = shown

    async def _look_at(self, folder: Folder, paths: Sequence[str]) -> set[str]:
        """Draw the buffers of files as they are now; return the files that have one."""
        found = await self._editor.port.review.find(paths)
        for each in found:
            await self._draw(*each, folder)
        return {path for _, path in found}

    async def shown(self, event: ReviewShown) -> None:
        """Draw the hunks of a buffer that has come to a window, has another text, or is gone."""
        folder = await self.of_file(event.path)
        before = await folder.file(event.path)
        await self._look_at_files(folder, event.path)
        await self._draw(event.bufnr, event.path, folder)
        after = await folder.file(event.path)
        # Most buffers that come to a window have the text that is known.
        if before != after and hunk_values(before) != hunk_values(after):
            await self.changed(folder)

    async def put_below(self, path: str, before: str, unsaved: str) -> None:
        """Know what the user had not saved of a file when an agent wrote it."""
        folder = await self.of_file(path)
        await folder.run(folder.review.put_below, path, before, unsaved)
        await self.changed(folder)

    async def _look_at_files(self, folder: Folder, path: str = "") -> None:
        """Record what others have written to a file, or to all; but not before an agent's write."""
        if not any(each.may_be_writing for each in self.recorders):
            review = folder.review
            await (folder.run(review.look, path) if path else folder.run(review.look_at_all))

    async def left(self, event: ReviewLeft) -> None:
        """Know what an earlier session has left to review in a folder."""
        folder = await self.folder(event.folder, is_folder=True)
        if await folder.look():
            await self._follow(folder)

    async def moved(self, event: ReviewMoved) -> None:
        """Go on to the next file that waits, or back to the one before."""
        buffer, is_next = await self._editor.port.review.buffer(event.bufnr), event.direction > 0
        here = buffer.path if buffer else await self._editor.port.buffers.folder()
        folder = await self.of_file(here)
        waiting = {folder.path(each.path): each for each in await folder.files()}
        paths = sorted(
            path for path, file in waiting.items() if file.texts and file.texts.now is not None
        )
        beyond = [path for path in paths if (path > here if is_next else path < here)]
        if not beyond:
            where = "last" if is_next else "first"
            self._editor.notify(f"this is the {where} hunk" if here in waiting else NOTHING)
            return
        path = beyond[0 if is_next else -1]
        hunks = waiting[path].hunks
        row = hunks[0 if is_next else -1].start if hunks else 0
        await self._editor.port.review.go(path, row)

    async def written(self, event: ReviewWritten) -> None:
        """Follow what the user has written."""
        folder = await self.of_file(event.path)
        await folder.run(folder.review.look, event.path)
        await self.changed(folder)

    async def _draw(self, bufnr: int, path: str, folder: Folder) -> None:
        """Draw the hunks of the buffer of a file, and know whether it has another text."""
        # One after the other: the last one knows the latest decisions.
        async with self._drawing:
            port = self._editor.port.review
            while (buffer := await port.buffer(bufnr)) is not None:
                file = await file_of(folder, buffer)
                texts = file.texts if file and file.hunks else None
                hunks = await asyncio.to_thread(drawn, texts, buffer.encoding) if texts else []
                placed = await folder.run(folder.review.placed, buffer.path, buffer.text)
                remarks = [DrawnRemark(*rows, each.words, each.state) for rows, each in placed]
                if await port.draw(bufnr, buffer.tick, hunks, remarks):
                    folder.unsaved.pop(path, None)
                    if (file or placed) and buffer.is_modified:
                        with contextlib.suppress(UserError):
                            folder.unsaved[path] = of_buffer(buffer)
                    return
            folder.unsaved.pop(path, None)

    # What the user decides

    async def keep(
        self, at: CalledAt, rows: Rows | None, count: int | None = None, *, is_whole: bool
    ) -> None:
        """Keep hunks of a buffer's file: of some rows, at the cursor, or all of the file.

        With a `count`, so many from the first row on; 0: only the lines of the rows.
        """
        buffer, here, folder, file = await self._at(at, rows)
        place, is_exact = _place(buffer, file, here, count, is_whole=is_whole)
        self._reverts.kept()
        kept = {"is_exact": is_exact}
        await folder.run(folder.review.keep, buffer.path, place, of_buffer(buffer), **kept)
        await self.changed(folder, [buffer.path])

    async def revert(
        self, at: CalledAt, rows: Rows | None, count: int | None = None, *, is_whole: bool
    ) -> None:
        """Revert hunks of a buffer's file, likewise."""
        buffer, here, folder, file = await self._at(at, rows)
        place, is_exact = _place(buffer, file, here, count, is_whole=is_whole)
        self._reverts.begin()
        await self._reverts.revert(folder, file, place, buffer.bufnr, is_exact=is_exact)
        await self.changed(folder)

    async def decide_all(self, here: str, *, is_kept: bool) -> None:
        """Keep or revert everything that waits in a folder."""
        folder = await self.folder(here)
        await self._look_at_files(folder)
        await self._look_at(folder, await folder.written())
        waiting = await folder.files()
        if not waiting and not await folder.run(folder.review.unknown):
            raise UserError(NOTHING)
        self._reverts.begin()
        refusals = list[str]()
        for number, file in enumerate(waiting):
            if is_kept:
                self._reverts.kept()
                path = folder.path(file.path)
                keep, text = folder.review.keep, folder.unsaved.get(path)
                await folder.run(keep, path, None, text, is_joined=number > 0)
                continue
            try:
                await self._reverts.revert(folder, file, None, 0)
            except UserError as refusal:
                refusals.append(str(refusal))
        await self.changed(folder)
        if not self.waiting[folder.root].hunks:
            await folder.run(folder.review.decided)
            await self.changed(folder)
        if refusals:
            more = f" (and {len(refusals) - 1} more)" if len(refusals) > 1 else ""
            raise UserError(refusals[0] + more)

    async def undo(self, here: str) -> None:
        """Take the last keep back, or the last revert of this editor if that is later."""
        folder = await self.folder(here)
        names = set[str]()
        if not await self._reverts.undo(folder):
            while kept := await folder.run(folder.review.undo):
                names.add(kept.path)
                if not kept.is_joined:
                    break
            if not names:
                raise UserError("nothing was kept or reverted")
            several = f"{len(names)} files wait"
            what = several if len(names) > 1 else f"{min(names)} waits"
            self._editor.notify(f"{what} for review again")
        await self.changed(folder, map(folder.path, names))

    async def why(self, at: CalledAt, rows: Rows | None) -> None:
        """Show for which prompt an agent has written a row, or the one at the cursor, and why."""
        buffer, (row, _) = await self.called_at(at, rows)
        if buffer is None:
            raise UserError("this buffer has no file")
        text = of_buffer(buffer)
        # A session may work in a folder above that of the file.
        for folder in (await self.of_file(buffer.path), *self.known()):
            if write := await folder.run(folder.review.why, buffer.path, text, row):
                look = FloatLook("Why", wrap=True)
                await self._editor.port.windows.show_lines(write.words(), look)
                return
        raise UserError("no agent is known to have written this line")

    async def called_at(self, at: CalledAt, rows: Rows | None) -> tuple[ShownBuffer | None, Rows]:
        """Return a buffer as it is now, and where the rows of a command are now, or its cursor's.

        Several commands may have been called at once: the first ones have moved the rows.
        """
        rows, key = rows or (at.row, at.row + 1), (at.bufnr, at.tick)
        buffer = await self._buffer(at)
        if buffer is not None and buffer.tick == at.tick and self._called[0] != key:
            self._called = key, buffer.text
        # The agent may have just written it.
        if await self._editor.port.disk.sync(at.bufnr):
            buffer = await self._buffer(at)
        if buffer is not None and self._called[0] == key:
            rows = moved(self._called[1], buffer.text, rows)
        return buffer, rows

    async def _buffer(self, at: CalledAt) -> ShownBuffer | None:
        buffer = await self._editor.port.review.buffer(at.bufnr)
        return buffer or await asyncio.to_thread(_unloaded, at)

    async def _at(self, at: CalledAt, rows: Rows | None) -> tuple[ShownBuffer, Rows, Folder, File]:
        buffer, here = await self.called_at(at, rows)
        if buffer is None:
            raise UserError("this buffer has no file")
        folder = await self.of_file(buffer.path)
        file = await folder.file(buffer.path, of_buffer(buffer))
        if file is None:
            raise UserError(f"{NOTHING} in {within(buffer.path, folder.root)}")
        return buffer, here, folder, file

    # The list

    async def show(
        self, here: str, only: Sequence[str] = (), *, since: str = "", session: str = ""
    ) -> None:
        """List what waits in a folder in the quickfix window, or only in these files and folders.

        `since` may be "turn" or "session": then everything that this session, or the latest one,
        has changed since; or "base" with a revision of git in place of the session. Until the next
        call, files are compared with the same texts.
        """
        folder = await self.folder(here)
        await self._look_at_files(folder)
        await folder.compare(since or ("turn" if session else ""), session)
        await self._look_at(folder, await folder.written())
        wanted = [os.path.realpath(Path(here, each).expanduser()) for each in only]
        await self.list.show(folder, wanted)
        await self.changed(folder)

    async def pressed(self, event: ReviewPressed) -> None:
        """Do what a key in the list asks for."""
        if event.key == "send":
            return await self.remarks.send()
        async with self.order:
            await self._press(event)

    async def _press(self, event: ReviewPressed) -> None:
        folder, chosen = await self.list.chosen(event)
        texts = self.list.texts
        if folder is not None and event.key == "undo":
            return await self.undo(folder.root)
        if folder is None or not chosen:
            return
        if event.key == "comment":
            return await self.remarks.store(chosen, event.words)
        self._reverts.begin()
        await self._look_at(folder, [each[1] for each in chosen])
        # From the end: the rows of what stands above stay valid.
        is_joined = False
        for _, path, rows in reversed(chosen):
            file = await folder.file(path)
            if file is None:
                continue
            if rows is not None and file.texts is not None:
                rows = moved(texts[path], file.texts.now or "", rows)
            if event.key == "keep":
                self._reverts.kept()
                keep, text = folder.review.keep, folder.unsaved.get(path)
                await folder.run(keep, path, rows, text, is_joined=is_joined)
                is_joined = True
            else:
                await self._reverts.revert(folder, file, rows, 0)
        await self.changed(folder)


def _place(
    buffer: ShownBuffer, file: File, place: Rows, count: int | None, *, is_whole: bool
) -> tuple[Rows | None, bool]:
    """Return the rows that are meant, and whether only their lines; None: the whole file.

    Raises `UserError` if they touch no hunk.
    """
    if is_whole:
        return None, False
    is_exact = count == 0 or (count is None and place == buffer.selected)
    if count is not None and count > 1:
        # They may begin below the row.
        found = file.hunks_in((place[0], sys.maxsize))[:count]
        place = place[0], max([place[0] + 1, *(hunk.rows[1] for hunk in found)])
    if not file.is_whole and not file.hunks_in(place, is_exact=is_exact):
        raise UserError("no unreviewed change here")
    return place, is_exact


def _unloaded(at: CalledAt) -> ShownBuffer | None:
    """Return the buffer of a file as if it were loaded: Vim unloads those that `:argdo` leaves."""
    content = read(at.name)
    text = None if content is None else decoded(content)
    return None if text is None else ShownBuffer(0, real(at.name), at.tick, text)
