"""What a panel shows beside the conversation: its bars, the pinned todo list, a suggestion."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.events import Event, TurnEndReason
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.base.errors import UserError
from claude_ide.base.limits import Limit
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.context import Attachment
from claude_ide.chat.life import Life
from claude_ide.chat.settings import efforts
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import Activity
from claude_ide.editor.status_line import CHAT, WARN_FROM, ChatStatus
from claude_ide.ui.page import KEY, META, REQUEST, WARNING, Chunk, Row, drawn, row
from claude_ide.ui.sheet import Painter
from claude_ide.ui.text import counted, elapsed, harmless, money, one_line, rounded

Sides = dict[str, list[Chunk]]
"""`{"left": chunks, "right": chunks}`"""

MODE = "ClaudeChatMode"
FULL = 80
"""The percentage of the context from which it is shown as a warning."""

ACTIVITIES = {
    AgentState.OFF: "off",
    AgentState.STARTING: "starting…",
    AgentState.IDLE: "",
    AgentState.QUEUED: "sent…",
    AgentState.WAITING: "waiting…",
    AgentState.THINKING: "thinking…",
    AgentState.WRITING: "writing…",
    AgentState.TOOL_INPUT: "preparing a tool…",
    AgentState.TOOLS: "using tools…",
    AgentState.RETRYING: "retrying…",
    AgentState.COMPACTING: "compacting…",
    AgentState.STOPPING: "stopping…",
    AgentState.DEAD: "ended",
}

OUTCOMES = {
    TurnEndReason.COMPLETED: "success",
    TurnEndReason.INTERRUPTED: "cancel",
    TurnEndReason.REDIRECTED: "cancel",
}
"""The progress message's status for the end of a turn; all other reasons mean "failed"."""

SPEEDS = {"on": "fast", "true": "fast", "cooldown": "fast paused"}
"""What is shown of fast mode, by the setting's value."""

LONG_SILENCE = 10
"""The seconds without an event from which a silence is shown."""

CHARACTERS_PER_TOKEN = 4
"""An estimate for a piece of an answer, until the agent counts the tokens."""

QUIET = frozenset({AgentState.STARTING, AgentState.TOOLS, AgentState.RETRYING})
"""States in which an agent is expected to be silent."""

LEAVES = (("gx", "leaves it"), ("<C-s>", "sends"))
KEYS = (("<C-s>", "sends"), ("<C-c>", "stops"), ("g?", "keys"))
ANSWERING = (("<C-s>", "answers"), *KEYS[1:])
"""The keys while a request waits."""


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
        shown = [elapsed(seconds)]
        if self.is_silent(state):
            silence = min(int(now - self._heard), seconds)
            silent = f"nothing for {elapsed(silence)}"
            return [silent] if silence == seconds else [*shown, silent]
        tokens = self._sample[1]
        return [*shown, f"↓ {rounded(tokens)} tokens"] if tokens else shown

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
        if not state.busy and state.state is not AgentState.STARTING:
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


