"""Mentions of a file, a folder or lines of a file, in the CLI's format (`at_mentioned`)."""

import asyncio
import re
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base.errors import UserError
from claude_ide.base.paths import exists, normalized
from claude_ide.editor.port import Port
from claude_ide.editor.private_files import PrivateFiles

NO_FILE = "this buffer has no file; use :ClaudeAdd {path}"
CURRENT = re.compile(r"%([:~.a-zA-Z0-9]*)")
"""The current file on the command line, with modifiers."""
CHUNK_BYTES = 65536
MOST = 100
"""Files that are mentioned at once."""

Mention = dict[str, Any]
"""`filePath`, and perhaps `lineStart` and `lineEnd`, 0-based and inclusive."""


class Entry(msgspec.Struct, frozen=True):
    """A path and perhaps lines (1-based)."""

    path: str
    first: int | None = None
    last: int | None = None


class _Given(Entry, frozen=True):
    """An entry from a source; `folder` is that of a relative path."""

    folder: str = ""


class Listed(msgspec.Struct):
    """What a buffer that lists files means, as the source for its filetype has returned it."""

    filetype: str
    in_lines: bool = False
    items: Any = None
    error: str = ""

    def entries(self) -> list[Entry]:
        """Return the entries, each once. Raises `UserError` if there are none, or too many."""
        found = dict.fromkeys(entry for entry in self._checked() if entry.path)
        if not found:
            where = "in these lines" if self.in_lines else "under the cursor"
            raise UserError(f"there is no file {where}")
        if len(found) > MOST:
            raise UserError(f"these are {len(found)} files; mention at most {MOST}")
        return [*found]

    def _checked(self) -> list[Entry]:
        # Lua does not tell an empty table from an empty list.
        items, problem = [] if self.items == {} else self.items, self.error
        if not problem and not isinstance(items, list):
            problem = "it returned no list"
        try:
            if not problem:
                return [_entry(each) for each in items]
        except msgspec.ValidationError:
            problem = "an item has no path"
        raise UserError(f"no file from {self.filetype}: {problem}")


def _entry(item: Any) -> Entry:
    if isinstance(item, str):
        return Entry(item)
    given = msgspec.convert(item, _Given, strict=False)
    path = given.path and str(Path(given.folder, given.path))
    first = given.first if given.first and given.first > 0 else None
    return Entry(path, first, given.last if first else None)


class Mentioning:
    """Makes mentions of what the user means. Raises `UserError` with one sentence."""

    def __init__(self, port: Port, private_files: PrivateFiles) -> None:
        self._selection = port.selection
        self._private_files = private_files

    async def of_buffer(self, bufnr: int, lines: tuple[int, int] | None = None) -> Mention:
        """Mention lines of a buffer, from 1 and inclusive, or the whole file."""
        facts = await self._selection.mention_facts(bufnr, "")
        if not facts.file:
            raise UserError(NO_FILE)
        return await self._mention(facts.file, lines)

    async def of_path(
        self,
        typed: str,
        lines: list[str] | None = None,
        *,
        bufnr: int = 0,
        selected: tuple[int, int] | None = None,
    ) -> Mention:
        """Mention a file, a folder, or lines of a file, as typed after `:ClaudeAdd`.

        `%` and `~` mean what they mean in Vim. `selected` are lines to mention if the file is that
        of the buffer and no others are given.
        """
        modifiers = CURRENT.fullmatch(typed)
        facts = await self._selection.mention_facts(bufnr, modifiers[1] if modifiers else "")
        if modifiers and not facts.current:
            raise UserError(NO_FILE)
        path = normalized(facts.current) if modifiers else _expanded(facts.folder, typed)
        if not lines and selected and path == facts.file:
            lines = [str(number) for number in selected]
        is_folder = await asyncio.to_thread(_is_folder, path, typed)
        if lines and is_folder:
            raise UserError(f"a folder has no lines: {typed}")
        numbers = await self._checked(path, lines) if lines else None
        return await self._mention(path, numbers)

    async def of_entries(self, entries: list[Entry]) -> tuple[list[Mention], list[str]]:
        """Mention what a buffer that lists files means; return also why some are not mentioned."""
        facts = await self._selection.mention_facts(0, "")
        paths = [_absolute(facts.folder, entry.path) for entry in entries]
        private = await self._private_files.among(paths)
        mentions, errors = [], []
        for entry, path in zip(entries, paths, strict=True):
            try:
                is_folder = await asyncio.to_thread(_is_folder, path, entry.path)
                first = 0 if is_folder else entry.first or 0
                lines = (first, max(first, entry.last or 0)) if first else None
                self._check(path, private)
                mentions.append(_mention(path, lines))
            except UserError as error:
                errors.append(str(error))
        return mentions, errors

    async def _mention(self, path: str, lines: tuple[int, int] | None) -> Mention:
        self._check(path, await self._private_files.among([path]))
        return _mention(path, lines)

    def _check(self, path: str, private: dict[str, str]) -> None:
        if reason := private.get(path):
            raise UserError(self._private_files.sentence(path, reason))

    async def _checked(self, path: str, typed: list[str]) -> tuple[int, int]:
        """Return lines as typed, the last of which may be missing, as numbers."""
        for number in typed:
            if not re.fullmatch(r"0*[1-9][0-9]*", number):
                raise UserError(f"not a line number: {number}")
        first, last = int(typed[0]), int(typed[-1])
        if first > last:
            raise UserError(f"line {first} comes after line {last}")
        count = await self._selection.line_count(path)
        if not count:
            try:
                count = await asyncio.to_thread(_count_lines, path)
            except OSError:
                raise UserError(f"cannot read {path}") from None
        if last > count:
            lines = "1 line" if count == 1 else f"{count} lines"
            raise UserError(f"line {last} is past the end ({lines})")
        return first, last


def _mention(path: str, lines: tuple[int, int] | None) -> Mention:
    if not re.search(r"\s", path, re.ASCII):
        return {"filePath": path} | (
            {"lineStart": lines[0] - 1, "lineEnd": lines[1] - 1} if lines else {}
        )
    # The CLI reads a path with blanks only if it is quoted, together with the lines.
    span = "" if not lines else f"#L{lines[0]}" + (f"-{lines[1]}" if lines[1] > lines[0] else "")
    return {"filePath": f'"{path}{span}"'}


def _expanded(folder: str, typed: str) -> str:
    """Return the path for what was typed: completion adds escapes."""
    path = _absolute(folder, typed)
    return path if exists(path) else _absolute(folder, re.sub(r"\\(.)", r"\1", typed))


def _absolute(folder: str, path: str) -> str:
    try:
        return normalized(str(Path(folder, Path(path).expanduser())))
    except RuntimeError:  # `~name` without such a user
        return normalized(str(Path(folder, path)))


def _is_folder(path: str, shown: str) -> bool:
    """Return whether a path is a folder, or else a file; it may be neither."""
    if not exists(path):
        raise UserError(f"no such file: {shown}")
    if not Path(path).is_dir() and not Path(path).is_file():
        raise UserError(f"neither a file nor a folder: {shown}")
    return Path(path).is_dir()


def _count_lines(path: str) -> int:
    count, last = 0, b"\n"
    with Path(path).open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count if last == b"\n" else count + 1
