"""Passes on the events of the editor (`port/events.py`).

The state is updated before other handlers are called. An event without a handler is logged.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial, reduce
from operator import or_
from typing import Any, TypeVar

import msgspec

# These two only for the events that they declare.
from claude_ide.editor.port import chat, questions  # noqa: F401
from claude_ide.editor.port.binding import handlers
from claude_ide.editor.port.conversion import convert
from claude_ide.editor.port.events import Event, Whole
from claude_ide.editor.state import State

logger = logging.getLogger(__name__)

Subscriber = Callable[[Any], object]
Screen = Callable[[Any], Event | None]
Run = Callable[[Awaitable[Any]], object]

E = TypeVar("E", bound=Event)


class Events:
    """Passes each event to its handlers, in the order in which they were registered."""

    def __init__(self, state: State) -> None:
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._screens: dict[str, Screen] = {}
        self.register(state)

    def screen(self, event: type[E], screen: Callable[[E], Event | None]) -> None:
        """Have `screen` replace each event of a type, or drop it with None."""
        self._screens[event.EVENT] = screen

    def subscribe(self, event: type[E], subscriber: Callable[[E], object]) -> None:
        """Have `subscriber` called with each event of a type."""
        self._subscribers.setdefault(event.EVENT, []).append(subscriber)

    def register(self, owner: object, run: Run | None = None) -> None:
        """Subscribe the methods of an object that `handles` marks; `run` runs what they return."""
        for event, handler in handlers(owner):
            assert issubclass(event, Event)
            self.subscribe(event, handler if run is None else partial(_begin, handler, run))

    def dispatch(self, name: str, table: dict[str, Any]) -> None:
        """Call all handlers of an event; the failure of one is logged and affects no other.

        An event that does not have its fields is logged, too, and nobody gets it.
        """
        subscribers = self._subscribers.get(name, [])
        if not subscribers:
            logger.error("event %s has no handler", name)
            return
        try:
            event = decoded(name, table)
            if screen := self._screens.get(name):
                event = screen(event)
        except msgspec.ValidationError as error:
            logger.error("event %s: %s", name, error)
            return
        if event is None:
            return
        for subscriber in subscribers:
            try:
                subscriber(event)
            except Exception:
                logger.exception("event %s failed", name)


def _begin(handler: Callable[[Event], Awaitable[Any] | None], run: Run, event: Event) -> None:
    if (work := handler(event)) is not None:
        run(work)


def decoded(name: str, table: dict[str, Any]) -> Event | None:
    """Return the event of a name with a table of the editor. Raises `msgspec.ValidationError`."""
    expected = types()[name]
    if isinstance(expected, type) and issubclass(expected, Whole):
        return expected(table)
    event: Event = convert(table, expected)
    return event


@cache
def types() -> dict[str, Any]:
    """Return the type of each event: a union if it is of several kinds."""
    found: dict[str, Any] = {}
    for each in _declared(Event):
        kinds = [kind for kind in each.__subclasses__() if "EVENT" not in vars(kind)]
        found[each.EVENT] = reduce(or_, kinds) if kinds else each
    return found


def _declared(base: type[Event]) -> Iterator[type[Event]]:
    for each in base.__subclasses__():
        if "EVENT" in vars(each):
            yield each
        yield from _declared(each)
