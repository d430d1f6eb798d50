"""The pace of a turn: its seconds, the tokens of its answers, and the silence of the agent."""

import time
from collections.abc import Callable

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat.page import amounts

LONG_SILENCE = 10
"""The seconds without an event from which a silence is shown."""

CHARACTERS_PER_TOKEN = 4
"""An estimate for a piece of an answer, until the agent counts the tokens."""

QUIET = frozenset({State.STARTING, State.TOOLS, State.RETRYING})
"""States in which an agent is expected to be silent."""


class Pace:
    """The present turn of one agent; `clock` returns seconds.

    Time in which a request waits for the user does not count.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._heard = 0.0
        self._paused: float | None = None
        self._counted = 0
        """The tokens of the complete answers."""
        self._estimated = 0.0
        """The tokens of the present answer."""
        self._sizes: dict[str, int] = {}
        self._sample = (-1, 0)

    def apply(self, event: Event) -> None:
        """Apply an event of the agent."""
        self._heard = self._clock()
        if isinstance(event, events.TurnEnded | events.Dead | events.Ready):
            self._began = None
        if getattr(event, "parent", ""):
            return
        match event:
            case events.TextDelta(text=text) | events.ThinkingDelta(text=text):
                self._estimated += len(text) / CHARACTERS_PER_TOKEN
            case events.ThinkingTokens(tokens):
                self._estimated = max(self._estimated, tokens)
            case events.ToolInput(tool, size):
                self._estimated += (size - self._sizes.get(tool, 0)) / CHARACTERS_PER_TOKEN
                self._sizes[tool] = size
            case events.Usage(answered=answered) if answered is not None:
                self._counted += answered
                self._estimated = 0.0

    def words(self, state: SessionState, waiting: int) -> list[str]:
        """Return what to show next to the activity, at most one change per second.

        `waiting` is the number of requests that wait for the user.
        """
        if not self._is_running(state, waiting) or self._began is None:
            return []
        now = self._clock()
        seconds = int(now - self._began)
        if seconds < 1:
            return []
        if seconds != self._sample[0]:
            self._sample = (seconds, self._counted + round(self._estimated))
        shown = [amounts.seconds(seconds)]
        if self.is_silent(state):
            silence = min(int(now - self._heard), seconds)
            silent = f"nothing for {amounts.seconds(silence)}"
            return [silent] if silence == seconds else [*shown, silent]
        tokens = self._sample[1]
        return [*shown, f"↓ {amounts.short(tokens)} tokens"] if tokens else shown

    def is_silent(self, state: SessionState) -> bool:
        """Whether the agent should have reported something by now."""
        return state.state not in QUIET and self._clock() - self._heard >= LONG_SILENCE

    def seconds_to_change(self, state: SessionState, waiting: int) -> float | None:
        """Return the seconds until the words change without an event; None if they do not."""
        if not self._is_running(state, waiting) or self._began is None:
            return None
        return 1 - (self._clock() - self._began) % 1

    def _is_running(self, state: SessionState, waiting: int) -> bool:
        """Whether time passes; begin or end the turn if the state says so."""
        if not state.busy and state.state is not State.STARTING:
            self._began = self._paused = None
        elif self._began is None:
            self._begin()
        if waiting and self._began is not None:
            self._paused = self._paused or self._clock()
        elif self._paused is not None and self._began is not None:
            self._began += self._clock() - self._paused
            self._heard, self._paused = self._clock(), None
        return self._began is not None and not waiting

    def _begin(self) -> None:
        self._began = self._heard = self._clock()
        self._paused = None
        self._counted, self._estimated = 0, 0.0
        self._sizes.clear()
        self._sample = (-1, 0)
