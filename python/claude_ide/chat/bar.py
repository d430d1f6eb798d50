"""The bars above both windows: the session's state, as chunks for `chat/panel.lua` (`bar`)."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat.offering import efforts
from claude_ide.chat.pace import Pace
from claude_ide.chat.page import amounts
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk

Sides = dict[str, list[Chunk]]
"""`{"left": chunks, "right": chunks}`"""

META, MODE, WARNING = "ClaudeChatMeta", "ClaudeChatMode", "ClaudeChatWarning"
FULL = 80
"""The percentage of the context from which it is shown as a warning."""

ACTIVITIES = {
    State.OFF: "off",
    State.STARTING: "starting…",
    State.IDLE: "",
    State.QUEUED: "sent…",
    State.WAITING: "waiting…",
    State.THINKING: "thinking…",
    State.WRITING: "writing…",
    State.TOOL_INPUT: "preparing a tool…",
    State.TOOLS: "using tools…",
    State.RETRYING: "retrying…",
    State.COMPACTING: "compacting…",
    State.STOPPING: "stopping…",
    State.DEAD: "ended",
}

OUTCOMES = {
    TurnEndReason.COMPLETED: "success",
    TurnEndReason.INTERRUPTED: "cancel",
    TurnEndReason.REDIRECTED: "cancel",
}
"""The progress message's status for the end of a turn; all other reasons mean "failed"."""


