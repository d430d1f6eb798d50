"""The session's cost across the ends of the CLI, which stores it only when it ends by itself."""

import signal
from dataclasses import replace

from claude_ide.agents.events import Cleared, Dead, Event, Usage


class Costs:
    """Corrects the reported costs by what killed CLIs had spent and could not store."""

    def __init__(self) -> None:
        self._reported = 0.0
        self._stored: float | None = 0.0
        """The cost with which the running CLI has begun; None if it is unknown."""
        self._lost = 0.0

    def begin(self) -> None:
        """Begin with a new session: the CLI counts from zero, and the agent goes on counting."""
        self._lost += self._reported
        self._reported = self._stored = 0.0

    def resume(self) -> None:
        """Begin with a session from before, whose cost is known only from the first report."""
        self._stored = None

    def correct(self, event: Event) -> Event:
        """Return the event, with the true cost if it has one."""
        match event:
            case Usage(cost=float() | int() as cost):
                if self._stored is None:
                    self._stored = cost
                elif cost < self._stored:
                    # This CLI has another session, which has begun at zero.
                    self._stored = self._lost = 0.0
                self._reported = cost
                return replace(event, cost=cost + self._lost)
            case Dead(code) if code == -signal.SIGKILL:
                self._lost += self._reported - (self._stored or 0.0)
                self._reported = self._stored or 0.0
            case Dead():
                self._stored = self._reported
            case Cleared():
                self._reported = self._stored = self._lost = 0.0
        return event
