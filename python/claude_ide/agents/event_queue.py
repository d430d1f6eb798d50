"""The events of an agent that the panel has not read yet."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from claude_ide.agents.events import Dead, Event

SLICE_SECONDS = 0.008
"""How long events are handled before other tasks run."""

MOST_WAITING = 500
"""How many events may wait before no more of the agent's output is read."""


class EventQueue:
    """The events of one agent, for a single reader; the agent may be started several times."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._clock = clock
        self._room = asyncio.Event()
        self._room.set()
        self._is_read = False

    def put(self, event: Event) -> None:
        """Append an event."""
        self._events.put_nowait(event)
        if self._is_read and self._events.qsize() > MOST_WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Wait while too many events wait for the reader; not while there is none.

        What an agent says before its session is open is read only after that.
        """
        await self._room.wait()

    def clear(self) -> None:
        """Forget the events of a start that failed: its `Dead` would end the new ones."""
        while not self._events.empty():
            self._events.get_nowait()
        self._room.set()

    async def until_dead(self) -> AsyncIterator[Event]:
        """Yield every event up to `Dead`; after a restart it is called again.

        Other tasks run in between, however many events there are.
        """
        self._is_read = True
        began = self._clock()
        try:
            while True:
                if self._events.empty():
                    self._room.set()
                elif self._clock() - began > SLICE_SECONDS:
                    await asyncio.sleep(0)
                    began = self._clock()
                event = await self._events.get()
                yield event
                if isinstance(event, Dead):
                    return
        finally:
            self._is_read = False
            self._room.set()
