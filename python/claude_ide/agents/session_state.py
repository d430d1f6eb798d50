"""The state machine of an agent's session: a state and an event give the next state.

Only the agent's reports cause transitions, never our expectations. The end of a turn always leads
to `IDLE` (or to the next queued prompt), even if events before it were lost. Requests that wait for
the user are no part of the state: they can overlap, and outlive a turn.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Event, PromptStage


class State(Enum):
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


class Signal(Enum):
    """The meaning of an event for the state."""

    SPAWNED = auto()
    READY = auto()
    QUEUED = auto()
    REQUESTED = auto()
    THINKING = auto()
    WRITING = auto()
    TOOL_INPUT = auto()
    TOOL_CALLED = auto()
    RETRYING = auto()
    COMPACTING = auto()
    COMPACTED = auto()
    STOPPING = auto()
    TURN_ENDED = auto()
    DIED = auto()


BUSY = frozenset(State) - {State.OFF, State.STARTING, State.IDLE, State.DEAD}
"""States in which a turn can be interrupted."""

_WORKING = BUSY - {State.STOPPING}
_ALIVE = frozenset(State) - {State.OFF, State.DEAD}
# A turn can begin without a prompt, for example when a task in the background ends.
_ANSWERING = _WORKING | {State.IDLE}


def _from(states: frozenset[State], target: State) -> Mapping[State, State]:
    return MappingProxyType(dict.fromkeys(states, target))


TRANSITIONS: Mapping[Signal, Mapping[State, State]] = MappingProxyType(
    {
        Signal.SPAWNED: _from(frozenset({State.OFF, State.DEAD}), State.STARTING),
        Signal.READY: _from(frozenset({State.STARTING}), State.IDLE),
        Signal.QUEUED: _from(frozenset({State.IDLE}), State.QUEUED),
        Signal.REQUESTED: _from(_ANSWERING, State.WAITING),
        Signal.THINKING: _from(_ANSWERING, State.THINKING),
        Signal.WRITING: _from(_ANSWERING, State.WRITING),
        Signal.TOOL_INPUT: _from(_ANSWERING, State.TOOL_INPUT),
        Signal.TOOL_CALLED: _from(_ANSWERING, State.TOOLS),
        Signal.RETRYING: _from(_ANSWERING, State.RETRYING),
        Signal.COMPACTING: _from(_ANSWERING, State.COMPACTING),
        Signal.COMPACTED: _from(frozenset({State.COMPACTING}), State.WAITING),
        Signal.STOPPING: _from(_WORKING, State.STOPPING),
        Signal.TURN_ENDED: _from(_ALIVE, State.IDLE),
        Signal.DIED: _from(frozenset(State), State.DEAD),
    }
)
"""The next state for each signal; a state that is not listed does not change."""

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


def after(state: State, signal: Signal) -> State:
    """Return the state that follows a signal."""
    return TRANSITIONS[signal].get(state, state)


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

    state: State = State.OFF
    queued: tuple[str, ...] = ()

    @property
    def busy(self) -> bool:
        """Whether there is a turn to interrupt."""
        return self.state in BUSY

    def spawned(self) -> "SessionState":
        """Return the state after the agent was started."""
        return SessionState(after(self.state, Signal.SPAWNED))

    def after(self, event: Event) -> "SessionState":
        """Return the state after an event."""
        match event:
            case events.PromptChanged(prompt, stage):
                others = tuple(queued for queued in self.queued if queued != prompt)
                queued = (*others, prompt) if stage is PromptStage.QUEUED else others
                # No turn has begun, so none will end.
                is_over = (
                    self.state is State.QUEUED and not queued and stage is PromptStage.CANCELLED
                )
                state = State.IDLE if is_over else self._next(event)
                return replace(self, state=state, queued=queued)
            case events.TurnEnded():
                # A queued prompt starts without a further report.
                state = State.WAITING if self.queued and self.state in BUSY else self._next(event)
                return replace(self, state=state)
            case events.Dead():
                return SessionState(State.DEAD)
            case _:
                state = self._next(event)
                return self if state is self.state else replace(self, state=state)

    def _next(self, event: Event) -> State:
        signal = signal_of(event)
        return self.state if signal is None else after(self.state, signal)
