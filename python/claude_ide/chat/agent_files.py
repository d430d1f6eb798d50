"""The files that an agent reads and writes through the editor.

A file that is open is read and written as the user has it: with unsaved changes, and in one undo
step. Another file is read and written on disk. Text that the user has not saved is replaced only
after they have accepted a diff.
"""

import asyncio
import os
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from claude_ide.agents.editor_services import WrittenText
from claude_ide.base import files
from claude_ide.base.errors import AgentError, EditorError
from claude_ide.base.paths import TURNED, display_path, normalized, real
from claude_ide.base.text_diff import merge
from claude_ide.base.unicode import shown
from claude_ide.chat.recording import AgentEdits
from claude_ide.config import Config
from claude_ide.editor.attention import CallingSession
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.batch import Gate, Guard, leads_to, modified, retry, step, tick
from claude_ide.editor.port.files import DiskPort, FileBuffer, NewText, Saved
from claude_ide.editor.port.windows import WindowsPort

KERNEL = ("/dev", "/proc", "/sys")
"""Folders whose files are not on a disk."""

BOM = "\ufeff"

MENTION_SECONDS = 3.0
"""After this, the user is told what a write waits for."""


class AgentFiles:
    """Reads and writes for one agent with this name in a folder (implements `Files`)."""

    def __init__(
        self, name: str, folder: Path, editor: Editor, config: Config, edits: AgentEdits
    ) -> None:
        self._name = name
        self._folder = str(folder)
        self._editor = editor
        self._config = config
        self._edits = edits
        self._writing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def read(self, path: str) -> str:
        path = await self._shared(path)
        try:
            buffer = await self._editor.port.disk.look(path, True)
        except EditorError as error:
            raise AgentError(str(error)) from None
        text = None if buffer is None or buffer.is_gone else buffer.text
        if text is not None and buffer is not None and not buffer.is_behind:
            return text
        try:
            return await asyncio.to_thread(_read, path)
        except AgentError:
            # Neovim may know the encoding, or decrypt the file.
            if text is None:
                raise
            return text

    async def _shared(self, path: str) -> str:
        """Return a checked path. Raises `AgentError` if its file stays in the editor."""
        path = _checked(path)
        if refusal := await self._editor.refusal(path):
            raise AgentError(refusal)
        return path

    async def saved(self, path: str) -> str:
        path = _checked(path)
        try:
            return await asyncio.to_thread(_read, path)
        except AgentError:
            # As in `read`.
            return await self.read(path)

    async def write(
        self, path: str, text: str, *, is_allowed: bool = False, over: str | None = None
    ) -> WrittenText:
        path = await self._shared(path)
        _check_text(path, text)
        # Where the path leads is decided here: a link that changes later leads the write nowhere.
        target = real(path)
        lock = self._writing.setdefault(path, asyncio.Lock())
        async with lock:
            await self._edits.before_write(path)
            try:
                return await self._write(path, target, text, is_allowed=is_allowed, over=over)
            except EditorError as error:
                raise AgentError(str(error)) from None

    async def _write(
        self, path: str, target: str, text: str, *, is_allowed: bool, over: str | None
    ) -> WrittenText:
        disk = self._editor.port.disk
        disk.announce_write(path, self._name)
        is_seen = False
        approved: int | None = None
        """The 'changedtick' of the text that the user lets be replaced."""
        replaced: tuple[str | None, str] | None = None

        async def attempt() -> WrittenText | FileBuffer:
            """Write the text, or return the buffer whose text the user has to give up for it."""
            buffer = await disk.look(path, True)
            if buffer is None or buffer.is_only_shown:
                await asyncio.to_thread(_write, path, target, text)
                return WrittenText(text, text)
            is_other = buffer.is_modified and buffer.text != text
            if is_other if approved is None else approved != buffer.changedtick:
                return buffer
            return await self._put(path, target, text, buffer, is_approved=approved is not None)

        while True:
            if not is_allowed and await self._is_risky(path):
                text, is_allowed, is_seen = await self._approved(path, text), True, True
            buffer = await retry(attempt)
            if isinstance(buffer, WrittenText):
                if replaced is not None:
                    self._edits.replaced(path, *replaced)
                await self._edits.wrote(path, is_seen=is_seen)
                return buffer
            saved, unsaved = await asyncio.to_thread(_on_disk, path), buffer.text or ""
            is_beside = over not in (None, unsaved) and saved in (over, text)
            if is_beside and await asyncio.to_thread(merge, saved or "", unsaved, text) is not None:
                beside = await self._write_beside(path, target, text)
                await self._edits.wrote(path, is_seen=is_seen)
                return beside
            if over != unsaved:
                shown = {"original": buffer.bufnr, "is_unsaved": True}
                text, is_seen = await self._approved(path, text, **shown), True
            approved, replaced = buffer.changedtick, (saved, unsaved)

    async def _is_risky(self, path: str) -> bool:
        """Return whether a file is outside the project, or a program runs what is in it."""
        roots = [self._folder, *await self._editor.port.buffers.folders()]
        return display_path(path, roots).warning != ""

    async def _put(
        self, path: str, target: str, text: str, buffer: FileBuffer, *, is_approved: bool
    ) -> WrittenText:
        """Write a file through its buffer, as soon as the user does not type there.

        Raises `ChangedError` if the buffer is another one by then.
        """
        if real(path) != target:
            raise _refused(path, f"{TURNED}; it was not written")
        bufnr = buffer.bufnr
        # Without unsaved changes any text may be replaced: the agent has sent the whole file.
        text_fact = (
            tick(bufnr, buffer.changedtick) if buffer.is_modified else modified(bufnr, False)
        )
        given = _in_format_of(buffer.text or "", text)
        steps = (
            step(DiskPort.sync, bufnr),
            step(DiskPort.replace, bufnr, NewText(given)),
            step(DiskPort.save, bufnr, path, self._name, is_approved),
        )
        guard = Guard(Gate.CHANGEABLE, (text_fact, leads_to(path, target)))
        batch = asyncio.ensure_future(self._editor.port.batch(steps, guard))
        try:
            await asyncio.wait([batch], timeout=MENTION_SECONDS)
            if not batch.done():
                await self._mention(path, batch)
            saved = (await batch)[2]
        finally:
            batch.cancel()
        assert isinstance(saved, Saved)
        if saved.refusal is not None:
            raise AgentError(saved.refusal)
        return WrittenText(text, given if saved.text is None else saved.text)

    async def _mention(self, path: str, batch: "asyncio.Future[Any]") -> None:
        """Tell the user what a write waits for."""
        obstacle = [step(WindowsPort.obstacle)]
        asked = asyncio.ensure_future(self._editor.port.batch(obstacle, Guard(Gate.NOTIFIABLE)))
        try:
            await asyncio.wait([asked, batch], return_when=asyncio.FIRST_COMPLETED)
            if asked.done() and (remedy := (await asked)[0]) and not batch.done():
                self._editor.notify(f"edit of {Path(path).name} waits: {remedy}")
        finally:
            asked.cancel()

    async def _write_beside(self, path: str, target: str, text: str) -> WrittenText:
        """Write a file on disk; its buffer follows, and keeps its unsaved changes."""
        await self._editor.port.disk.expect_write(path)
        await asyncio.to_thread(_write, path, target, text)
        return WrittenText(text, text)

    async def _approved(self, path: str, text: str, **buffer: int) -> str:
        """Show a diff between a file, or a buffer, and a text; return what the user accepts."""
        diffs, layout = self._editor.diffs, self._config.diff.layout
        given = "", path, text, self._name, layout, CallingSession("", self._name)
        diff = await diffs.show(*given, agent=self._name, **buffer)
        try:
            decision = await diff.decision
        finally:
            diffs.close(diff)
        if not decision.accepted:
            reason = decision.reason or "the user rejected this change"
            raise AgentError(f"{shown(path)}: not written: {reason}")
        if decision.words:
            self._editor.notify(f"{self._name} gets comments only with a rejection", "warn")
        return decision.text


