"""Passes on the events of the editor (`port/events.py`).

The state is updated before other handlers are called. An event without a handler is logged.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

# These two only for the events that they declare.
from claude_ide.editor.port import chat, questions, review  # noqa: F401
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

        An event without its fields, or that the screen fails on, is logged, and nobody gets it.
        """
        subscribers = self._subscribers.get(name, [])
        if not subscribers:
            logger.error("event %s has no handler", name)
            return
        try:
            event = self._screened(name, decoded(name, table))
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

    def _screened(self, name: str, event: Event) -> Event | None:
        screen = self._screens.get(name)
        return screen(event) if screen else event


def _begin(handler: Callable[[Event], Awaitable[Any] | None], run: Run, event: Event) -> None:
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
