"""The events that Lua emits through `lua/claude_ide/channel.lua`.

The state is updated before subscribers are called. An event without a subscriber is logged.
"""

import logging
from collections.abc import Callable
from typing import Any

from claude_ide.editor.state import State

logger = logging.getLogger(__name__)

Subscriber = Callable[[dict[str, Any]], object]
Screen = Callable[[dict[str, Any]], dict[str, Any] | None]


class Events:
    """Passes each event to its subscribers, in the order in which they subscribed."""

    def __init__(self, state: State) -> None:
        self._subscribers: dict[str, list[Subscriber]] = {
            "selection_changed": [state.apply_selection],
            "editors_changed": [state.apply_snapshot],
            "some_editors_changed": [state.apply_change],
            "diagnostics_changed": [state.apply_diagnostics],
        }
        self._screens: dict[str, Screen] = {}

    def screen(self, name: str, screen: Screen) -> None:
        """Have `screen` replace the payload of each event called `name`, or drop it with None."""
        self._screens[name] = screen

    def subscribe(self, name: str, subscriber: Subscriber) -> None:
        """Have `subscriber` called with the payload of each event called `name`."""
        self._subscribers.setdefault(name, []).append(subscriber)

    def dispatch(self, name: str, payload: dict[str, Any]) -> None:
        """Call all subscribers of an event; the failure of one is logged and affects no other."""
        subscribers = self._subscribers.get(name, [])
        if not subscribers:
            logger.error("event %s has no subscriber", name)
        if screen := self._screens.get(name):
            screened = screen(payload)
            if screened is None:
                return
            payload = screened
        for subscriber in subscribers:
            try:
                subscriber(payload)
            except Exception:
                logger.exception("event %s failed", name)
