"""The Lua part of the diff under test, without a host: opened by Lua, decided by events."""

import itertools
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base.paths import display_path
from claude_ide.editor.diffs import words_on_decision
from claude_ide.editor.port.events import DiffDecided
from support.chunks import chunk
from support.neovim import Neovim, until

MODULE = "require('claude_ide.diff')"

FORWARD_USER_EVENTS = chunk("diffs/forward_user_events")

STATE = chunk("diffs/state")


class Diffs:
    """The diffs of one Neovim, by ids from here."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, nvim: Neovim) -> "Diffs":
        """Have Neovim send its events to this test instead of a host."""
        await nvim.lua(FORWARD_USER_EVENTS, await nvim.channel())
        return cls(nvim)

    async def ask(
        self,
        path: Path | str,
        text: str | bytes,
        layout: str = "tab",
        title: str = "Claude Code",
        original: int | None = None,
        is_reported: bool = False,
        is_unsaved: bool = False,
        pid: int | None = None,
    ) -> int:
        """Request a diff, without waiting until it appears."""
        id_ = next(self._ids)
        where = display_path(str(path), [await self.nvim.eval("getcwd()")])
        request: dict[str, Any] = {
            "path": str(path),
            "where": {"path": where.path, "warning": "" if original else where.warning},
            "text": text,
            "layout": layout,
            "title": title,
            "is_reported": is_reported,
            "is_unsaved": is_unsaved,
        }
        if original is not None:
            request["original"] = original
        if pid is not None:
            request["pid"] = pid
        await self.nvim.lua(f"{MODULE}.open(...)", id_, request)
        return id_

    async def open(
        self,
        path: Path | str,
        text: str | bytes,
        layout: str = "tab",
        title: str = "Claude Code",
        original: int | None = None,
        is_reported: bool = False,
        is_unsaved: bool = False,
        pid: int | None = None,
    ) -> int:
        """Request a diff, and wait until it accepts keys."""
        id_ = await self.ask(path, text, layout, title, original, is_reported, is_unsaved, pid)
        await self.ready(id_)
        return id_

    async def ready(self, id_: int) -> None:
        """Wait until a diff accepts keys."""
        await until(lambda: self.of("diff_shown", id_), f"diff {id_} is shown")

    def of(self, event: str, id_: int) -> list[Any]:
        """Return the payloads of an event for one diff so far."""
        return [payload for payload in self.nvim.events(event) if payload["id"] == id_]

    async def decision(self, id_: int) -> Any:
        """Wait for the user's decision: the event `diff_decided`."""
        decisions = await until(lambda: self.of("diff_decided", id_), f"diff {id_} is decided")
        assert len(decisions) == 1
        return decisions[0]

    async def outcome(self, id_: int) -> dict[str, Any]:
        """Wait for the user's decision without what they say: `{"id", "accepted", "text"?}`."""
        found = await self.decision(id_)
        return {name: found[name] for name in ("id", "accepted", "text") if name in found}

    async def remarks(self, id_: int) -> tuple[str, str]:
        """Return the user's words with their decision, for its answer and for the next prompt."""
        return words_on_decision(msgspec.convert(await self.decision(id_), DiffDecided))

    async def closed(self, id_: int) -> Any:
        """Wait until a diff is closed; return the data of `User ClaudeDiffClosed`."""
        events = await until(lambda: self.of("ClaudeDiffClosed", id_), f"diff {id_} is closed")
        assert len(events) == 1
        return events[0]

    async def close(self, id_: int) -> None:
        """Close a diff as the host does."""
        await self.nvim.lua(f"{MODULE}.close(...)", id_)

    async def list(self) -> list[Any]:
        """The diffs that wait for a decision."""
        diffs: list[Any] = await self.nvim.lua(f"return {MODULE}.list()")
        return diffs


async def everything(nvim: Neovim) -> dict[str, Any]:
    """Return all that a user can notice: windows, buffers, marks, options, focus."""
    state: dict[str, Any] = await nvim.lua(STATE)
    return state
