"""Another start of a chat's agent in the same session, as soon as the agent rests."""

import asyncio
from collections.abc import Callable

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import Dead, Event, Ready, TurnEnded
from claude_ide.agents.session_state import State


class Relaunching:
    """Ends one agent and calls `start`; `sending` is held, so that no prompt falls in between."""

    def __init__(
        self,
        agent: Agent,
        sending: asyncio.Lock,
        started: asyncio.Event,
        start: Callable[[], None],
    ) -> None:
        """Start nothing yet; `started` is cleared while there is no agent."""
        self._agent = agent
        self._sending = sending
        self._started = started
        self._start = start
        self._due = False
        self._ending = False

    @property
    def is_possible(self) -> bool:
        """Whether there is an agent to start again."""
        return self._agent.state.state not in (State.OFF, State.DEAD)

    def hides(self, event: Event) -> bool:
        """Whether an event is of no interest: an agent that is back in an instant has not died."""
        return self._ending and isinstance(event, Dead)

    def is_due_after(self, event: Event) -> bool:
        """Whether the agent may rest now, and was to be started again then."""
        return self._due and isinstance(event, Ready | TurnEnded)

    def settle(self) -> None:
        """Start nothing again: the agent was started for another reason, or is not wanted."""
        self._due = False

    async def now_or_later(self, living: "asyncio.Task[None] | None") -> None:
        """Start the agent again, once it rests; `living` ends with the agent."""
        self._due = True
        await self.if_at_rest(living)

    async def if_at_rest(self, living: "asyncio.Task[None] | None") -> None:
        """Start the agent again if that is still due, and it rests."""
        async with self._sending:
            state = self._agent.state
            if not self._due or state.asking or state.state is not State.IDLE:
                return
            self._started.clear()
            self._ending = True
            try:
                await self._agent.stop()
                if living is not None:
                    await asyncio.wait([living])
            except BaseException:
                self._started.set()
                raise
            finally:
                self._ending = False
            if self._due:
                self._start()
            else:
                self._started.set()
