"""Restarts a chat's agent in the same session, as soon as the agent is idle."""

import asyncio
from collections.abc import Callable, Sized

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import Dead, Event, Ready, TurnEnded
from claude_ide.agents.session_state import State


class Relaunching:
    """Stops the agent and calls `start`; holds `sending` so that no prompt is sent in between."""

    def __init__(
        self,
        agent: Agent,
        requests: Sized,
        sending: asyncio.Lock,
        started: asyncio.Event,
        start: Callable[[], None],
    ) -> None:
        """Prepare; `requests` wait for the user; `started` is cleared while there is no agent."""
        self._agent = agent
        self._requests = requests
        self._sending = sending
        self._started = started
        self._start = start
        self._due = False
        self._ending = False

    @property
    def is_possible(self) -> bool:
        """Whether there is an agent to restart."""
        return self._agent.state.state not in (State.OFF, State.DEAD)

    def hides(self, event: Event) -> bool:
        """Return whether to hide an event: the end of an agent that is being restarted."""
        return self._ending and isinstance(event, Dead)

    def is_due_after(self, event: Event) -> bool:
        """Return whether a restart is due and the agent may be idle after this event."""
        return self._due and isinstance(event, Ready | TurnEnded)

    def settle(self) -> None:
        """Cancel a due restart: the agent was started for another reason, or the chat is closed."""
        self._due = False

    async def now_or_later(self, agent_task: "asyncio.Task[None] | None") -> None:
        """Restart the agent once it is idle; the task `agent_task` ends with the agent."""
        self._due = True
        await self.if_idle(agent_task)

    async def if_idle(self, agent_task: "asyncio.Task[None] | None") -> None:
        """Restart the agent if a restart is still due, the agent is idle and no request waits."""
        async with self._sending:
            is_idle = self._agent.state.state is State.IDLE and not self._requests
            if not self._due or not is_idle:
                return
            self._started.clear()
            self._ending = True
            try:
                await self._agent.stop()
                if agent_task is not None:
                    await asyncio.wait([agent_task])
            except BaseException:
                self._started.set()
                raise
            finally:
                self._ending = False
            if self._due:
                self._start()
            else:
                self._started.set()
