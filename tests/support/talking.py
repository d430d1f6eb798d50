"""A conversation with an agent under test, whatever its protocol."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from claude_ide.agents.agent import NewSession, Opening, Words
from claude_ide.agents.events import Dead, Event, TurnEnded

E = TypeVar("E", bound=Event)
REPLY_SECONDS = 20.0
"""Seconds that any step may take on a busy machine."""


class Talking:
    """A conversation with an agent; its events are kept in `events`."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.events: list[Event] = []
        self._arrived = asyncio.Condition()
        self._listening: asyncio.Task[None] | None = None

    async def start(self, opening: Opening | None = None) -> None:
        """Start the agent, and collect its events."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        async with asyncio.timeout(REPLY_SECONDS):
            await self.agent.start(opening or NewSession())

    async def prompt(self, words: str) -> str:
        """Send a prompt."""
        return str(await self.agent.prompt([Words(words)]))

    async def until(
        self, kind: type[E], matching: Callable[[E], bool] = lambda _event: True, count: int = 1
    ) -> E:
        """Wait for `count` matching events of a kind; return the last of these."""

        def found() -> list[E]:
            return [event for event in self.events if isinstance(event, kind) and matching(event)]

        try:
            async with asyncio.timeout(REPLY_SECONDS), self._arrived:
                await self._arrived.wait_for(lambda: len(found()) >= count)
        except TimeoutError:
            raise AssertionError(f"no {kind.__name__} among {self.events}") from None
        return found()[count - 1]

    async def turn(self, words: str) -> TurnEnded:
        """Send a prompt and wait for the end of its turn."""
        ended = sum(isinstance(event, TurnEnded) for event in self.events)
        await self.prompt(words)
        return await self.until(TurnEnded, count=ended + 1)

    async def end(self) -> Dead:
        """Stop the agent; return its last event."""
        await self.agent.stop()
        return await self.until(Dead, count=1)

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def kinds(self) -> list[type[Event]]:
        """Return the types of the events, in order."""
        return [type(event) for event in self.events]

    async def _listen(self) -> None:
        async for event in self.agent.events():
            async with self._arrived:
                self.events.append(event)
                self._arrived.notify_all()
