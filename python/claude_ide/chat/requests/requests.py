"""The requests of one chat that wait for the user, shown at the end of its page.

This is the only registry of them: views, bars, keys and reviews use it.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from claude_ide.agents.events import Dead, Event, ToolEnded
from claude_ide.agents.requests import Asked, Option, RequestWithdrawn
from claude_ide.chat.page.sheet import Sheet
from claude_ide.chat.requests.form import Form
from claude_ide.chat.requests.proposal import Proposal
from claude_ide.chat.requests.view import LINE, WIDTH, Request
from claude_ide.editor.attention import Call
from claude_ide.editor.diffs import Diff

MARGIN = 6
"""Columns of the screen that a list of choices needs for numbers and a border."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A request: its view in the transcript, and its review in another window."""

    asked: Asked
    view: Request
    token: int = 0
    """The token of its plan or form in Lua; 0 if it has had none."""
    form: Form | None = None
    """The answers so far, if it has questions whose form was shown."""
    review: "asyncio.Task[None] | None" = None
    proposed: tuple[Proposal, ...] = ()
    diff: Diff | None = None
    """The diff on the screen; several are shown one after the other."""
    accepts_all: bool = False
    """Whether the user has accepted the diffs that were not shown yet."""
    way: Option | None = None
    """How the user has accepted a diff together with the edits that follow."""
    choosing: "asyncio.Task[Any] | None" = None
    """The task that shows a list of answers."""
    answering: "asyncio.Task[Any] | None" = None
    """The task that sends the answer."""
    comments: list[str] = field(default_factory=list)
    """What the user has said about the accepted diffs; the agent's next prompt."""
    why: str = ""
    """What the agent has said before, in one sentence."""
    call: Call | None = None
    """It calls the user."""
    is_opened: bool = False
    """Whether its address has been opened; a second key opens it no more."""
    is_over: bool = False
    """Whether it was answered or withdrawn."""

    def see(self) -> None:
        """Know that the user has seen it."""
        if self.call is not None:
            self.call.see()

    @property
    def has_one_diff(self) -> bool:
        """Whether one diff shows all that it would change."""
        return len(self.proposed) == 1 and self.diff is not None and self.diff.shown.is_set()


class Requests:
    """The requests of the agent with this name, the oldest first.

    Paths below `root` are relative to it. `changed` is called with the number of requests whenever
    it changes.
    """

    def __init__(
        self,
        sheet: Sheet,
        name: str,
        root: str = "",
        changed: Callable[[int], None] = lambda _count: None,
    ) -> None:
        self._sheet = sheet
        self._name = name
        self._root = root
        self._changed = changed
        self._waiting: dict[str, Waiting] = {}
        self._width, self._room = WIDTH, LINE

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self._waiting)

    def __iter__(self) -> Iterator[Waiting]:
        """Iterate over a copy, so that the loop may remove requests."""
        return iter(list(self._waiting.values()))

    def add(self, asked: Asked) -> Waiting:
        """Show a request; it replaces an earlier one with the same id."""
        self.remove(asked.request)
        view = self._sheet.add(
            "request",
            lambda part: Request(part, asked, self._root, self._name, self._width, self._room),
            tail=True,
        )
        waiting = self._waiting[asked.request] = Waiting(asked, view)
        self._changed(len(self))
        return waiting

    def settle(self, event: Event) -> None:
        """Remove the requests that an event ends."""
        match event:
            case RequestWithdrawn(request):
                self.remove(request)
            case ToolEnded(tool) if tool:
                for waiting in self:
                    if waiting.asked.tool == tool:
                        self.remove(waiting.asked.request)
            case Dead():
                self.clear()

    def remove(self, request: str) -> Waiting | None:
        """Remove a request with its view and its review; return it, or None if it is unknown."""
        waiting = self._waiting.pop(request, None)
        if waiting is None:
            return None
        waiting.is_over = True
        if waiting.call is not None:
            waiting.call.end(is_answered=waiting.answering is not None)
        self._sheet.remove(waiting.view)
        for task in (waiting.review, waiting.choosing):
            # A task that sends the answer ends by itself.
            if task is not None and task is not waiting.answering:
                task.cancel()
        self._changed(len(self))
        return waiting

    def clear(self) -> None:
        """Remove all requests."""
        for waiting in self:
            self.remove(waiting.asked.request)

    def find(self, request: str) -> Waiting | None:
        """Return a request by its id."""
        return self._waiting.get(request)

    def at(self, part: int) -> Waiting | None:
        """Return the request in a part of the transcript."""
        return next((waiting for waiting in self if waiting.view.part.id == part), None)

    def redraw(self, waiting: Waiting) -> None:
        """Have the next frame draw a request that has changed."""
        if not waiting.is_over:
            self._sheet.changed(waiting.view)

    def resize(self, width: int, columns: int) -> None:
        """Fit the requests into a window of this width; `columns` is the width of the screen."""
        self._width, self._room = width, min(LINE, columns - MARGIN)
        for waiting in self:
            waiting.view.resize(self._width, self._room)
            self.redraw(waiting)