class Bar:
    """The session's settings and costs, collected from events; `clock` returns seconds.

    `is_following` tells whether the agent's files are shown.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        is_following: Callable[[], bool] = lambda: False,
    ) -> None:
        self._clock = clock
        self._is_following = is_following
        self.mode = ""
        self._modes: dict[str, str] = {}
        """The names of the modes, by their ids."""
        self._model = self._model_name = ""
        self._models: dict[str, str] = {}
        """The names of the models, by their ids."""
        self._effort = ""
        self._efforts: dict[str, str] = {}
        """The names of the efforts, by their ids."""
        self._cost = 0.0
        self._cost_before = 0.0
        """The cost of the agent's earlier runs: a restarted agent counts from zero."""
        self._used: int | None = None
        self._size: int | None = None
        self._retry: tuple[events.Retry, float] | None = None
        self._outcome = "success"
        self._todos = ""
        self._pace = Pace(clock=clock)

    def apply(self, event: Event) -> None:
        """Apply an event; most have no effect."""
        self._pace.apply(event)
        match event:
            case events.Ready() | events.OfferChanged():
                self._modes = {mode.id: mode.name for mode in event.modes}
                self._models = {model.id: model.name for model in event.models}
                self._efforts = efforts(event)
            case events.ModeChanged(mode):
                self.mode = mode
            case events.ModelChanged(model, name):
                self._model, self._model_name = model, name
            case events.EffortChanged(effort):
                self._effort = effort
            case events.Usage(cost, used, size):
                self._spend(self._cost if cost is None else cost)
                self._used = self._used if used is None else used
                self._size = self._size if size is None else size
            case events.Cleared():
                self._used = None
                self._todos = ""
            case events.Compacted(_, after):
                self._used = after
            case events.Retry():
                self._retry = (event, self._clock() + event.seconds)
            case events.TodoList(todos):
                done = sum(todo.status == "completed" for todo in todos)
                self._todos = f"{done}/{len(todos)} todos" if done < len(todos) else ""
            case events.TurnEnded(why):
                self._outcome = OUTCOMES.get(why, "failed")
            case events.Dead():
                self._outcome = "failed"
                self._todos = ""

    @property
    def mode_name(self) -> str:
        """The name of the permission mode."""
        return self._modes.get(self.mode, self.mode)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model_name or self._models.get(self._model) or self._model

    @property
    def cost(self) -> float:
        """The session's cost in dollars, as far as it is known."""
        return self._cost_before + self._cost

    def transcript(self, state: SessionState, waiting: int = 0, tasks: int = 0) -> Sides:
        """Return the bar of the transcript: the activity on its left, the session on its right.

        `waiting` is the number of requests that wait for the user, `tasks` that of the tasks in the
        background.
        """
        left = self._activity(state, waiting)
        if waiting:
            asks = f"{amounts.count(waiting, 'request')} waiting"
            left.append((asks, "ClaudeChatRequest"))
        if queued := len(state.queued):
            left.append((f"{queued} queued", "ClaudeChatQueued"))
        if tasks:
            left.append((amounts.count(tasks, "task"), "ClaudeChatToolRunning"))
        if self._todos:
            left.append((self._todos, META))
        return {"left": _spaced(left), "right": _spaced(self._session())}

    def work(self, state: SessionState, waiting: int = 0) -> dict[str, Any]:
        """Return the activity, or the end of the last turn, as a progress message.

        With it come the figures for the status line, as far as they are known.
        """
        status = "running" if state.busy else self._outcome
        activity = "waiting for your answer" if waiting else ACTIVITIES[state.state]
        return {"text": activity or status, "status": status, **self._figures()}

    def seconds_to_change(self, state: SessionState, waiting: int = 0) -> float | None:
        """Return the seconds until the bar changes without an event; None if it does not."""
        if state.state is not State.RETRYING or self._retry is None:
            return self._pace.seconds_to_change(state, waiting)
        remaining = self._retry[1] - self._clock()
        return remaining % 1 or 1.0 if remaining > 0 else None

    def _spend(self, cost: float) -> None:
        if cost < self._cost:
            self._cost_before += self._cost
        self._cost = cost

    def _activity(self, state: SessionState, waiting: int) -> list[Chunk]:
        if state.state is State.RETRYING and self._retry is not None:
            retry, due = self._retry
            most = f"/{retry.most}" if retry.most else ""
            remaining = max(0, -int(-(due - self._clock()) // 1))
            return [(f"retry {retry.attempt}{most} in {remaining} s", WARNING)]
        activity = ACTIVITIES[state.state]
        if words := self._pace.words(state, waiting):
            group = WARNING if self._pace.is_silent(state) else "ClaudeChatToolRunning"
            return [(f"{activity} {' · '.join(words)}", group)]
        group = "ClaudeChatError" if state.state is State.DEAD else "ClaudeChatToolRunning"
        return [(activity, group)] if activity else []

    @property
    def _percent(self) -> int | None:
        """How much of the context is used; None if that is unknown."""
        if self._used is None or not self._size:
            return None
        return round(100 * self._used / self._size)

    def _figures(self) -> dict[str, Any]:
        figures = {"model": self.model, "context": self._percent, "cost": self.cost}
        return {name: value for name, value in figures.items() if value not in (None, "", 0.0)}

    def _session(self) -> list[Chunk]:
        chunks: list[Chunk] = []
        if self.mode:
            chunks.append((one_line(self.mode_name, 30), MODE))
        if self._is_following():
            chunks.append(("follows", META))
        effort = self._efforts.get(self._effort, self._effort)
        if model := " ".join(filter(None, (self.model, effort))):
            chunks.append((one_line(model, 40), META))
        if (percent := self._percent) is not None:
            chunks.append((f"{percent}%", WARNING if percent >= FULL else META))
        if self.cost:
            chunks.append((amounts.money(self.cost), META))
        return chunks


def prompt(chips: Sequence[str], keys: Sequence[tuple[str, str]], edited: str = "") -> Sides:
    """Return the bar of the prompt: `chips` name the context; `keys` have their meanings.

    `edited` is the earlier prompt that the user is editing.
    """
    left = [(f"✎ from before “{one_line(edited, 20)}”", WARNING)] if edited else []
    left += [(f"[{one_line(chip, 60)}]", "ClaudeChatLink") for chip in chips]
    right: list[Chunk] = []
    for key, meaning in keys:
        right += [("  ", ""), (key, "ClaudeChatKey"), (f" {meaning}", META)]
    return {"left": _spaced(left), "right": right[1:]}


def _spaced(chunks: list[Chunk]) -> list[Chunk]:
    spaced = [part for chunk in chunks for part in (("  ", ""), chunk)]
    return spaced[1:]
