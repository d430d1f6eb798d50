"""Proposed edits that wait for the user; each has a future that an event from Lua settles."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.base.paths import TURNED, display_path, real
from claude_ide.base.quotation import MOST_LINES, no_command, quoted, span
from claude_ide.editor.events import Events
from claude_ide.editor.mentions import unmentioned
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import DiffComment, DiffDecided, DiffFailed, DiffShown

if TYPE_CHECKING:
    from claude_ide.editor.attention import CallingSession


class Decision(msgspec.Struct, frozen=True):
    """The user's answer: the accepted `text`, or the `reason` of a rejection, with the comments.

    `words` has reason and comments for an agent that does not get them with its answer.
    """

    accepted: bool
    text: str = ""
    reason: str = ""
    words: str = ""


@dataclass(eq=False)
class Offer:
    """A way to accept an edit and, by the same answer, those that follow.

    `name` says what it allows. `choose` has the user choose if there are several such answers, and
    returns False if they cancel. `answer` sends the chosen one, `end` is called when the diff is
    closed.
    """

    name: str
    choose: Callable[[], Awaitable[bool]]
    answer: Callable[[], None] = lambda: None
    end: Callable[[], None] = lambda: None
    is_chosen: bool = False


class Diff(msgspec.Struct, eq=False):
    """One proposal. `name` is the client's key for it, not interpreted here."""

    id: int
    name: str
    path: str
    target: str
    """The path without links, when the diff was requested."""
    text: str = ""
    """The proposed content."""
    offer: Offer | None = None
    caller: "CallingSession | None" = None
    """The session that waits for the decision, and calls the user."""
    decided: bool = False
    """Whether the editor has reported the outcome; the diff is then closed or closing."""
    decision: "asyncio.Future[Decision]" = msgspec.field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    wording: "asyncio.Future[None] | None" = None
    """Finds words for the decision that mention no file."""
    shown: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    withdrawn: asyncio.Event = msgspec.field(default_factory=asyncio.Event)

    def withdraw(self) -> None:
        """Reject the proposal, unless the user has decided."""
        self.withdrawn.set()
        if not self.decision.done():
            self.decision.set_result(Decision(accepted=False))


