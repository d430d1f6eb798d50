"""The text for the status line: what agents do, what waits for the user, and the plan's limits."""

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from claude_ide.base.limits import Limit
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import Activity, StatusReported

WARN_FROM = 90
"""The percentage from which the user is warned."""
SHOW_ABOVE = 75
"""The percentage above which bars and status lines show a limit, unless the user has set it."""
LOOK_SECONDS = 60
"""How late the end of a window may be noticed after the computer has slept."""
MOST_SOURCES = 50
ROUNDING_SECONDS = 60

LONGEST_MODEL = 30
"""Characters."""

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
CHAT = "chat."


class Limits:
    """What is known of the plan's limits, whichever agent has told it, and when each resets.

    Idle agents repeat old reports, so one counts only if its source has not told the same before.
    """

    def __init__(self, port: Port, show_above: float = SHOW_ABOVE) -> None:
        self._port = port
        self._show_above = show_above
        self._known: dict[str, Limit] = {}
        self._told: dict[str, dict[str, Limit]] = {}
        """By source: what it has told last."""
        self._warned: dict[str, int | None] = {}
        """By limit: when the window resets about which the user was warned."""
        self._changed: list[Callable[[], object]] = []
        self._looking: asyncio.TimerHandle | None = None

    @property
    def known(self) -> list[Limit]:
        """All limits."""
        return sorted(self._known.values(), key=lambda each: each.order)

    @property
    def shown(self) -> list[Limit]:
        """Those that the user has nearly used up, for bars and status lines."""
        return [each for each in self.known if each.is_over(self._show_above)]

    def subscribe(self, changed: Callable[[], object]) -> None:
        """Call a function after each change."""
        self._changed.append(changed)

    def learn(self, source: str, limits: Iterable[Limit]) -> None:
        """Take over what a source tells, by the id of a terminal's launch, or of a chat."""
        told = self._told.pop(source, {})
        self._told[source] = told
        while len(self._told) > MOST_SOURCES:
            del self._told[next(iter(self._told))]
        changed = [each for each in limits if told.get(each.name) != each]
        told.update({each.name: each for each in changed})
        before = dict(self._known)
        for each in changed:
            known = self._known.get(each.name)
            is_same_window = known is not None and _is_same(known.resets, each.resets)
            if each.used is None and is_same_window:
                continue
            if not _is_over(each):
                self._known[each.name] = each
        self._follow(before)

    def _follow(self, before: dict[str, Limit]) -> None:
        """Pass on what has changed."""
        self._look_later()
        if self._known == before:
            return
        self._port.windows.set_limits([msgspec.to_builtins(each) for each in self.known])
        for changed in self._changed:
            changed()
        for each in self.known:
            self._warn(each)

    def _warn(self, limit: Limit) -> None:
        """Warn about a limit, once in each window."""
        if not limit.is_over(WARN_FROM - 1):
            return
        if limit.name in self._warned and _is_same(self._warned[limit.name], limit.resets):
            return
        self._warned[limit.name] = limit.resets
        until = f" (resets {limit.reset_time()})" if limit.resets else ""
        words = f"{limit.used}% of Claude's {limit.label} limit is used{until}"
        self._port.windows.notify(words, "warn")

    def _look_later(self) -> None:
        """Look again at the next end of a window."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        ends = [each.resets for each in self._known.values() if each.resets is not None]
        if ends:
            wait = min(max(min(ends) - time.time(), 0), LOOK_SECONDS)
            self._looking = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        """Forget the windows that have ended: nothing is known of the next ones."""
        before = dict(self._known)
        self._known = {name: each for name, each in before.items() if not _is_over(each)}
        self._follow(before)


def _is_same(end: int | None, other: int | None) -> bool:
    """Return whether a window ends at both times, which sources round in different ways."""
    if end is None or other is None:
        return end == other
    return abs(end - other) < ROUNDING_SECONDS


def _is_over(limit: Limit) -> bool:
    return limit.resets is not None and limit.resets <= time.time()


class Reviewable(NamedTuple):
    """How much waits for review."""

    files: int = 0
    hunks: int = 0
    remarks: int = 0


class ChatStatus(NamedTuple):
    """What a chat does: the agent's name, and how many requests and background tasks there are.

    `label` tells a chat with requests from other chats of its agent.
    """

    id: int
    name: str
    activity: Activity
    requests: int = 0
    tasks: int = 0
    label: str = ""


class StatusLine:
    """Composes the text, and shows it when it has changed.

    The editor reports what only it knows; `agent_does` has what the CLIs in its terminals do.
    """

    def __init__(self, port: Port, limits: Limits) -> None:
        self._port = port
        self._limits = limits
        limits.subscribe(self._show)
        self._reported = StatusReported()
        self._agents: dict[str, Activity] = {}
        """By the id of a terminal's launch, or of a chat."""
        self._last = ""
        """The one that was active last."""
        self._chats: dict[int, ChatStatus] = {}
        self._askers: Sequence[str] = ()
        self._review = Reviewable()
        self._background = 0
        self._shown: dict[str, Any] = {}
        self._listeners: list[Callable[[], object]] = []

    def subscribe(self, listener: Callable[[], object]) -> None:
        """Call a listener whenever an agent, a review or the editor has reported something."""
        self._listeners.append(listener)

    def waits(self, review: Reviewable) -> None:
        """Report how much waits for review."""
        self._review = review
        self._show()

    def background_waits(self, count: int) -> None:
        """Report how many sessions in the background wait for the user."""
        self._background = count
        self._show()

    def agent_does(self, source: str, activity: Activity | None) -> None:
        """Report what an agent does, or that it has ended."""
        self._follow(source, activity)
        self._show()

    def chat_does(self, chat: ChatStatus) -> None:
        """Report what a chat does."""
        self._chats[chat.id] = chat
        self.agent_does(f"{CHAT}{chat.id}", chat.activity)

    def chat_ended(self, id_: int) -> None:
        """Report that a chat is closed."""
        self._chats.pop(id_, None)
        self.agent_does(f"{CHAT}{id_}", None)

    def requests_wait(self, askers: Sequence[str]) -> None:
        """Report for each request in a terminal what tells its CLI from others, or nothing."""
        self._askers = askers
        self._show()

    @handles(StatusReported)
    def apply(self, reported: StatusReported) -> None:
        """Compose the text again from what the editor reports."""
        self._reported = reported
        self._show()

    def _follow(self, source: str, activity: Activity | None) -> None:
        if activity is None:
            self._agents.pop(source, None)
        elif activity != self._agents.get(source):
            self._agents[source] = activity
            if activity.is_working or activity.model:
                self._last = source

    def _show(self) -> None:
        for listener in self._listeners:
            listener()
        status = self._composed()
        if status != self._shown:
            self._shown = status
            self._port.windows.set_status(status)

    def _composed(self) -> dict[str, Any]:
        """Return the text, the state, and the figures of the agent that was active last.

        In a status line, nothing in the text is evaluated.
        """
        reported, agents, background = self._reported, self._agents.values(), self._background
        has_server = reported.clients is not None
        last = self._agents.get(self._last) or next(iter(agents), Activity())
        last = last if has_server else Activity()
        chats = self._chats.values()
        requests = sum(chat.requests for chat in chats) + len(self._askers)
        tasks = sum(chat.tasks for chat in chats)
        wants_user = bool(reported.diffs or reported.held or requests)
        is_working = any(each.is_working for each in agents)
        state = _state(reported.clients, wants_user, is_working)
        counts = ((reported.held, "!"), (requests, "?"), (tasks, "&"))
        words = [f"{self._who()}: {state}"] if has_server else []
        if state == "idle" and (reported.clients or 0) > 1:
            words.append(f"({reported.clients})")
        words += [f"{count}{mark}" for count, mark in counts if count]
        if has_server and not reported.is_shared:
            words.append("unshared")
        waiting = ", ".join(
            f"{count} {noun}{'' if count == 1 else 's'}"
            for count, noun in zip(self._review, ("file", "hunk", "remark"), strict=True)
            if count
        )
        parts = [
            " ".join(words),
            f"{background} in the background wait{'s' * (background == 1)}" if background else "",
            f"review {waiting}" if waiting else "",
            figures_of(last, self._limits.shown if has_server else ()),
        ]
        figures = {"model": last.model, "context": last.context, "cost": last.cost}
        known = {name: figure for name, figure in figures.items() if figure is not None}
        text = CONTROLS.sub("?", " · ".join(filter(None, parts))).replace("%", "%%")
        return {"state": state, "text": text, **known}

    def _who(self) -> str:
        """Return the agent that works or waits, and what tells those that wait from others.

        Of several agents, that is the name of the plugin.
        """
        chats = [each for each in self._chats.values() if each.requests]
        labels = {each.label for each in chats} | {*self._askers} | {*self._reported.diffs}
        working = [each for each in self._chats.values() if each.activity.is_working]
        names = {each.name for each in chats + working}
        name = names.pop() if len(names) == 1 else "Claude"
        wanting = ", ".join(sorted(filter(None, labels)))
        return f"{name} ({wanting})" if wanting else name


def figures_of(activity: Activity, limits: Sequence[Limit]) -> str:
    """Return the model, the used context, the cost and limits, as far as they are known."""
    parts = [" ".join((activity.model or "").split())[:LONGEST_MODEL]]
    if activity.context is not None:
        parts.append(f"{activity.context}%")
    if cost := activity.cost:
        parts.append(f"${cost:.2f}" if cost >= 0.01 else f"${cost:.4f}")
    parts += map(str, limits)
    return " · ".join(filter(None, parts))


def _state(clients: int | None, wants_user: bool, is_working: bool) -> str:
    """Return the most important of several states."""
    if clients is None:
        return "off"
    if wants_user:
        return "wants you"
    return "working" if is_working else "idle" if clients else "ready"
