"""Keeps private files from the model: what its tools in the editor get and answer passes here.

A tool that is called about such a file is refused. Entries about one are left out of an answer. A
change that concerns one is refused as a whole: a part of it would be wrong.
"""

from collections.abc import Iterator
from typing import Any

from claude_ide.base.errors import EditorError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import absolute
from claude_ide.editor.channel import without_error
from claude_ide.editor.private_files import PrivateFiles

PATHS = ("file", "path")
"""Keys under which tools are given a file, or name one."""

NAME = "name"
"""Of a window or a buffer; of a symbol it is no path."""

TOOLS = "tools."
"""Begins the function of each tool; the names below follow it."""

OWN = "own."
"""What the user has added decides for itself."""

CHANGES = "buffers.texts"
"""A tool whose answers are texts to be changed."""

PRINTED = "screen.messages"
"""A tool that answers `lines` which the editor has printed."""

CHANGES_ONE = "the change concerns a file that the user keeps private; nothing was changed"
CONCERNS_ONE = "this concerns a file that the user keeps private"


class ToolGate:
    """Judges calls of tools by the rules of the moment."""

    def __init__(self, private: PrivateFiles) -> None:
        self._private = private

    async def check(self, function: str, arguments: dict[str, Any]) -> None:
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
        """Raise `EditorError` if a change names a private file."""
        await self._private.update()
        if any(self._is_private(*each) for each in _named(change)):
            raise EditorError(CHANGES_ONE)

    async def told(self, words: str) -> str:
        """Return words, or others if they name a private file that is or was open."""
        await self._private.update()
        return CONCERNS_ONE if self._private.is_named(words) else words

    async def cleaned(self, function: str, answer: dict[str, Any]) -> Any:
        """Return an answer without private files. Raises `EditorError` if nothing remains."""
        name = function.removeprefix(TOOLS)
        if name.startswith(OWN):
            return without_error(answer)
        if isinstance(error := answer.get("error"), str):
            raise EditorError(await self.told(error))
        if name in CHANGES:
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
