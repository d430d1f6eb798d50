"""Reverts what agents have written, in one editor: in buffers, or on disk; and takes that back."""

import asyncio
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from claude_ide.base.errors import UserError
from claude_ide.base.paths import within
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.batch import Gate, Guard, retry, step, tick
from claude_ide.editor.port.files import DiskPort
from claude_ide.editor.port.review import ReviewPort, ShownBuffer
from claude_ide.review import folder as folder_files
from claude_ide.review.display import for_buffer, of_buffer
from claude_ide.review.entry import File
from claude_ide.review.folder import Folder, read
from claude_ide.review.snapshot import obstacle_of
from claude_ide.review.texts import OverlapError, Rows, Texts, added, decoded, encoded, moved

if TYPE_CHECKING:
    from claude_ide.review.recorder import Recorder

MOST_UNDONE = 50

YES, NO = "Revert", "Leave it"


class Reverted(NamedTuple):
    """A file that a revert has written, with its contents before and after.

    `unsaved` has the texts of its buffer before and after, if that has unsaved changes.
    """

    path: str
    before: bytes | None
    after: bytes | None
    unsaved: tuple[str, str] | None = None


class Reverts:
    """The reverts of the user; `recorders` learn which writes are not their agents'."""

    def __init__(self, editor: Editor, recorders: Iterable["Recorder"]) -> None:
        self._editor = editor
        self._recorders = recorders
        self._doing: list[Reverted] = []
        """What the present command has written."""
        self._done: list[list[Reverted]] = []
        """That of the commands since the last keep."""

    def begin(self) -> None:
        """Begin a command, whose reverts `undo` takes back together."""
        self._doing = []

    def kept(self) -> None:
        """Know that the user has kept something: that is undone first."""
        self._done.clear()

    async def undo(self, folder: Folder) -> bool:
        """Take the last command back; return whether there was one."""
        writes = self._done.pop() if self._done else []
        for each in reversed(writes):
            await self._put_back(folder, each)
        return bool(writes)

    async def revert(
        self, folder: Folder, file: File, rows: Rows | None, bufnr: int, *, is_exact: bool = False
    ) -> None:
        """Revert rows of a file, or all of it, in a buffer if it has one."""
        path = folder.path(file.path)
        if file.is_whole:
            return await self._revert_whole(folder, file, path)
        if rows is None and file.entry.mode is not None:
            await self._revert_mode(folder, path, file.entry.mode[0])
        if not bufnr:
            found = await self._editor.port.review.find([path])
            bufnr = found[0][0] if found else 0
        if bufnr:
            await self._editor.port.disk.sync(bufnr)
            return await self._revert_buffer(folder, path, rows, bufnr, is_exact=is_exact)
        folder.unsaved.pop(path, None)
        # Others may have written it since the last look.
        before = await asyncio.to_thread(_read, path, folder.root)
        text = None if before is None else decoded(before)
        if before is None or text is None:
            raise UserError(f"{file.path} has changed since")
        if rows is not None and file.texts is not None:
            rows = moved(file.texts.now or "", text, rows)
        texts = await self._reverted(folder, path, text, rows, is_exact=is_exact)
        if texts is not None:
            if await asyncio.to_thread(read, path) != before:
                raise UserError(f"{file.path} has changed since")
            after = encoded(texts.now or "")
            await asyncio.to_thread(folder_files.write, path, after)
            self._note(Reverted(path, before, after))
            await folder.run(folder.review.look, path)

    async def _revert_buffer(
        self, folder: Folder, path: str, rows: Rows | None, bufnr: int, *, is_exact: bool
    ) -> None:
        """Revert in the buffer, in one undo step; save it unless it had unsaved changes."""

        async def attempt() -> None:
            buffer = await self._editor.port.review.buffer(bufnr)
            if buffer is None:
                raise UserError("the buffer is gone")
            before = of_buffer(buffer)
            texts = await self._reverted(folder, path, before, rows, is_exact=is_exact)
            if texts is not None:
                text = texts.now or ""
                await self._write_buffer(folder, path, buffer, text)
                if not buffer.is_modified:
                    await folder.run(folder.review.look, path)
                self._note(Reverted(path, encoded(before), encoded(text)))

        await retry(attempt)

    async def _reverted(
        self, folder: Folder, path: str, text: str | None, rows: Rows | None, *, is_exact: bool
    ) -> Texts | None:
        """Return the texts after a revert; None if the user's lines are to stay."""
        file = await folder.file(path, text)
        if file is None:
            return None
        try:
            return await folder.run(folder.review.revert, file, rows, is_exact=is_exact)
        except OverlapError:
            name = within(path, folder.root)
            question = f"{name}: you have changed lines of this. Revert them, too?"
            if await self._editor.choose(question, [YES, NO]) != YES:
                return None
        revert = folder.review.revert
        return await folder.run(revert, file, rows, is_exact=is_exact, is_forced=True)

    async def _revert_whole(self, folder: Folder, file: File, path: str) -> None:
        """Revert what is no change of lines: a file that was created, deleted, moved, or is binary.

        Raises `UserError` if the content before is not known.
        """
        review, entry = folder.review, file.entry
        if entry.mode is not None and entry.base == entry.now:
            return await self._revert_mode(folder, path, entry.mode[0])
        if file.is_compared and file.texts:
            content = None if file.texts.base is None else encoded(file.texts.base)
        else:
            content = review.content_of(entry.base)
            if content is None and entry.base is not None:
                why = entry.obstacle or "its stored text is gone"
                raise UserError(f"{file.path}: its earlier content is not known ({why})")
        target = folder.path(entry.origin) if entry.origin else path
        now, there = [await asyncio.to_thread(_read, each, folder.root) for each in (path, target)]
        is_mixed = file.is_mixed or path in folder.unsaved
        question = ""
        if now is not None and (is_mixed or now != review.content_of(entry.now)):
            question = f"{file.path} has changed since. Revert it as a whole?"
        elif entry.origin and there is not None:
            question = f"{entry.origin} is there again. Replace it?"
        if question and await self._editor.choose(question, [YES, NO]) != YES:
            return
        # The editor tells at any time what is written: half of a revert is no write of others.
        review.held.add(path)
        try:
            if content is not None:
                self._note(Reverted(target, there, content))
                await self._write_file(target, content)
            if entry.origin:
                self._note(Reverted(path, now, None))
                await asyncio.to_thread(folder_files.delete, path)
            if file.is_compared:
                await folder.run(review.let_wait_whole, file)
            else:
                await folder.run(review.reverted_whole, path)
            if content is None:
                texts = file.texts
                agent = decoded(now or b"") if file.is_compared else texts and texts.agent
                unsaved = await self._take_out(folder, path, agent or "")
                await asyncio.to_thread(folder_files.delete, path)
                self._note(Reverted(path, now, None, unsaved))
        finally:
            review.held.discard(path)
            await folder.run(review.look, path)

    async def _take_out(self, folder: Folder, path: str, agent: str) -> tuple[str, str] | None:
        """Take what an agent has written to a file that it has created out of its buffer.

        Return its texts before and after, if it has unsaved changes: what the user has typed stays.
        """
        buffer = await self._buffer(path)
        if buffer is None or not buffer.is_writable:
            return None
        before = of_buffer(buffer)
        after = added(agent, before) if buffer.is_modified else ""
        await self._write_buffer(folder, path, buffer, after)
        return (before, after) if buffer.is_modified else None

    async def _revert_mode(self, folder: Folder, path: str, mode: int) -> None:
        await asyncio.to_thread(folder_files.set_mode, path, mode)
        await folder.run(folder.review.reverted_whole, path, is_mode=True)

    def _note(self, reverted: Reverted) -> None:
        """Note what a revert has written, for `undo`."""
        if not self._done or self._done[-1] is not self._doing:
            self._done = [*self._done[-MOST_UNDONE:], self._doing]
        self._doing.append(reverted)
        self._announce(*reverted[:3], is_reverted=True)

    def _announce(
        self, path: str, before: bytes | None, after: bytes | None, *, is_reverted: bool
    ) -> None:
        old, new = (decoded(each or b"") for each in (before, after))
        hunks = 1 if old is None or new is None else len(Texts(old, new, new).hunks)
        data = {"path": path, "hunks": hunks, "reverted": is_reverted}
        self._editor.port.windows.announce("ClaudeChangesReverted", data)

    async def _put_back(self, folder: Folder, reverted: Reverted) -> None:
        """Write what a file had before a revert, unless it was changed since."""
        path, before, after, unsaved = reverted
        buffer = await self._buffer(path)
        # What the user has not saved stays, whether there is a file or not.
        is_apart = buffer is not None and buffer.is_modified and None in (before, after)
        shown = None if is_apart or after is None else buffer
        now = (
            encoded(of_buffer(shown))
            if shown
            else await asyncio.to_thread(_read, path, folder.root)
        )
        if now != after:
            raise UserError(f"{within(path, folder.root)} has changed since")
        if buffer is not None and not is_apart and before is not None:
            await self._write_buffer(folder, path, buffer, decoded(before) or "")
        elif before is None:
            await asyncio.to_thread(folder_files.delete, path)
        else:
            await self._write_file(path, before)
            if buffer is not None and unsaved is not None and of_buffer(buffer) == unsaved[1]:
                await self._write_buffer(folder, path, buffer, unsaved[0])
        await folder.run(folder.review.look, path)
        self._announce(path, before, after, is_reverted=False)

    async def _buffer(self, path: str) -> ShownBuffer | None:
        """Return the buffer of a file, if it has one, with what was just written."""
        found = await self._editor.port.review.find([path])
        if not found:
            return None
        await self._editor.port.disk.sync(found[0][0])
        return await self._editor.port.review.buffer(found[0][0])

    async def _write_file(self, path: str, content: bytes) -> None:
        """Write a file beside its buffer, whose unsaved changes then count as based on it."""
        for recorder in self._recorders:
            recorder.forget(path)
        await asyncio.to_thread(folder_files.write, path, content)
        buffer = await self._buffer(path)
        if buffer is not None and buffer.is_modified:
            await self._editor.port.disk.acknowledge(buffer.bufnr)

    async def _write_buffer(
        self, folder: Folder, path: str, buffer: ShownBuffer, text: str
    ) -> None:
        """Replace the text of a buffer in one undo step; save it unless it had unsaved changes."""
        if not buffer.is_writable:
            name = within(path, folder.root)
            raise UserError(f"{name}: not changed: 'readonly' or 'nomodifiable' is set")
        replace = step(DiskPort.replace, buffer.bufnr, for_buffer(text, buffer.encoding))
        guard = Guard(Gate.POSSIBLE, (tick(buffer.bufnr, buffer.tick),))
        if buffer.is_modified:
            await self._editor.port.batch((replace,), guard)
            return
        # In one instant: the user may undo it at once, and has not saved that.
        save = step(ReviewPort.save, buffer.bufnr)
        _, refusal = await self._editor.port.batch((replace, save), guard)
        if refusal:
            raise UserError(refusal)


def _read(path: str, root: str) -> bytes | None:
    """Return the content of a file that a revert replaces or deletes; None if there is no file.

    Raises `UserError` if nothing would be left of what is there.
    """
    content = read(path)
    if content is None and os.path.lexists(path):
        raise UserError(f"{within(path, root)}: not reverted: {obstacle_of(path)}")
    return content
