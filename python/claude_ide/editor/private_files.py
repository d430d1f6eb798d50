"""Which files stay in the editor: judged here at every exit, and in the editor before that.

The editor has the rules as regular expressions, and lets nothing out until they have arrived. It
judges what it reports unasked: the selection, and texts that are yanked or renamed. Everything else
is judged here, and what the editor has let pass is judged here again, by every link on its way.

The model's tools pass the gate: one that is called about such a file is refused. Entries about one
are left out of an answer. A change that concerns one is refused as a whole: a part of it would be
wrong.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import absolute, below_home, normalized, within
from claude_ide.base.watch import FileChanges
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import handles, soon, without_error
from claude_ide.editor.port.events import EditorsChanged, PrivacyFacts, SelectionChanged
from claude_ide.privacy import settings
from claude_ide.privacy.rules import Rules, spellings

ORIGIN = {"line": 0, "character": 0}
NO_SELECTION = {
    "text": "",
    "filePath": "",
    "fileUrl": "",
    "selection": {"start": ORIGIN, "end": ORIGIN, "isEmpty": True},
}
"""Clears what a client knows of the selection."""

PATHS = ("file", "path")
"""Keys under which tools are given a file, or name one."""

NAME = "name"
"""Of a window or a buffer; of a symbol it is no path."""

TOOLS = "tools."
"""Begins the function of each tool; the names below follow it."""

OWN = "own."
"""What the user has added decides for itself."""

CHANGES = "language_servers.texts"
"""A tool whose answers are texts to be changed."""

PRINTED = "claude_ide#tool_facts#Messages"
"""A tool that answers `lines` which the editor has printed."""

CHANGES_ONE = "the change concerns a file that the user keeps private; nothing was changed"
CONCERNS_ONE = "this concerns a file that the user keeps private"


class PrivateFiles:
    """The rules of this moment, which the editor gets, too, and what they say about files."""

    def __init__(self, port: Port, folders: list[str], options: Any) -> None:
        """Begin with these working folders, and this value of the option `privacy`."""
        self._port = port
        self._facts = PrivacyFacts(folders, (*folders, "")[0], options)
        self._rules: Rules | None = None
        self._stamp: object = None
        self._verdicts: dict[str, str | None] = {}
        self._changes: FileChanges | None = None
        self.when_changed: Callable[[], None] = lambda: None
        """Is called after each change of the rules."""

    def refresh(self) -> Rules:
        """Read the settings again if they have changed; the editor gets new rules before more."""
        privacy, working = self._facts.privacy, self._facts.folders
        files = settings.files(working, os.environ)
        stamp = (privacy, working, settings.stamp(files))
        if self._rules is None or stamp != self._stamp:
            self._stamp, is_first = stamp, self._rules is None
            self._rules = Rules(privacy, working, files)
            self._verdicts.clear()
            self._port.privacy.apply(self._rules.pushed())
            if self._changes is not None:
                self._changes.look()
            if not is_first:
                self.when_changed()
        return self._rules

    @handles(PrivacyFacts)
    def apply_facts(self, facts: PrivacyFacts) -> None:
        """Judge by another option or other working folders."""
        self._facts = facts
        self.refresh()

    def watch(self, changes: FileChanges | None) -> None:
        """Follow the settings, while a server runs; None afterwards."""
        if self._changes is not None:
            self._changes.forget(self.refresh)
        self._changes = changes
        if changes is not None:
            self.refresh()
            changes.follow(self.refresh, self._settings)

    def _settings(self) -> list[Path]:
        found = settings.files(self._facts.folders, os.environ)
        return [settings.MANAGED_FOLDER, *(each.path for each in found)]

    async def update(self) -> Rules:
        """Read the option and the working folders as they are now, unless the editor is busy."""
        with contextlib.suppress(EditorError, TimeoutError):
            self._facts = await soon(self._port.privacy.facts())
        return self.refresh()

    async def among(self, paths: Iterable[str]) -> dict[str, str]:
        """Return those of the files that stay in the editor, each with the reason."""
        rules, folders = await self.update(), dict[str, str]()
        judged = {path: self._judged(rules, path, folders) for path in paths}
        return {path: reason for path, reason in judged.items() if reason}

    async def of_buffer(self, bufnr: int) -> str | None:
        """Return why the text of a buffer stays in the editor."""
        try:
            return await self._port.privacy.of_buffer(bufnr) or None
        except EditorError:  # there is no such buffer
            return None

    def reason(self, path: str) -> str | None:
        """Return why a file or folder stays in the editor, by the facts of the last update."""
        return self._judged(self._rules or self.refresh(), path, {})

    def is_named(self, text: str) -> bool:
        """Return whether a text names a private file that is or was open."""
        return any(PurePath(name).name in text for name in self._facts.named)

    @property
    def cwd(self) -> str:
        """The working folder of the editor's current window."""
        return self._facts.cwd

    def sentence(self, path: str, reason: str) -> str:
        """Say in one line why a file stays in the editor."""
        shown = within(path, self.cwd)
        return f"{below_home(shown, os.environ)} stays in {editor_name()}: {reason}"

    def verdict(self, path: str) -> str | None:
        """Return why the file of a buffer stays in the editor.

        The verdict is kept until an event of the buffer, or other rules: see `judge_again`.
        """
        if path not in self._verdicts:
            self.judge_again([path])
        return self._verdicts[path]

    def judge_again(self, paths: Iterable[str]) -> None:
        """Judge the files of buffers to which something has happened."""
        rules, folders = self._rules or self.refresh(), dict[str, str]()
        for path in paths:
            self._verdicts[path] = self._judged(rules, path, folders)

    def _judged(self, rules: Rules, path: str, folders: dict[str, str]) -> str | None:
        for spelling in spellings(normalized(path), folders):
            if reason := rules.reason(spelling):
                return reason
        return self._facts.renamed.get(path)

    # What the editor reports.

    def selection(self, selection: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return a reported selection; an empty one if it is in a private file, or in none."""
        if selection is None:
            return None
        path = selection.get("filePath")
        if not path:
            return NO_SELECTION
        self.judge_again([path])
        if reason := self.verdict(path):
            # The editor could not tell.
            self._port.privacy.deny(path, reason)
            return NO_SELECTION
        return selection

    def selection_changed(self, event: SelectionChanged) -> SelectionChanged:
        """Screen a selection."""
        selection = self.selection(event.table)
        return event if selection is event.table else SelectionChanged(NO_SELECTION)

    def editors_changed(self, report: EditorsChanged) -> EditorsChanged:
        """Return a report on the open files without private ones."""
        self.judge_again(each.name for each in report.editors if each.name)
        editors = [each for each in report.editors if not each.name or not self.verdict(each.name)]
        return msgspec.structs.replace(report, editors=editors)


class ToolGate:
    """Judges calls of tools by the rules of the moment."""

    def __init__(self, private: PrivateFiles) -> None:
        self._private = private

    async def check(self, function: str, arguments: Mapping[str, Any]) -> None:
        """Raise `EditorError` if a tool must not run with these arguments."""
        await self._private.update()
        if function.removeprefix(TOOLS).startswith(OWN):
            return
        for key, value in _named(arguments):
            if key == "bufnr" and isinstance(value, int):
                if reason := await self._private.of_buffer(value):
                    raise EditorError(f"this buffer stays in {editor_name()}: {reason}")
            elif (path := self._path(key, value)) and (reason := self._private.reason(path)):
                raise EditorError(self._private.sentence(path, reason))

    async def check_change(self, change: Any) -> None:
        """Raise `EditorError` if a change names a private file, in any table of it."""
        await self._private.update()
        if any(self._is_private(*each) for each in _named(change)):
            raise EditorError(CHANGES_ONE)

    async def told(self, words: str) -> str:
        """Return words of a program; others if they name a private file that is or was open."""
        await self._private.update()
        return CONCERNS_ONE if self._private.is_named(words) else words

    async def cleaned(self, function: str, answer: dict[str, Any]) -> Any:
        """Return an answer without private files. Raises `EditorError` if nothing remains."""
        name = function.removeprefix(TOOLS)
        if name.startswith(OWN):
            return without_error(answer)
        if isinstance(error := answer.get("error"), str):
            raise EditorError(await self.told(error))
        if name == CHANGES:
            await self.check_change(answer)
            return answer
        # What was in it may have been opened, or renamed, since the tool began.
        await self._private.update()
        if self._is_about_one(answer):
            raise EditorError(CONCERNS_ONE)
        omitted = self._prune(answer)
        if omitted and isinstance(answer.get("total"), int):
            answer["total"] -= omitted
        if name == PRINTED:
            lines = answer.get("lines") or []
            answer["lines"] = [line for line in lines if not self._private.is_named(line)]
        return answer

    def _path(self, key: object, value: object) -> str:
        """Return the absolute path that is named under a key; empty if none is."""
        if not isinstance(value, str) or not value or "\0" in value:
            return ""
        if key in PATHS:
            return absolute(value, self._private.cwd)
        return absolute(value, "/") if key == NAME and value.startswith("/") else ""

    def _is_private(self, key: object, value: object) -> bool:
        path = self._path(key, value)
        return path != "" and self._private.reason(path) is not None

    def _is_about_one(self, entry: object) -> bool:
        return isinstance(entry, dict) and any(self._is_private(*each) for each in entry.items())

    def _prune(self, answer: Any) -> int:
        """Leave out the entries about private files in all lists; return how many these were."""
        count = 0
        for value in answer.values() if isinstance(answer, dict) else answer:
            if isinstance(value, list):
                kept = [entry for entry in value if not self._is_about_one(entry)]
                count += len(value) - len(kept)
                value[:] = kept
            if isinstance(value, dict | list):
                count += self._prune(value)
        return count


def _named(given: Any) -> Iterator[tuple[object, object]]:
    """Yield all keys and values of the dictionaries in a value."""
    if isinstance(given, dict):
        yield from given.items()
    for inner in given.values() if isinstance(given, dict) else given:
        if isinstance(inner, dict | list):
            yield from _named(inner)
