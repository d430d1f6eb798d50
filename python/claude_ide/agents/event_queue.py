"""The events of an agent that the panel has not read yet."""

import asyncio
from collections.abc import AsyncIterator

from claude_ide.agents.events import Dead, Event


class EventQueue:
    """The events of one agent, for a single reader; the agent may be started several times."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[Event] = asyncio.Queue()

    def put(self, event: Event) -> None:
        """Append an event."""
        self._events.put_nowait(event)

    def clear(self) -> None:
        """Forget the events of a start that failed: its `Dead` would end the new ones."""
        while not self._events.empty():
            self._events.get_nowait()

    async def until_dead(self) -> AsyncIterator[Event]:
        """Yield every event up to `Dead`; after a restart it is called again."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Dead):
                return
