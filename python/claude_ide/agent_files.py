"""The files that an agent reads and writes through the editor.

A file that is open is read and written as the user has it: with unsaved changes, and in one undo
step. Another file is read and written on disk. Text that the user has not saved is replaced only
after they have accepted a diff.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from weakref import WeakValueDictionary

from claude_ide import files
from claude_ide.agents.workbench import Written
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, EditorError
from claude_ide.paths import normalized

BUFFER = "disk.agent_file"
"""The Lua module that reads and writes buffers."""

KERNEL = ("/dev", "/proc", "/sys")
"""Folders whose files are not on a disk."""

BOM = "\ufeff"
LONGEST_SHOWN = 200


class AgentFiles:
    """Reads and writes for one agent with this name in a folder (implements `Files`).

    `before_write` is called with the path of each file that is about to be written.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        editor: Editor,
        config: Config,
        before_write: Callable[[str], Awaitable[None]],
    ) -> None:
        self._name = name
        self._folder = str(folder)
        self._editor = editor
        self._config = config
        self._before_write = before_write
        self._writing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def read(self, path: str) -> str:
        """Return a file's text: that of its buffer if it is loaded, saved or not.

        Raises `FileNotFoundError`; `AgentError` with the reason if it cannot be read.
        """
        path = _checked(path)
        try:
            buffer = await self._editor.run(f"{BUFFER}.read", path)
        except EditorError as error:
            raise AgentError(str(error)) from None
        text: str | None = buffer.get("text") if buffer else None
        if text is not None and not buffer.get("is_behind"):
            return text
        try:
            return await asyncio.to_thread(_read, path)
        except AgentError:
            # Neovim may know the encoding, or decrypt the file.
            if text is None:
                raise
            return text

    async def write(self, path: str, text: str, *, is_allowed: bool = False) -> Written:
        """Write a file, through its buffer if that is loaded.

        Waits for the user if the buffer has unsaved changes; unless the user has allowed to change
        the file, also if it is outside the project, or a program runs what is in it. Raises
        `AgentError` with the reason if the file was not written.
        """
        path = _checked(path)
        _check_text(path, text)
        lock = self._writing.setdefault(path, asyncio.Lock())
        async with lock:
            await self._before_write(path)
            try:
                return await self._write(path, text, is_allowed=is_allowed)
            except EditorError as error:
                raise AgentError(str(error)) from None

    async def _write(self, path: str, text: str, *, is_allowed: bool) -> Written:
        approved: int | bool = False  # Lua regards 0 and None as true
        while True:
            project = not is_allowed and self._folder
            arguments = (path, text, self._name, project, approved)
            answer = await self._editor.ask(BUFFER, *arguments)
            if answer.get("is_unloaded"):
                await asyncio.to_thread(_write, path, text)
                return Written(text, text)
            if "warning" in answer:
                text, is_allowed = await self._approved(path, text), True
            elif "bufnr" in answer:
                text = await self._approved(path, text, original=answer["bufnr"])
                approved = answer["changedtick"]
            else:
                return Written(text, answer.get("saved", text))

    async def _approved(self, path: str, text: str, **original: int) -> str:
        """Show a diff between a file, or a buffer, and a text; return what the user accepts."""
        diffs, layout = self._editor.diffs, self._config.diff.layout
        diff = await diffs.show("", path, text, self._name, layout, **original)
        try:
            decision = await diff.decision
        finally:
            diffs.close(diff)
        if not decision.accepted:
            reason = decision.reason or "the user rejected this change"
            raise AgentError(f"{_shown(path)}: not written: {reason}")
        return decision.text


def _checked(path: str) -> str:
    """Return a normalized path. Raises `AgentError` if no file on a disk can have it."""
    if not Path(path).is_absolute():
        raise _refused(path, "not an absolute path")
    if "\0" in path:
        raise _refused(path, "contains a NUL")
    try:
        real = os.path.realpath(normalized(path))
        too_long = len(os.fsencode(path)) > files.LONGEST_PATH
    except (OSError, ValueError):  # ValueError: half a surrogate pair
        raise _refused(path, "no file can have this name") from None
    if too_long:
        raise _refused(path, "the path is too long")
    if any(Path(real).is_relative_to(folder) for folder in KERNEL):
        raise _refused(path, "not a file on a disk")
    return normalized(path)


def _check_text(path: str, text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused(path, "the text is not valid Unicode") from None
    if "\0" in text:
        raise _refused(path, "the text contains a NUL")
    if size > files.LARGEST:
        raise _refused(path, f"the text has {size:,} bytes, more than {files.LARGEST:,}")


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


def _write(path: str, text: str) -> None:
    try:
        resolved = Path(path).resolve()
        text = _as_before(resolved, text)
        files.write_within(_root(resolved), resolved, text.encode())
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
        raise _refused(path, getattr(error, "strerror", None) or str(error)) from None


def _as_before(path: Path, text: str) -> str:
    """Return a text with the byte order mark and the line ends that its file has.

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
    if "\r\n" in before and "\r\n" not in text and before.count("\n") == before.count("\r\n"):
        text = text.replace("\n", "\r\n")
    return BOM + text if before.startswith(BOM) and not text.startswith(BOM) else text


def _root(path: Path) -> Path:
    """Return the innermost folder around a path that exists."""
    return next(folder for folder in path.parents if folder.is_dir())


def _refused(path: str, reason: str) -> AgentError:
    return AgentError(f"{_shown(path)}: {reason}")


def _shown(path: str) -> str:
    plain = "".join(letter if letter.isprintable() else "�" for letter in path)
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[:LONGEST_SHOWN]}…"