class Diffs:
    """All proposals of this Neovim (`lua/claude_ide/diff/init.lua` shows them)."""

    def __init__(self, port: Port, events: Events, folders: Callable[[], list[str]]) -> None:
        """Prepare for the proposals of an editor with these working folders."""
        self._port = port
        self._folders = folders
        self._numbers = itertools.count(1)
        self._open: dict[int, Diff] = {}
        self._subscribers: list[Callable[[Diff], None]] = []
        events.register(self)

    def subscribe(self, opened: Callable[[Diff], None]) -> None:
        """Call a function with each diff from now on, before it is shown."""
        self._subscribers.append(opened)

    def __iter__(self) -> Any:
        return iter(list(self._open.values()))

    async def show(
        self,
        name: str,
        path: str,
        text: str,
        title: str,
        layout: str,
        caller: "CallingSession | None" = None,
        /,
        **more: int | str,
    ) -> Diff:
        """Request a diff of `path` with `text`; it appears when it does not interrupt the user.

        `layout` is that of the options. The `caller` waits for the decision; without one, nobody
        calls the user. If the client wanted to compare with another file, `old_path` in `more`
        names it. With `is_reported` in `more`, `settle` must be called after an accept.
        Raises `EditorError`, also if a path cannot be that of a file.
        """
        where = display_path(path, self._folders())
        # For a buffer, no file will be written.
        shown = {"path": where.path, "warning": "" if "original" in more else where.warning}
        given = {"path": path, "where": shown, "text": text, "title": title, "layout": layout}
        request = given | more
        return await self.open(
            *(name, path, lambda id_: self._port.diffs.open(id_, request)), text=text, caller=caller
        )

    async def open(
        self,
        name: str,
        path: str,
        opening_as: Callable[[int], Awaitable[None]],
        text: str = "",
        caller: "CallingSession | None" = None,
    ) -> Diff:
        """Open a diff by a call to the editor, which gets the diff's id.

        `text` is the proposed content, as far as it is known. Raises `EditorError`.
        """
        diff = Diff(next(self._numbers), name, path, real(path), text, caller=caller)
        self._open[diff.id] = diff
        opening: asyncio.Future[Any] = asyncio.ensure_future(opening_as(diff.id))
        for opened in self._subscribers:
            opened(diff)
        try:
            # A withdrawal must be answered even while Neovim is busy.
            waiting: list[asyncio.Future[Any]] = [opening, diff.decision]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                opening.result()
        except BaseException:
            self.close(diff)
            raise
        return diff

    def offer(self, diff: Diff, offer: Offer) -> None:
        """Let the user accept a diff together with the edits that follow."""
        diff.offer = offer
        self._port.diffs.offer(diff.id, offer.name)

    async def accept_edits(self, id_: int) -> None:
        """Accept a diff, as it is now, together with the edits that follow.

        Nothing happens if it is decided before the user has chosen how.
        """
        diff = self._open.get(id_)
        if diff is None or diff.offer is None or not await diff.offer.choose():
            return
        diff.offer.is_chosen = True
        await self._port.diffs.accept(id_)

    def close(self, diff: Diff) -> None:
        """Close a diff without waiting for it; an undecided one is rejected."""
        self._open.pop(diff.id, None)
        diff.withdraw()
        if diff.offer is not None:
            diff.offer.end()
        if not diff.decided:
            self._port.diffs.close(diff.id)

    def settle(self, diff: Diff, *, is_written: bool | None = None) -> None:
        """Report whether an accepted text was written; None lets Lua look at the file.

        If it was not written, Lua keeps a text that the user had edited.
        """
        known = [] if is_written is None else [is_written]
        self._port.diffs.report_written(diff.id, *known)

    @handles(DiffShown)
    def _shown(self, event: DiffShown) -> None:
        if (diff := self._undecided(event.id)) is not None:
            diff.shown.set()

    @handles(DiffFailed)
    def _failed(self, event: DiffFailed) -> None:
        if (diff := self._undecided(event.id)) is not None:
            diff.decided = True
            diff.decision.set_exception(EditorError(event.message))

    @handles(DiffDecided)
    def _decided(self, event: DiffDecided) -> None:
        if (diff := self._undecided(event.id)) is not None:
            diff.decided = True
            words = words_on_decision(event)
            if "@" in "".join(words):
                roots = *self._folders(), *map(str, Path(diff.target).parents)
                diff.wording = asyncio.ensure_future(self._decide_in_words(diff, event, roots))
            else:
                self._decide(diff, Decision(event.accepted, event.text, *words))

    async def _decide_in_words(self, diff: Diff, event: DiffDecided, roots: Sequence[str]) -> None:
        words = await asyncio.to_thread(words_on_decision, event, roots)
        if not diff.decision.done():
            self._decide(diff, Decision(event.accepted, event.text, *words))

    def _decide(self, diff: Diff, decision: Decision) -> None:
        if decision.accepted and real(diff.path) != diff.target:
            decision = Decision(accepted=False, reason=TURNED)
            self.settle(diff, is_written=False)
            shown = f"not accepted: {Path(diff.path).name}: {TURNED}"
            self._port.windows.notify(shown, "warn")
        diff.decision.set_result(decision)

    def _undecided(self, id_: int) -> Diff | None:
        """Return the proposal with this id, unless it is closed or settled."""
        diff = self._open.get(id_)
        return None if diff is None or diff.decision.done() else diff


def words_on_decision(event: DiffDecided, roots: Sequence[str] = ()) -> tuple[str, str]:
    """Return what goes with the answer, and what an agent has to be told in its next prompt.

    No quoted line, and no path, mentions a file for an agent in one of the folders `roots`; this
    looks at files. What the user has written stays.
    """
    said = _said(event.path, event.comments, roots)
    reason = "" if event.accepted else event.reason
    if not said and not reason:
        return "", ""
    done = "accepted" if event.accepted else "rejected"
    head = unmentioned(f"I have {done} your edit of {event.path}", *roots)
    if reason:
        lines = ", ".join(span(first, last) for first, last in event.hunks)
        head += f" ({lines}): {reason}" if lines else f": {reason}"
    else:
        head += "."
    answer = "" if event.accepted else "\n\n".join([*([reason] if reason else []), *said])
    return answer, "\n\n".join([head, *said])


def words_on_edit(path: str, comments: Sequence[DiffComment], roots: Sequence[str]) -> str:
    """Return the comments on an edit that was decided elsewhere, as `words_on_decision` does."""
    head = unmentioned(f"About your edit of {path}:", *roots)
    return "\n\n".join([head, *_said(path, comments, roots)])


def _said(path: str, comments: Sequence[DiffComment], roots: Sequence[str]) -> list[str]:
    def words(each: DiffComment) -> str:
        lines = [f"-{line}" for line in each.lines] if each.is_removed else each.lines
        heading = f"{no_command(path)}, {span(each.first, each.last)}"
        return f"{unmentioned(quoted(heading, lines, MOST_LINES), *roots)}\n{each.words}"

    return [words(each) for each in comments]
