"""Shows the files that the agent reads and edits in a window next to the chat, as it does so."""

import asyncio
import logging
from pathlib import Path
from typing import NamedTuple

from claude_ide.agents import events
from claude_ide.agents.events import Change, Event, ToolStatus
from claude_ide.base.errors import EditorError
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand

PAUSE_SECONDS = 0.2
"""The least time between two files: of a burst, only the last file is shown."""

FOLLOWED = ("read", "edit")
"""The kinds of tools whose files are shown."""

log = logging.getLogger(__name__)


class FollowedPlace(NamedTuple):
    """A file, and lines of it: `first` is 0 if they are unknown, `last` if none has changed."""

    path: str
    first: int = 0
    last: int = 0


class Following(ChatPart):
    """Follows the main agent of one chat, not its subagents."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._uses: dict[str, FollowedPlace | None] = {}
        """The places of the tools that are running."""
        self._last: FollowedPlace | None = None
        self._next: FollowedPlace | None = None
        self._is_waiting = False

    def apply(self, event: Event) -> None:
        match event:
            case events.ToolStarted(tool, kind=kind, parent="") if kind in FOLLOWED:
                self._uses[tool] = None
            case events.ToolInput(tool, arguments=dict(), path=path, line=line) if (
                tool in self._uses
            ):
                self._uses[tool] = FollowedPlace(path, max(line or 0, 0)) if path else None
            case events.ToolEnded(tool, status, changes=changes) if tool in self._uses:
                place = self._uses.pop(tool)
                if status is ToolStatus.COMPLETED:
                    self._go_to(changed_place(changes[0]) if changes else place)
            case events.TurnEnded() | events.Dead():
                self._uses.clear()

    @subcommand("follow")
    async def toggle(self) -> None:
        """Start or stop following."""
        self._chat.follows = not self._chat.follows
        if self._chat.follows:
            self._go_to(self._last)
        words = "following" if self._chat.follows else "no longer following"
        self._editor.notify(f"{words} {self._agent.name}'s files")

    def close(self) -> None:
        self._chat.follows = False

    def _go_to(self, place: FollowedPlace | None) -> None:
        if place is None:
            return
        self._last = self._next = place
        if self._chat.follows and not self._is_waiting:
            self._is_waiting = True
            self._chat.run(self._show_soon())

    async def _show_soon(self) -> None:
        try:
            while self._next is not None:
                await asyncio.sleep(PAUSE_SECONDS)
                place, self._next = self._next, None
                if self._chat.follows and self._chat.shown:
                    await self._show_now(place)
        finally:
            self._is_waiting = False

    async def _show_now(self, place: FollowedPlace) -> None:
        path = str(Path(self._chat.root) / place.path)
        try:
            obstacle = await self._panel.show_file(*place._replace(path=path))
        except EditorError as error:
            obstacle = str(error)
        if obstacle:
            log.debug("not followed to %s: %s", path, obstacle)


def changed_place(change: Change) -> FollowedPlace:
    """Return the lines of a change's first hunk, or the file if nothing has changed."""
    if not change.hunks:
        return (
            FollowedPlace(change.path, 1, max(change.added, 1))
            if change.created
            else FollowedPlace(change.path)
        )
    hunk = change.hunks[0]
    line, changed, added = hunk.new_start, list[int](), list[int]()
    for text in hunk.lines:
        sign = text[:1]
        if sign in ("+", "-"):
            changed.append(line)
        if sign == "+":
            added.append(line)
        line += sign in ("+", " ", "")
    first = max(min(changed, default=hunk.new_start), 1)
    return FollowedPlace(change.path, first, max([first, *added]))
