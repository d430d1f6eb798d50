"""Proposed edits that wait for the user, each a future that the editor's half settles."""

import asyncio
import itertools
from typing import Any

import msgspec

from claude_ide.editor.events import Events
from claude_ide.editor.port import Port, without_error
from claude_ide.errors import EditorError


class Decision(msgspec.Struct, frozen=True):
    """What became of a proposal: the `text` in it when it was accepted, or why it was not."""

    accepted: bool
    text: str = ""
    reason: str = ""


class Diff(msgspec.Struct, eq=False):
    """One proposal. `name` is the client's key for it, opaque to us."""

    id: int
    name: str
    path: str
    shown: bool = False
    decision: "asyncio.Future[Decision]" = msgspec.field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def withdraw(self) -> None:
        """Settle it as rejected, unless the user has decided."""
        if not self.decision.done():
            self.decision.set_result(Decision(accepted=False))


class Diffs:
    """All proposals of this Neovim (`lua/claude_ide/diff/init.lua` shows them)."""

    def __init__(self, port: Port, events: Events) -> None:
        self._port = port
        self._numbers = itertools.count(1)
        self._open: dict[int, Diff] = {}
        events.subscribe("diff_shown", self._shown)
        events.subscribe("diff_failed", self._failed)
        events.subscribe("diff_decided", self._decided)

    def __iter__(self) -> Any:
        return iter(list(self._open.values()))

    async def show(
        self, name: str, path: str, text: str, title: str, layout: str, **more: int | str
    ) -> Diff:
        """Ask for a proposal to be shown; it appears when that takes nothing from the user.

        `layout` is `tab`, `vertical` or `horizontal`. A proposal for a buffer, where nobody will
        write a file, has `original`, the buffer, and `rewrite`, the question that takes
        what is accepted. With `is_reported` the caller calls `settle` after an accept. Raises
        `EditorError`, also for a path that leads to no file, or for such an `old_path`: what the
        client wanted to compare with, if that is another file.
        """
        diff = Diff(next(self._numbers), name, path)
        self._open[diff.id] = diff
        request = {"path": path, "text": text, "title": title, "layout": layout, **more}
        opening = self._port.call("diff.open", diff.id, request)
        try:
            # Withdrawn while Neovim is busy, it has to be answered all the same.
            await asyncio.wait([opening, diff.decision], return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                without_error(opening.result())
        except BaseException:
            self.close(diff)
            raise
        return diff

    def close(self, diff: Diff) -> None:
        """Take a proposal off the screen, whatever became of it; nothing is awaited."""
        self._open.pop(diff.id, None)
        diff.withdraw()
        self._port.tell("diff.close", diff.id)

    def settle(self, diff: Diff, *, is_written: bool | None = None) -> None:
        """Say whether an accepted text was written: one that the user had changed is kept if not.

        None: look at the file.
        """
        known = [] if is_written is None else [is_written]
        self._port.tell("diff.accepted.settle", diff.id, *known)

    def close_all(self) -> None:
        """Reject everything that is open; whoever waits is told."""
        for diff in self:
            diff.withdraw()

    def _shown(self, event: dict[str, Any]) -> None:
        if (diff := self._undecided(event)) is not None:
            diff.shown = True

    def _failed(self, event: dict[str, Any]) -> None:
        if (diff := self._undecided(event)) is not None:
            diff.decision.set_exception(EditorError(event["message"]))

    def _decided(self, event: dict[str, Any]) -> None:
        if (diff := self._undecided(event)) is not None:
            text, reason = event.get("text", ""), event.get("reason", "")
            diff.decision.set_result(Decision(event["accepted"], text, reason))

    def _undecided(self, event: dict[str, Any]) -> Diff | None:
        """Return the proposal that an event is about, unless it is closed or settled."""
        diff = self._open.get(event["id"])
        return None if diff is None or diff.decision.done() else diff