class Bar:
    """The session's settings and costs, collected from events; `clock` returns seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.mode = ""
        self._modes: dict[str, str] = {}
        """The names of the modes, by their ids."""
        self._model = self._model_name = ""
        self._models: dict[str, str] = {}
        """The names of the models, by their ids."""
        self._effort = ""
        self._efforts: dict[str, str] = {}
        """The names of the efforts, by their ids."""
        self._fast = ""
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
            case events.SettingsChanged(own):
                speeds = (SPEEDS.get(each.current, "") for each in own if each.id == events.FAST)
                self._fast = next(speeds, "")
            case events.Usage(cost, used, size):
                cost = self._cost if cost is None else cost
                self._cost_before += self._cost if cost < self._cost else 0
                self._cost = cost
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

    def transcript(
        self,
        state: SessionState,
        waiting: int = 0,
        tasks: int = 0,
        *,
        follows: bool = False,
        limits: Sequence[Limit] = (),
    ) -> Sides:
        """Return the bar of the transcript: the activity on its left, the session on its right.

        `waiting` is the number of requests that wait for the user, `tasks` that of the tasks in the
        background. `follows` is whether the agent's files are shown. `limits` are those of the
        user's plan that are nearly used up.
        """
        left = self._activity(state, waiting)
        if waiting:
            asks = f"{counted(waiting, 'request')} waiting"
            left.append((asks, REQUEST))
        if queued := len(state.queued):
            left.append((f"{queued} queued", "ClaudeChatQueued"))
        if tasks:
            left.append((counted(tasks, "task"), "ClaudeChatToolRunning"))
        if self._todos:
            left.append((self._todos, META))
        right = self._session(map(_limit, limits), follows=follows)
        return {"left": _spaced(left), "right": _spaced(right)}

    def work(self, state: SessionState, waiting: int = 0) -> dict[str, Any]:
        """Return the activity, or the end of the last turn, as a progress message."""
        status = "running" if state.busy else self._outcome
        activity = "waiting for your answer" if waiting else ACTIVITIES[state.state]
        return {"text": activity or status, "status": status}

    def activity(self, state: SessionState) -> Activity:
        """Return what the status line shows of the agent."""
        model, percent, cost = self.model or None, self.percent, self.cost or None
        return Activity(is_working=state.busy, model=model, context=percent, cost=cost)

    def seconds_to_change(self, state: SessionState, waiting: int = 0) -> float | None:
        """Return the seconds until the bar changes without an event; None if it does not."""
        if state.state is not AgentState.RETRYING or self._retry is None:
            return self._pace.seconds_to_change(state, waiting)
        remaining = self._retry[1] - self._clock()
        return remaining % 1 or 1.0 if remaining > 0 else None

    def _activity(self, state: SessionState, waiting: int) -> list[Chunk]:
        if state.state is AgentState.RETRYING and self._retry is not None:
            retry, due = self._retry
            most = f"/{retry.most}" if retry.most else ""
            remaining = max(0, -int(-(due - self._clock()) // 1))
            return [(f"retry {retry.attempt}{most} in {remaining} s", WARNING)]
        activity = ACTIVITIES[state.state]
        if words := self._pace.words(state, waiting):
            group = WARNING if self._pace.is_silent(state) else "ClaudeChatToolRunning"
            return [(f"{activity} {' · '.join(words)}", group)]
        group = "ClaudeChatError" if state.state is AgentState.DEAD else "ClaudeChatToolRunning"
        return [(activity, group)] if activity else []

    @property
    def percent(self) -> int | None:
        """How much of the context is used; None if that is unknown."""
        if self._used is None or not self._size:
            return None
        return round(100 * self._used / self._size)

    def _session(self, limits: Iterable[Chunk], *, follows: bool) -> list[Chunk]:
        chunks: list[Chunk] = []
        if self.mode:
            chunks.append((one_line(self.mode_name, 30), MODE))
        if follows:
            chunks.append(("follows", META))
        # A narrow panel leaves out what comes last.
        chunks += limits
        effort = self._efforts.get(self._effort, self._effort)
        if model := " ".join(filter(None, (self.model, effort, self._fast))):
            chunks.append((one_line(model, 40), META))
        if (percent := self.percent) is not None:
            chunks.append((f"{percent}%", WARNING if percent >= FULL else META))
        if self.cost:
            chunks.append((money(self.cost), META))
        return chunks


def _limit(limit: Limit) -> Chunk:
    return (one_line(str(limit), 40), WARNING if limit.is_over(WARN_FROM - 1) else META)


def prompt_bar(chips: Sequence[str], keys: Sequence[tuple[str, str]], edited: str = "") -> Sides:
    """Return the bar of the prompt: `chips` name the context; `keys` have their meanings.

    `edited` is the earlier prompt that the user is editing.
    """
    left = [(f"✎ from before “{one_line(edited, 20)}”", WARNING)] if edited else []
    left += [(f"[{one_line(chip, 60)}]", "ClaudeChatLink") for chip in chips]
    right: list[Chunk] = []
    for key, meaning in keys:
        right += [("  ", ""), (key, KEY), (f" {meaning}", META)]
    return {"left": _spaced(left), "right": right[1:]}


def _spaced(chunks: list[Chunk]) -> list[Chunk]:
    spaced = [part for chunk in chunks for part in (("  ", ""), chunk)]
    return spaced[1:]


class Bars(ChatPart):
    """The bars of one chat and its progress message, as a source of frames."""

    def __init__(self, chat: ChatContext, life: Life, attachment: Attachment) -> None:
        super().__init__(chat)
        self._life = life
        self._attachment = attachment
        self.bar = Bar()
        self._sent: dict[str, Any] | None = None
        self._reported: ChatStatus | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self.painter = chat.bars = Painter(self._panel.update, self)

    def apply(self, event: Event) -> None:
        self.bar.apply(event)
        if isinstance(event, events.LimitsTold):
            self._editor.limits.learn(f"{CHAT}{self._chat.id}", event.limits)
        self.painter.soon()

    def frame(self) -> dict[str, Any] | None:
        look = self._look()
        self._report()
        if look == self._sent:
            return None
        self._sent = look
        return look

    def _report(self) -> None:
        chat, activity = self._chat, self.bar.activity(self._life.state)
        counts = (chat.waiting, chat.tasks, chat.label())
        status = ChatStatus(chat.id, chat.name, activity, *counts)
        if status != self._reported:
            self._reported = status
            self._editor.status.chat_does(status)

    def redraw(self) -> None:
        self._sent = None

    def close(self) -> None:
        self.painter.close()
        self._editor.status.chat_ended(self._chat.id)
        self._stop_ticking()

    def wake(self) -> None:
        """Draw what changes with time."""
        if self._chat.shown and not self._chat.requests and self._transcript.tick():
            self._chat.tick()
        self.painter.soon()

    def _look(self) -> dict[str, Any]:
        chat, state, waiting = self._chat, self._life.state, self._chat.waiting
        self._tick_later(state, waiting)
        keys = LEAVES if chat.edited else ANSWERING if waiting else KEYS
        transcript = self.bar.transcript(
            *(state, waiting, chat.tasks),
            follows=chat.follows,
            limits=self._editor.limits.shown if chat.has("limits") else (),
        )
        chips = self._attachment.chips(self._attachment.now)
        bars = {"transcript": transcript, "prompt": prompt_bar(chips, keys, chat.edited)}
        return {"bars": bars, "work": self.bar.work(state, waiting)}

    def _tick_later(self, state: SessionState, waiting: int) -> None:
        self._stop_ticking()
        seconds = self.bar.seconds_to_change(state, waiting) if self._chat.shown else None
        if seconds is not None:
            self._ticking = asyncio.get_running_loop().call_later(seconds, self.wake)

    def _stop_ticking(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None


MOST_ROWS = 10
LONGEST_TODO = 60
DONE = "completed"


class Todos(ChatPart):
    """Pins the agent's todo list to the transcript until it is done; the user can hide it."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._list = events.TodoList(())
        self._is_hidden = False

    def apply(self, event: Event) -> None:
        before = self._list
        match event:
            case events.TodoList():
                self._list = event
            case events.Cleared() | events.Dead():
                self._list = events.TodoList(())
            case events.TurnEnded() if is_done(self._list):
                self._list = events.TodoList(())
        if self._list is not before and not self._is_hidden:
            self._chat.run(self._pin())

    @handles(panel.TodosToggled)
    async def toggle(self, _: panel.TodosToggled) -> None:
        """Hide the list, or show it again."""
        if not self._list.todos:
            raise UserError("there is no todo list")
        self._is_hidden = not self._is_hidden
        await self._pin()

    async def _pin(self) -> None:
        rows = [] if self._is_hidden else pinned(self._list)
        await self._panel.update({"pinned": drawn(rows)})


