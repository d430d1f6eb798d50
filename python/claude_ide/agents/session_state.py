"""The state machine of an agent's session: a state and an event give the next state.

Only the agent's reports cause transitions, never our expectations. The end of a turn always leads
to `IDLE` (or to the next queued prompt), even if events before it were lost. Requests that wait for
the user are no part of the state: they can overlap, and outlive a turn.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Event, PromptStage


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
