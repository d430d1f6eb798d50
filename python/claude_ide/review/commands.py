"""Finds files that an agent's commands change, which no tool reports.

Only files that Neovim has open, and files that the agent has read or written, are compared: of
others nothing is known from before the command.
"""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from claude_ide.editor.busy import soon
from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError
from claude_ide.paths import real
from claude_ide.review import versions
from claude_ide.review.journal import FileChange
from claude_ide.review.versions import Version

BUSY_SECONDS = 1.0
MOST_FILES = 300
MOST_KEPT = 16_000_000
"""Characters of all texts together."""


T = TypeVar("T")


class Commands:
    """The files of one agent that are compared after each command."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._known: dict[str, tuple[str, Version]] = {}
        """Stamps and versions, the most recently used file last."""
        self._looking = asyncio.Lock()

    async def prompted(self) -> None:
        """Note the files as they are before a turn."""
        await self._soon(self._editor.port.review.watch_own_writes())
        paths = [*self._known, *reversed(self._editor.state.paths)]
        await self._look_at(map(real, paths))

    async def used(self, path: str) -> None:
        """Note a file that a tool has read or written."""
        await self._look_at([real(path)])

    async def begun(self) -> None:
        """Note the files as they are before a command."""
        await self._look_at(list(self._known))

    async def changed(self) -> list[FileChange]:
        """Return the files that have been written since they were noted, but not by the user."""
        changed = await self._look_at(list(self._known))
        own = await self._soon(self._editor.port.review.own_writes([*changed])) if changed else None
        return [found for path, found in changed.items() if path not in (own or ())]

    async def _soon(self, sent: Awaitable[T]) -> T | None:
        """Return the result of a call to the editor; None if that fails."""
        try:
            # The agent waits for this, and Neovim may be at a prompt.
            return await soon(sent, BUSY_SECONDS)
        except (EditorError, TimeoutError):
            return None

    async def _look_at(self, paths: Iterable[str]) -> dict[str, FileChange]:
        """Read the files that have been written since; return those that have changed."""
        # Several tools of an agent may end at the same time.
        async with self._looking:
            return await asyncio.to_thread(self._refresh, paths)

    def _refresh(self, paths: Iterable[str]) -> dict[str, FileChange]:
        changed = {}
        for path in dict.fromkeys(paths):
            known = self._known.pop(path, None)
            stamp = versions.stamp_of(path)
            if known is None or known[0] != stamp:
                now = versions.read(path)
                if known is not None and known[1] != now:
                    changed[path] = FileChange(path, known[1], now)
                known = stamp, now
            self._known[path] = known
        self._forget()
        return changed

    def _forget(self) -> None:
        sizes = {path: len(version.text or "") for path, (_, version) in self._known.items()}
        total = sum(sizes.values())
        for path in list(self._known):
            if len(self._known) <= MOST_FILES and total <= MOST_KEPT:
                return
            total -= sizes[path]
            del self._known[path]
