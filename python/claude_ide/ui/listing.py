"""A list in a window (`lists.vim`) that is updated until the user closes it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from claude_ide.base.errors import EditorError
from claude_ide.editor.events import Run
from claude_ide.editor.port import Port
from claude_ide.editor.port.panel import Key, ListLook
from claude_ide.ui.page import Row, drawn

SECONDS = 1.0
"""How often an open list is updated."""

Item = dict[str, Any]
"""Rows with the id of what they show; the id is empty if they have no keys."""


def item(id_: str, rows: Sequence[Row], lacks: Sequence[str] = ()) -> Item:
    """Return rows as an item; `lacks` names the keys that do nothing with it."""
    return {"id": id_, "lacks": [*lacks], **drawn(rows)}


class Listing:
    """The list of this name. Each of its keys has a name and a description."""

    def __init__(
        self, name: str, keys: Sequence[tuple[Any, ...]], port: Port, run: Run, **look: Any
    ) -> None:
        self._name = name
        self._keys = [Key(*key) for key in keys]
        self._look = look
        self._port = port
        self._run = run
        self._following: asyncio.Task[None] | None = None
        self._sent: tuple[str, Sequence[Item]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the user has not closed it."""
        return self._following is not None

    async def open(
        self,
        title: str,
        draw: Callable[[], Awaitable[None]],
        follow: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Open its window; `draw` shows the items, `follow` does so until the list is closed."""
        self.end()
        look = ListLook(title, self._keys, **self._look)
        if not await self._port.lists.open(self._name, look):
            return
        await draw()
        self._following = self._run(follow() if follow else every(SECONDS, draw))

    async def show(self, title: str, items: Sequence[Item]) -> None:
        """Show items if they have changed; the next call tries again if that is not possible."""
        content = (title, items)
        if content != self._sent:
            with contextlib.suppress(EditorError):
                is_shown = await self._port.lists.show(self._name, *content)
                self._sent = content if is_shown else None

    async def close(self) -> None:
        """Close its window, and return the user to where they came from."""
        await self._port.lists.close(self._name)

    def end(self) -> None:
        """Stop following: its window is closed, or shows other items from now on."""
        if self._following is not None:
            self._following.cancel()
        self._following = self._sent = None


async def every(seconds: float, act: Callable[[], Awaitable[None]]) -> None:
    """Act again and again."""
    while True:
        await asyncio.sleep(seconds)
        await act()
