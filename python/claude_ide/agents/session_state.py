"""The events of an agent's session, and its state: a state and an event give the next state.

Only the agent's reports cause transitions, never our expectations. The end of a turn always leads
to `IDLE` (or to the next queued prompt), even if events before it were lost. Requests that wait for
the user are no part of the state: they can overlap, and outlive a turn.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Dead, Event, PromptStage

SLICE_SECONDS = 0.008
"""How long events are handled before other tasks run."""

MOST_WAITING = 500
"""How many events may wait before no more of the agent's output is read."""


class AgentState(Enum):
    """The agent's activity."""

    OFF = "off"
    STARTING = "starting"
    IDLE = "idle"
    QUEUED = "queued"
    WAITING = "waiting"
    THINKING = "thinking"
    WRITING = "writing"
    TOOL_INPUT = "tool input"
    TOOLS = "tools"
    RETRYING = "retrying"
    COMPACTING = "compacting"
    STOPPING = "stopping"
    DEAD = "dead"


BUSY = frozenset(AgentState) - {
    AgentState.OFF,
    AgentState.STARTING,
    AgentState.IDLE,
    AgentState.DEAD,
}
"""States in which a turn can be interrupted."""

_WORKING = BUSY - {AgentState.STOPPING}
# A turn can begin without a prompt, for example when a task in the background ends.
_ANSWERING = _WORKING | {AgentState.IDLE}


class Signal(Enum):
    """The meaning of an event: the states that it changes, and the state that follows."""

    SPAWNED = frozenset({AgentState.OFF, AgentState.DEAD}), AgentState.STARTING
    READY = frozenset({AgentState.STARTING}), AgentState.IDLE
    QUEUED = frozenset({AgentState.IDLE}), AgentState.QUEUED
    REQUESTED = _ANSWERING, AgentState.WAITING
    THINKING = _ANSWERING, AgentState.THINKING
    WRITING = _ANSWERING, AgentState.WRITING
    TOOL_INPUT = _ANSWERING, AgentState.TOOL_INPUT
    TOOL_CALLED = _ANSWERING, AgentState.TOOLS
    RETRYING = _ANSWERING, AgentState.RETRYING
    COMPACTING = _ANSWERING, AgentState.COMPACTING
    COMPACTED = frozenset({AgentState.COMPACTING}), AgentState.WAITING
    STOPPING = _WORKING, AgentState.STOPPING
    TURN_ENDED = frozenset(AgentState) - {AgentState.OFF, AgentState.DEAD}, AgentState.IDLE
    DIED = frozenset(AgentState), AgentState.DEAD

    def after(self, state: AgentState) -> AgentState:
        """Return the state that follows this signal; most signals leave some states as they are."""
        changed, following = self.value
        return following if state in changed else state


_SIGNALS: Mapping[type[Event], Signal] = MappingProxyType(
    {
        events.Ready: Signal.READY,
        events.Waiting: Signal.REQUESTED,
        events.ThinkingDelta: Signal.THINKING,
        events.ThinkingTokens: Signal.THINKING,
        events.TextDelta: Signal.WRITING,
        events.ToolStarted: Signal.TOOL_INPUT,
        events.Retry: Signal.RETRYING,
        events.Compacting: Signal.COMPACTING,
        events.Compacted: Signal.COMPACTED,
        events.Stopping: Signal.STOPPING,
        events.TurnEnded: Signal.TURN_ENDED,
        events.Dead: Signal.DIED,
    }
)


def signal_of(event: Event) -> Signal | None:
    """Return the signal of an event; None if it has none, or comes from a subagent."""
    if getattr(event, "parent", ""):
        return None
    match event:
        case events.ToolInput(arguments=arguments):
            return Signal.TOOL_INPUT if arguments is None else Signal.TOOL_CALLED
        case events.PromptChanged(stage=PromptStage.QUEUED):
            return Signal.QUEUED
        case events.PromptChanged(stage=PromptStage.STARTED):
            return Signal.REQUESTED
        case _:
            return _SIGNALS.get(type(event))


class SessionState(Struct, frozen=True):
    """A session's state, with the ids of the queued prompts."""

    state: AgentState = AgentState.OFF
    queued: tuple[str, ...] = ()

    @property
    def busy(self) -> bool:
        """Whether there is a turn to interrupt."""
        return self.state in BUSY

    def spawned(self) -> "SessionState":
        """Return the state after the agent was started."""
        return SessionState(Signal.SPAWNED.after(self.state))

    def after(self, event: Event) -> "SessionState":
        """Return the state after an event."""
        match event:
            case events.PromptChanged(prompt, stage):
                others = tuple(queued for queued in self.queued if queued != prompt)
                queued = (*others, prompt) if stage is PromptStage.QUEUED else others
                # No turn has begun, so none will end.
                is_over = (
                    self.state is AgentState.QUEUED
                    and not queued
                    and stage is PromptStage.CANCELLED
                )
                state = AgentState.IDLE if is_over else self._next(event)
                return replace(self, state=state, queued=queued)
            case events.TurnEnded():
                # A queued prompt starts without a further report.
                state = (
                    AgentState.WAITING if self.queued and self.state in BUSY else self._next(event)
                )
                return replace(self, state=state)
            case events.Dead():
                return SessionState(AgentState.DEAD)
            case _:
                state = self._next(event)
                return self if state is self.state else replace(self, state=state)

    def _next(self, event: Event) -> AgentState:
        signal = signal_of(event)
        return self.state if signal is None else signal.after(self.state)


class EventQueue:
    """The events of one agent, for a single reader, and its state after all of them.

    The agent may be started several times.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.state = SessionState()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._clock = clock
        self._room = asyncio.Event()
        self._room.set()
        self._is_read = False

    def put(self, event: Event, *, is_late: bool = False) -> None:
        """Append an event; a late one begins no turn, which would not end."""
        after = self.state.after(event)
        if not (is_late and after.busy and not self.state.busy):
            self.state = after
        self._events.put_nowait(event)
        if self._is_read and self._events.qsize() > MOST_WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Wait while too many events wait for the reader; not while there is none.

        What an agent says before its session is open is read only after that.
        """
        await self._room.wait()

    def begin(self) -> None:
        """Know that the agent was started, and forget a start that failed, whose `Dead` ends it."""
        self.state = self.state.spawned()
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
