"""Calls the user to an agent that waits for them, or that has ended a long turn elsewhere.

The editor reports where the user is (`Looked`); everything else that calls them reports it here.
Each session calls once, until the user comes to one of its windows or answers it.
"""

import asyncio
import contextlib
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from claude_ide.base.errors import EditorError
from claude_ide.config import AttentionConfig
from claude_ide.editor.diffs import Diff, Diffs
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import Gate, Guard, step
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import DiffShown, Looked
from claude_ide.editor.port.windows import CallingPort

CHAT = "chat."

State = Literal["idle", "working", "wants you"]

MOST_SESSIONS = 100
"""Whose turns run; a client can invent some."""

BELL = "\x07"
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
OSC_9, OSC_777 = "\x1b]9;{}\x1b\\", "\x1b]777;notify;Claude;{}\x1b\\"
TERMINALS = {
    "iTerm.app": OSC_9,
    "WezTerm": OSC_777,
    "ghostty": OSC_777,
    "foot": OSC_777,
    "foot-extra": OSC_777,
    "rxvt-unicode-256color": OSC_777,
    "xterm-ghostty": OSC_777,
    "xterm-kitty": OSC_9,
}
"""Those that show notifications, by $TERM_PROGRAM or $TERM."""

BETWEEN = ("TMUX", "STY", "CLAUDE_IDE_OUTER_NVIM", "VIM_TERMINAL")
"""With one of these variables, a program in between would drop the notification.

Neovim sets NVIM for each job, so it passes on the one that it was started with.
"""


def ring(text: str, environment: Mapping[str, str]) -> str:
    """Return what makes the user's terminal notify them: of a text if it can, else by its bell."""
    names = [environment.get(name, "") for name in ("TERM_PROGRAM", "TERM")]
    known = [TERMINALS[name] for name in names if name in TERMINALS]
    if not known or any(environment.get(name) for name in BETWEEN):
        return BELL
    # Semicolons separate the fields.
    return known[0].format(CONTROLS.sub("?", text).replace(";", ","))


async def _no_label() -> str:
    return ""


class CallingSession(NamedTuple):
    """A conversation with an agent of this name.

    `place` is its window in the words of `Looked`; empty if it has none in this editor. `label`
    returns what tells it from others, or nothing.
    """

    place: str
    agent: str
    label: Callable[[], Awaitable[str]] = _no_label

    @property
    def key(self) -> str:
        """What identifies it."""
        return self.place or self.agent


