"""What the editor reports (`port/events.py`): passed on, and kept for answers while it is busy.

The state is updated before other handlers are called. An event without a handler is logged.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

import msgspec

from claude_ide.base.paths import to_uri

# These only for the events that they declare.
from claude_ide.editor.port import panel, prompts, review  # noqa: F401
from claude_ide.editor.port.binding import convert, handlers, handles
from claude_ide.editor.port.events import EditorsChanged, Event, OpenBuffer, SelectionChanged, Whole

logger = logging.getLogger(__name__)

Subscriber = Callable[[Any], object]
Screen = Callable[[Any], Event | None]
Run = Callable[[Awaitable[Any]], Any]
"""Starts a task, and shows its errors to the user in one line."""

E = TypeVar("E", bound=Event)


class Diagnostics(msgspec.Struct):
    """The known diagnostics of one file, as sent to clients.

    `omitted` is how many were left out; `note` is why the list may be incomplete or old.
    """

    items: list[dict[str, Any]] = msgspec.field(default_factory=list)
    omitted: int = 0
    note: str = ""


class EditorState(msgspec.Struct):
    """What the editor has reported last."""

    selection: dict[str, Any] | None = None
    """The last one reported; without a path if what the user has selected stays in the editor."""
    folders: list[str] = msgspec.field(default_factory=list)
    diagnostics: dict[str, Diagnostics] = msgspec.field(default_factory=dict)
    """By path: those of the last reports."""
    _open: dict[int, OpenBuffer] = msgspec.field(default_factory=dict)
    """The open files by buffer, the most recently used first."""
    _active: int | None = None

    @handles(SelectionChanged)
    def apply_selection(self, event: SelectionChanged) -> None:
        """Remember a selection."""
        self.selection = event.table

    @handles(EditorsChanged)
    def apply_editors(self, report: EditorsChanged) -> None:
        """Replace what is known of the open files."""
        self._open = {each.bufnr: each for each in report.editors}
        self.folders, self._active = report.folders, report.active

    @property
    def current(self) -> str | None:
        """The path of the file that the user works on."""
        active = self._open.get(self._active or 0)
        return active.name or None if active else None

    @property
    def editors(self) -> list[dict[str, Any]]:
        """The open files as `getOpenEditors` describes them, the most recently used first."""
        return [*map(self._described, self._open.values())]

    @property
    def paths(self) -> list[str]:
        """The paths of the open files, in the same order; unnamed buffers have none."""
        return [each.name for each in self._open.values() if each.name]

    def editor(self, path: str) -> dict[str, Any] | None:
        """Return the open file at this path, or None."""
        found = (self._described(each) for each in self._open.values() if each.name == path)
        return next(found, None)

    def _described(self, buffer: OpenBuffer) -> dict[str, Any]:
        name = buffer.name or f"Untitled-{buffer.bufnr}"
        return {
            "uri": to_uri(name) if buffer.name else f"untitled:{name}",
            "fileName": name,
            "label": name.rpartition("/")[2],
            "languageId": buffer.filetype,
            "isActive": buffer.bufnr == self._active,
            "isPinned": False,
            "isPreview": False,
            "isDirty": buffer.is_modified,
            "isUntitled": not buffer.name,
            "isGroupActive": buffer.is_here,
            "groupIndex": buffer.group,
            "lineCount": buffer.lines,
            **({} if buffer.column is None else {"viewColumn": buffer.column}),
        }


class Events:
    """Passes each event to its handlers, in the order in which they were registered."""

    def __init__(self, state: EditorState) -> None:
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._screens: dict[str, Screen] = {}
        self.register(state)

    def screen(self, event: type[E], screen: Callable[[E], Event | None]) -> None:
        """Have `screen` replace each event of a type, or drop it with None."""
        self._screens[event.EVENT] = screen

    def subscribe(self, event: type[E], subscriber: Callable[[E], object]) -> None:
        """Have `subscriber` called with each event of a type."""
        self._subscribers.setdefault(event.EVENT, []).append(subscriber)

    def delegate(
        self, event: type[E], run: Run, find: Callable[[], Callable[[E], Awaitable[Any] | None]]
    ) -> None:
        """Have the handler called that `find` returns then; `run` runs what it returns."""
        self.subscribe(event, lambda arrived: _begin(find(), run, arrived))

    def register(self, owner: object, run: Run | None = None) -> None:
        """Subscribe the methods of an object that `handles` marks; `run` runs what they return."""
        for event, handler in handlers(owner):
            assert issubclass(event, Event)
            self.subscribe(event, handler if run is None else partial(_begin, handler, run))

    def dispatch(self, name: str, table: dict[str, Any]) -> None:
        """Call all handlers of an event; the failure of one is logged and affects no other.

        An event without its fields, or that the screen fails on, is logged, and nobody gets it.
        """
        subscribers = self._subscribers.get(name, [])
        if not subscribers:
            logger.error("event %s has no handler", name)
            return
        try:
            event: Event | None = decoded(name, table)
            if screen := self._screens.get(name):
                event = screen(event)
        except Exception:
            logger.exception("event %s is lost", name)
            return
        if event is None:
            return
        for subscriber in subscribers:
            try:
                subscriber(event)
            except Exception:
                logger.exception("event %s failed", name)


def _begin(handler: Callable[[E], Awaitable[Any] | None], run: Run, event: E) -> None:
    if (work := handler(event)) is not None:
        run(work)


def decoded(name: str, table: dict[str, Any]) -> Event:
    """Return the event of a name with a table of the editor.

    Raises `KeyError` or `msgspec.ValidationError`.
    """
    declared, kinds = types()[name]
    if issubclass(declared, Whole):
        return declared(table)
    expected = kinds[table[str(declared.__struct_config__.tag_field)]] if kinds else declared
    event: Event = convert(table, expected)
    return event


@cache
def types() -> dict[str, tuple[type[Event], dict[str, type[Event]]]]:
    """Return the type of each event, and its kinds by their tags."""
    return {
        each.EVENT: (
            each,
            {str(kind.__struct_config__.tag): kind for kind in each.__subclasses__()},
        )
        for each in _declared(Event)
    }


def _declared(base: type[Event]) -> Iterator[type[Event]]:
    for each in base.__subclasses__():
        if "EVENT" in vars(each):
            yield each
        else:
            yield from _declared(each)
