"""Reads the diagnostics of files from the editor, follows their changes, and tells which are new.

The editor only says which sets there are, and returns slices of them. A set is read once, until its
publisher publishes again: read later, after a change of the text, an old diagnostic would have
another place, and look like a new one.
"""

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.editor.events import Diagnostics, EditorState
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import handles, log_failure, soon
from claude_ide.editor.port.diagnostics import FileLook, Look, Name, SetLook
from claude_ide.editor.port.events import DiagnosticsChanged, FileFollowed
from claude_ide.editor.private_files import PrivateFiles

MOST = 5000
MOST_KNOWN = 1000
"""Of one file, for answers while the editor is busy."""

MANY = 500
"""Of one file: from this number on, they are not read while the user types."""

FIRST_SECONDS = 60.0
"""How long a file comes first after a client has asked for it, or its buffer got a new text."""

TRIES = 3
"""How often reading begins anew if something publishes meanwhile."""

Item = dict[str, Any]
"""A diagnostic, as sent to clients."""

SEVERITIES = range(4)
QUOTATION_MARKS = dict.fromkeys(map(ord, "\"'`‘’“”"))  # noqa: RUF001


class _Known(msgspec.Struct):
    """What has been read of a set: the first items of each severity."""

    version: int
    items: tuple[list[Item], ...] = msgspec.field(
        default_factory=lambda: tuple([] for _ in SEVERITIES)
    )


class _OutdatedError(Exception):
    """A set has another version by now."""


class Reader:
    """Reads diagnostics, keeps them, and puts the last known ones into the state."""

    def __init__(self, port: Port, private: PrivateFiles, state: EditorState) -> None:
        self._port, self._private, self._state = port, private, state
        self._known: dict[tuple[Name, Name], _Known] = {}
        self._first: dict[Name, float] = {}
        """Until when files come first, by key or path."""
        self._reported: dict[Name, FileLook] = {}
        """The files in the state, by key."""
        self._changed: set[Name] | None = set()
        """The keys of files to look at, which the user's typing may have put off; None: all."""
        self._slicing, self._following = asyncio.Lock(), asyncio.Lock()
        self._is_due = False
        self.when_changed: Callable[[str], None] = lambda _: None
        """Is called with the uri of each file whose diagnostics have changed."""

    async def read(
        self, path: str | Literal[False], known: Look | None = None
    ) -> tuple[Look, dict[str, Diagnostics]]:
        """Return the sets of one file or of all, and their diagnostics by path.

        They may be `known` already. Raises `TimeoutError` if the editor is busy.
        """
        for _ in range(TRIES):
            looked = await soon(self._port.diagnostics.look(path)) if known is None else known
            known = None
            if path:
                self.put_first(file.key for file in looked.files)
            found = dict[str, Diagnostics]()
            with contextlib.suppress(_OutdatedError):
                await self._read(self._shared(looked), MOST, found)
                break
        return looked, found

    @handles(FileFollowed)
    def put_written_first(self, event: FileFollowed) -> None:
        """Read a file first that was written on disk."""
        self.put_first([event.path])

    def put_first(self, names: Iterable[Name]) -> None:
        """Read files before all others for a while; the names are keys or paths."""
        until = time.monotonic() + FIRST_SECONDS
        self._first |= dict.fromkeys(names, until)

    def forget(self) -> None:
        """Forget what is known: other files are private by now."""
        self._state.diagnostics.clear()
        self._reported.clear()
        self.follow(DiagnosticsChanged())

    @handles(DiagnosticsChanged)
    def follow(self, event: DiagnosticsChanged) -> None:
        """Look for changes, once for all events until then."""
        if event.keys is None or self._changed is None:
            self._changed = None
        else:
            self._changed.update(event.keys)
        if not self._is_due:
            self._is_due = True
            asyncio.ensure_future(self._follow()).add_done_callback(log_failure)

    async def _follow(self) -> None:
        async with self._following:
            self._is_due = False
            with contextlib.suppress(EditorError):
                while True:
                    try:
                        return await self._report_changes()
                    except TimeoutError:
                        # Waits as long as the editor is busy.
                        await self._port.disk.is_responding()

    async def _report_changes(self) -> None:
        """Look at the files that have changed. Those that are put off, or not reached, stay."""
        changed, self._changed = self._changed, set()
        try:
            which: list[Name] | Literal[False] = False if changed is None else [*changed]
            looked = await self._port.diagnostics.look(which) if changed != set() else Look([])
            files = {file.key: file for file in self._shared(looked) if file.count}
            if changed is None:
                changed = {*self._reported, *files}
                sets = {(file.key, each.id) for file in looked.files for each in file.sets}
                self._known = {key: known for key, known in self._known.items() if key in sets}
            for key in [key for key in self._reported if key in changed and key not in files]:
                self._put(self._reported.pop(key), {})
            changed &= files.keys()
            for key in [*files]:
                if not (looked.is_typing and files[key].count >= MANY):
                    await self._report(files[key])
                    changed.discard(key)
        finally:
            rest = self._changed
            self._changed = None if changed is None or rest is None else changed | rest

    async def _report(self, file: FileLook) -> None:
        before, found = self._reported.get(file.key), dict[str, Diagnostics]()
        if file != before:
            with contextlib.suppress(_OutdatedError):  # Another event follows.
                await self._read([file], MOST_KNOWN, found)
                self._reported[file.key] = file
                if before and before.uri != file.uri:
                    self._put(before, {})
                self._put(file, found)

    def _put(self, file: FileLook, found: dict[str, Diagnostics]) -> None:
        self._state.diagnostics.pop(file.path, None)
        self._state.diagnostics |= found
        self.when_changed(file.uri)

    def _shared(self, looked: Look) -> list[FileLook]:
        return [file for file in looked.files if not self._private.verdict(file.path)]

    async def _read(self, files: list[FileLook], most: int, found: dict[str, Diagnostics]) -> None:
        """Add the diagnostics of files by path. Raises `_OutdatedError`."""
        is_new, rest = _unlike(), most
        for file, of, severity in self._tasks(files):
            count = min(of.counts[severity], rest)
            items = await self._items(file, of, severity, count)
            known = found.setdefault(file.path, Diagnostics())
            known.items += [item for item in items if is_new(file.uri, of.id, item)]
            known.omitted += of.counts[severity] - count
            rest -= count

    def _tasks(self, files: list[FileLook]) -> Iterator[tuple[FileLook, SetLook, int]]:
        """Yield what to read, errors first, so that the least important ones are omitted."""
        now = time.monotonic()
        self._first = {name: until for name, until in self._first.items() if until > now}
        first = {file.key for file in files if self._first.keys() & {file.key, file.path}}
        for is_first in True, False:
            group = [file for file in files if (file.key in first) is is_first]
            for severity in SEVERITIES:
                for file in group:
                    yield from ((file, of, severity) for of in file.sets if of.counts[severity])

    async def _items(self, file: FileLook, of: SetLook, severity: int, count: int) -> list[Item]:
        """Return the first items of a severity in a set; those that are not known are read."""
        key = file.key, of.id
        async with self._slicing:
            if key not in self._known or self._known[key].version != of.version:
                self._known[key] = _Known(of.version)
            items = self._known[key].items[severity]
            while len(items) < count:
                asked = file.key, of.id, of.version, severity + 1, len(items)
                more = await soon(self._port.diagnostics.slice(*asked))
                if not more:
                    raise _OutdatedError
                items += more
        return items[:count]