class Call:
    """A request that waits for the user; `places` are the windows in which they can answer it."""

    def __init__(
        self, attention: "Attention", session: CallingSession, words: str, places: set[str]
    ) -> None:
        self._attention = attention
        self.session, self.words, self.places = session, words, places
        self.is_held = False
        """Whether a window for it will open: it is on no screen before."""
        self.is_floating = False
        """Whether it is on the screen wherever the user is."""
        self.is_over = False
        self.timer: asyncio.TimerHandle | None = None
        self.telling: asyncio.Future[None] | None = None
        """What tells the user of it."""

    def opens(self, place: str) -> None:
        """Know that it will be in a window, too, which opens when this does not interrupt."""
        self.places.add(place)
        self.is_held = True
        self.see()

    def appears(self) -> None:
        """Know that the user can answer it now."""
        if self.is_held and not self.is_over:
            self._attention.appeared(self)

    def see(self) -> None:
        """Know that the user has seen it: it calls no more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def end(self, *, is_answered: bool = True) -> None:
        """Know that it waits no more."""
        if not self.is_over:
            self.is_over = True
            self.see()
            if self.telling is not None:
                self.telling.cancel()
            self._attention.ended_call(self, is_answered=is_answered)


class Attention:
    """Decides when the user is called.

    `config` is None if they never are; what ends a turn is said anyway.
    """

    def __init__(self, port: Port, diffs: Diffs, config: AttentionConfig | None) -> None:
        self._port = port
        self._config = config
        self._looked = Looked()
        self._calls: list[Call] = []
        self._called: set[str] = set()
        """The sessions that have called, by their keys."""
        self._begun: dict[str, float] = {}
        """When the turns of the sessions have begun."""
        self._states: dict[str, State] = {}
        """What the sessions in terminals do, by their places; others are idle."""
        self._telling: set[asyncio.Future[None]] = set()
        diffs.subscribe(self._diff_opened)

    # Turns.

    def prompted(self, session: CallingSession) -> None:
        """Know that the user has sent a prompt."""
        self._begun.pop(session.key, None)
        self._called.discard(session.key)
        self.works(session)

    def works(self, session: CallingSession) -> None:
        """Know that a session works: its turn has begun, unless it had."""
        self._begun.setdefault(session.key, _now())
        while len(self._begun) > MOST_SESSIONS:
            del self._begun[next(iter(self._begun))]
        self._show_state(session)

    def turn_ended(
        self, session: CallingSession, how: str, *, is_told: bool, calls: bool = True
    ) -> None:
        """Know how a turn has ended, in words.

        They are told if `is_told`, and in any case if the turn was long and the user is elsewhere,
        unless it never `calls`.
        """
        begun = self._begun.pop(session.key, None)
        self._show_state(session)
        is_due = calls and begun is not None and self._is_due(session, _now() - begun)
        if is_due:
            self._called.add(session.key)
        if is_due or is_told:
            self._tell(session, f": {how}", rings=is_due)

    def _is_due(self, session: CallingSession, seconds: float) -> bool:
        if self._config is None or session.key in self._called:
            return False
        return seconds > self._config.seconds and not self._is_at({session.place})

    # Requests.

    def asked(
        self,
        session: CallingSession,
        what: str,
        *places: str,
        is_held: bool = False,
        is_floating: bool = False,
    ) -> Call:
        """Know that a request waits, until its `Call` ends; `what` is it in words."""
        call = Call(self, session, what, {session.place, *places} - {""})
        call.is_held, call.is_floating = is_held, is_floating
        self._calls.append(call)
        self._show_state(session)
        if not self._looked.is_focused:
            self._call(call)
        elif not is_held:
            self.appeared(call)
        return call

    def came(self, session: CallingSession) -> None:
        """Know that the user has come to a session otherwise than by going to its window."""
        self._called.discard(session.key)
        for call in self._calls:
            if call.session.key == session.key:
                call.see()

    def ended_call(self, call: Call, *, is_answered: bool) -> None:
        """Forget a call."""
        self._calls.remove(call)
        self._show_state(call.session)
        if is_answered:
            self._called.discard(call.session.key)

    def appeared(self, call: Call, *, is_shown: bool = False) -> None:
        """Know that the user can answer a request now; whether it `is_shown` may not be known."""
        call.is_held = False
        is_shown = is_shown or call.is_floating or not call.places
        if not (is_shown or call.places & {*self._looked.shown}):
            self._call(call)
        elif self._config is not None:
            self._wait(call, self._config.seconds)

    def _wait(self, call: Call, seconds: float) -> None:
        call.see()
        loop = asyncio.get_running_loop()
        call.timer = loop.call_later(seconds, lambda: self._start(self._call_if_idle(call)))

    async def _call_if_idle(self, call: Call) -> None:
        """Call the user, unless they are in its window and type there: then look again later."""
        assert self._config is not None
        if self._is_at(call.places):
            rest = self._config.seconds - await self._port.calling.idle()
            if rest > 0:
                if not call.is_over:
                    self._wait(call, rest)
                return
        self._call(call)

    def _call(self, call: Call) -> None:
        call.see()
        key = call.session.key
        if self._config is None or call.is_over or key in self._called:
            return
        self._called.add(key)
        self._tell(call.session, f" asks: {call.words}", rings=True, call=call)

    def _show_state(self, session: CallingSession) -> None:
        """Tell the editor what the session in a terminal does, if that is new."""
        if not session.place or session.place.startswith(CHAT):
            return
        waits = any(call.session.key == session.key for call in self._calls)
        works = session.key in self._begun
        state: State = "wants you" if waits else "working" if works else "idle"
        if self._states.pop(session.place, "idle") != state:
            self._port.terminals.set_state(session.place, state)
        if state != "idle":
            self._states[session.place] = state

    # Where the user is.

    @handles(Looked)
    def look(self, looked: Looked) -> None:
        """Follow the user."""
        before, self._looked = self._looked, looked
        if looked.is_focused:
            self._called.discard(looked.here)
        for call in [*self._calls]:
            was_at = before.is_focused and before.here in call.places
            if call.is_held and looked.is_focused:
                if call.places & {*looked.shown} - {call.session.place}:
                    self.appeared(call)
            elif self._is_at(call.places) and not was_at:
                self.came(call.session)
            elif before.is_focused and not looked.is_focused and not was_at and call.timer:
                self._call(call)

    @handles(DiffShown)
    def _diff_shown(self, shown: DiffShown) -> None:
        for call in [*self._calls]:
            if call.is_held and diff_place(shown.id) in call.places:
                self.appeared(call, is_shown=shown.is_here)

    def _diff_opened(self, diff: Diff) -> None:
        if diff.caller is not None:
            what = f"edit of {Path(diff.path).name}"
            call = self.asked(diff.caller, what, diff_place(diff.id), is_held=True)
            diff.decision.add_done_callback(lambda _: call.end(is_answered=diff.decided))

    def _is_at(self, places: set[str]) -> bool:
        return self._looked.is_focused and self._looked.here in places - {""}

    # Words.

    def _tell(
        self, session: CallingSession, words: str, *, rings: bool, call: Call | None = None
    ) -> None:
        async def tell() -> None:
            label = await session.label()
            text = f"{session.agent} ({label}){words}" if label else session.agent + words
            has_bell = rings and self._config is not None and self._config.bell
            sound = ring(text, os.environ) if has_bell else ""
            # What is answered before it can be shown is not shown.
            with contextlib.suppress(EditorError):
                steps = [step(CallingPort.call, text, sound)]
                await self._port.batch(steps, Guard(Gate.NOTIFIABLE))

        task = self._start(tell())
        if call is not None:
            call.telling = task

    def _start(self, work: Awaitable[None]) -> "asyncio.Future[None]":
        task = asyncio.ensure_future(work)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        return task


APPROVAL_PLACE = "claude-plan"
"""The place of a plan."""


def diff_place(diff: int) -> str:
    """Return the place of a proposal's windows."""
    return f"diff.{diff}"


def chat_place(chat: int) -> str:
    """Return the place of a chat's windows."""
    return f"{CHAT}{chat}"


def _now() -> float:
    return asyncio.get_running_loop().time()