def _checked(path: str) -> str:
    """Return a normalized path. Raises `AgentError` if no file on a disk can have it."""
    if not Path(path).is_absolute():
        raise _refused(path, "not an absolute path")
    if "\0" in path:
        raise _refused(path, "contains a NUL")
    try:
        resolved = os.path.realpath(normalized(path))
        too_long = len(os.fsencode(path)) > files.LONGEST_PATH
    except (OSError, ValueError):  # ValueError: half a surrogate pair
        raise _refused(path, "no file can have this name") from None
    if too_long:
        raise _refused(path, "the path is too long")
    if any(Path(resolved).is_relative_to(folder) for folder in KERNEL):
        raise _refused(path, "not a file on a disk")
    return normalized(path)


def _check_text(path: str, text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused(path, "the text is not valid Unicode") from None
    if "\0" in text:
        raise _refused(path, "the text contains a NUL")
    if size > files.LARGEST_BYTES:
        raise _refused(path, f"the text has {size:,} bytes, more than {files.LARGEST_BYTES:,}")


def _read(path: str) -> str:
    try:
        text = files.read(Path(path)).decode()
    except FileNotFoundError:
        raise
    except UnicodeDecodeError:
        raise _refused(path, "not text in UTF-8") from None
    except NotADirectoryError:
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from None
    if "\0" in text:
        raise _refused(path, "not text in UTF-8")
    return text


def _on_disk(path: str) -> str | None:
    """Return a file's text; None if it does not exist, or cannot be read."""
    try:
        return _read(path)
    except (AgentError, FileNotFoundError):
        return None


def _write(path: str, target: str, text: str) -> None:
    try:
        content = _as_before(Path(target), text).encode("utf-8", "surrogateescape")
        files.write(path, target, content)
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from None


def _as_before(path: Path, text: str) -> str:
    """Return a text in the format that its file has.

    Raises `OSError` if the file must not be written.
    """
    if not path.exists():
        return text
    if not os.access(path, os.W_OK):
        raise files.RefusedError("permission denied")
    try:
        before = files.read(path).decode()
    except UnicodeDecodeError:
        return text
    return _in_format_of(before, text)


def _in_format_of(before: str, text: str) -> str:
    """Return a text with the byte order mark and the line ends of an earlier one."""
    if "\r\n" in before and "\r\n" not in text and before.count("\n") == before.count("\r\n"):
        text = text.replace("\n", "\r\n")
    return BOM + text if before.startswith(BOM) and not text.startswith(BOM) else text


def _refused(path: str, reason: str) -> AgentError:
    return AgentError(f"{shown(path)}: {reason}")