def is_done(event: events.TodoList) -> bool:
    """Return whether all items are done."""
    return all(todo.status == DONE for todo in event.todos)


def pinned(event: events.TodoList) -> list[Row]:
    """Return a row for each item.

    A list of more than `MOST_ROWS` items is cut to those around the one in progress.
    """
    todos = event.todos
    if len(todos) <= MOST_ROWS:
        return [_row(todo) for todo in todos]
    first = next((n for n, todo in enumerate(todos) if todo.status != DONE), len(todos))
    begin = max(0, min(first - 1, len(todos) - MOST_ROWS))
    shown = todos[begin : begin + MOST_ROWS]
    done = sum(todo.status == DONE for todo in todos)
    head = _line("", f"{done} of {len(todos)} done", META)
    more = len(todos) - begin - len(shown)
    tail = [_line("", f"… {more} more", META)] if more else []
    return [head, *(_row(todo) for todo in shown), *tail]


def _row(todo: events.Todo) -> Row:
    match todo.status:
        case "completed":
            return _line("✓ ", todo.text, "ClaudeChatTodoDone")
        case "in_progress":
            return _line("▶ ", todo.active or todo.text, "ClaudeChatTodoActive")
    return _line("☐ ", todo.text, "ClaudeChatTodo")


def _line(sign: str, text: str, group: str) -> Row:
    return row((" ", ""), (sign + one_line(text, LONGEST_TODO), group), (" ", ""))


class Suggesting(ChatPart):
    """Shows a suggestion until the conversation goes on."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self._shown = ""

    def apply(self, event: Event) -> None:
        """Show a suggestion, unless the user has sent something else in the meantime."""
        match event:
            case events.PromptSuggested(text) if not self._agent.state.busy:
                self._show(harmless(" ".join(text.split())))
            case events.PromptChanged() | events.Waiting() | events.Cleared() | events.Dead():
                self._show("")

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            self._chat.run(self._panel.suggest(text))