def _unlike() -> Callable[[str, Name, Item], bool]:
    """Return a function that tells whether no other linter has said a diagnostic of a file before.

    In Vim several linters often say the same about a line, in the same words but for the quotation
    marks, and not always about the same columns. What one linter says twice on a line stays.
    """
    if editor_name() == NEOVIM:
        return lambda *_: True
    said: dict[tuple[Any, ...], object] = {}

    def is_new(uri: str, publisher: Name, item: Item) -> bool:
        words = item["message"].translate(QUOTATION_MARKS).lower()
        linter = publisher, item.get("source")
        return said.setdefault((uri, item["range"]["start"]["line"], words), linter) == linter

    return is_new


def new_diagnostics(
    old: list[Item], now: list[Item], line_after: Callable[[int], int | None] | None
) -> list[Item]:
    """Return the diagnostics that are new; without `line_after`, line numbers are ignored.

    `line_after` returns the number of a line after the change, or None if the line was changed. An
    old diagnostic moves with its line. One on its former line is old, too: its server has not
    checked the new text yet.
    """
    moved = defaultdict[Any, list[int]](list)
    changed = Counter[Any]()
    for item in old:
        line = line_of(item)
        to = None if line_after is None else line_after(line)
        if to is None:
            changed[_what(item)] += 1
        else:
            moved[_what(item), to].append(line)
    unmatched = [item for item in now if not _drop_last(moved[_what(item), line_of(item)])]
    stayed = Counter((what, line) for (what, _), lines in moved.items() for line in lines)
    return [
        item
        for item in unmatched
        if not (_drop_one(changed, _what(item)) or _drop_one(stayed, (_what(item), line_of(item))))
    ]


def line_of(item: Item) -> int:
    """Return the line on which a diagnostic begins, from 0."""
    return int(item["range"]["start"]["line"])


def _drop_last(lines: list[int]) -> bool:
    return bool(lines) and lines.pop() >= 0


def _drop_one(counter: Counter[Any], key: Any) -> bool:
    counter[key] -= 1
    return counter[key] >= 0


def _what(item: Item) -> tuple[Any, ...]:
    return tuple(item.get(key) for key in ("severity", "message", "source", "code"))
