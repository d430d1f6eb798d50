"""The life of one chat's agent: started, restarted in its session, replaced, given up, ended."""

import asyncio
import logging
import os
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Login, NewSession, Opening, ResumeSession
from claude_ide.agents.events import Dead, Event, Ready, TurnEnded
from claude_ide.agents.session_state import AgentState, SessionState
from claude_ide.base.errors import AgentError, LoginNeededError, UnknownSessionError, UserError
from claude_ide.base.program import required
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.ui.page import KEY, META, WARNING, row
from claude_ide.ui.sheet import Announcement

logger = logging.getLogger(__name__)

LATE_SECONDS = 15.0
"""How long an agent may take to answer before the transcript says so."""

LATE_KIND = "late"
ENDED = "the agent has ended; R in the transcript restarts it"


class Stage(Enum):
    """Where an agent is in its life."""

    OFF = auto()
    STARTING = auto()
    LATE = auto()
    """It should have answered its start by now."""
    RUNNING = auto()
    """It has answered; its own state tells more, also that it has ended by itself."""
    STOPPING = auto()
    """We end it, to start it again or to give it up."""
    FAILED = auto()
    CLOSED = auto()
    """The chat is closed, for good."""


class Move(Enum):
    """What leads from one stage to another."""

    START = auto()
    WAIT = auto()
    """The agent has not answered its start in time."""
    ANSWER = auto()
    FAIL = auto()
    STOP = auto()
    KEEP = auto()
    """It could not be stopped."""
    GIVE_UP = auto()
    CLOSE = auto()


MOVES: dict[Move, tuple[frozenset[Stage], Stage]] = {
    Move.START: (frozenset(Stage) - {Stage.CLOSED}, Stage.STARTING),
    Move.WAIT: (frozenset({Stage.STARTING}), Stage.LATE),
    Move.ANSWER: (frozenset({Stage.STARTING, Stage.LATE}), Stage.RUNNING),
    Move.FAIL: (frozenset({Stage.STARTING, Stage.LATE}), Stage.FAILED),
    Move.STOP: (frozenset(Stage) - {Stage.CLOSED}, Stage.STOPPING),
    Move.KEEP: (frozenset({Stage.STOPPING}), Stage.RUNNING),
    Move.GIVE_UP: (frozenset({Stage.STOPPING}), Stage.FAILED),
    Move.CLOSE: (frozenset(Stage), Stage.CLOSED),
}
"""The stages in which each move is possible, and where it leads; elsewhere it changes nothing."""

SETTLED = (Stage.RUNNING, Stage.FAILED, Stage.CLOSED)
"""The stages in which nobody has to wait for the agent."""


class Life(ChatPart):
    """Starts an agent with the parts of its chat, and gives them its events until it ends."""

    def __init__(self, chat: ChatContext) -> None:
        super().__init__(chat)
        self.stage = Stage.OFF
        self._settled = asyncio.Event()
        self.lock = asyncio.Lock()
        """Held while a prompt is sent, and while the agent is replaced."""
        self._opening: Opening = NewSession()
        self._becoming = ""
        """The session that an empty chat is about to resume."""
        self._is_restart_due = False
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._late_line: Announcement | None = None

    def _go(self, move: Move) -> bool:
        """Make a move; return whether it was possible."""
        possible, stage = MOVES[move]
        is_possible = self.stage in possible
        if is_possible:
            self.stage = stage
        (self._settled.set if self.stage in SETTLED else self._settled.clear)()
        return is_possible

    @property
    def state(self) -> SessionState:
        """The agent's state; STARTING or DEAD while there is no agent."""
        if self.stage is Stage.RUNNING:
            return self._agent.state
        return SessionState(AgentState.DEAD if self.stage in SETTLED else AgentState.STARTING)

    @property
    def accepts(self) -> bool:
        """Whether there is an agent that accepts prompts."""
        return self.stage is Stage.RUNNING and self._agent.state.state is not AgentState.DEAD

    @property
    def is_relaunchable(self) -> bool:
        """Whether there is an agent to restart."""
        return self._agent.state.state not in (AgentState.OFF, AgentState.DEAD)

    async def started(self, feature: str = "") -> None:
        """Wait until the agent has started.

        Raises `UserError` if it has ended or lacks the feature.
        """
        while not self._settled.is_set():
            # It may be restarted before this task runs again.
            await self._settled.wait()
        if not self.accepts:
            raise UserError(ENDED)
        self._chat.require(feature)

    # Start and end.

    def start(self, opening: Opening) -> None:
        """Start the agent, unless the chat is closed."""
        if self._go(Move.START):
            self._opening = opening
            self._is_restart_due = False
            self._expect_answer()
            self._chat.refresh()
            self._task = self._chat.run(self._live(opening))

    async def end(self) -> None:
        """End the agent for good."""
        self._go(Move.CLOSE)
        self._is_restart_due = False
        self._expect_answer()
        if self._task is not None:
            self._task.cancel()
        await self._agent.stop()

    async def give_up(self) -> None:
        """End an agent that does not answer its start."""
        if await self._abort():
            self._go(Move.GIVE_UP)
            self._fail(f"{self._agent.name} did not answer and was stopped · R retries")

    @handles(panel.Restarted)
    async def _restart_wanted(self, _: panel.Restarted) -> None:
        await self.restart()

    async def restart(self) -> None:
        """Restart an agent that has ended or does not answer, in its session."""
        if self.stage is Stage.LATE:
            if await self._abort():
                self.start(self._opening)
        elif self.state.state is AgentState.DEAD:
            self._start_again()

    async def become(self, session: str) -> None:
        """Resume a stored session in a chat that is empty."""
        self._becoming = session
        if self.is_relaunchable:
            await self.relaunch()
        else:
            self._start_again()

    async def relaunch(self) -> None:
        """Restart the agent once it is idle."""
        self._is_restart_due = True
        await self._relaunch_if_idle()

    async def _relaunch_if_idle(self) -> None:
        """Restart the agent if that is still due, the agent is idle and no request waits."""
        # No prompt is sent in between.
        async with self.lock:
            is_idle = self._agent.state.state is AgentState.IDLE and not self._chat.requests
            if self._is_restart_due and is_idle and await self._replace():
                self._start_again()

    async def reopen(self, opening: Opening, ended: Callable[[], None]) -> None:
        """End the agent, call `ended`, and open another session; the caller holds `lock`.

        Raises `UserError` if that fails; the agent then returns to its session.
        """
        await self._settled.wait()
        session, previous = self._agent.session, self._opening
        if not await self._replace():
            raise UserError("not sent: the chat was closed")
        ended()
        self.start(opening)
        await self._settled.wait()
        if self.stage is not Stage.RUNNING:
            self.start(ResumeSession(session) if session else previous)
            raise UserError("the conversation cannot continue from there, and is unchanged")

    async def _replace(self) -> bool:
        """End the agent; return whether to start another one. The caller holds `lock`."""
        self._go(Move.STOP)
        try:
            await self._agent.stop()
            if self._task is not None:
                await asyncio.wait([self._task])
        except BaseException:
            self._go(Move.KEEP)
            raise
        return self.stage is Stage.STOPPING

    async def _abort(self) -> bool:
        """End an agent that is starting; return whether the chat is still open then."""
        self._go(Move.STOP)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._agent.stop()
        return self.stage is Stage.STOPPING

    def _start_again(self) -> None:
        session, becoming, self._becoming = self._agent.session, self._becoming, ""
        has_session = session and self._transcript.prompts and self._chat.has("resume")
        if becoming or has_session:
            self.start(ResumeSession(becoming or session))
        else:
            # A fork has no session id before its first turn.
            is_fork = isinstance(self._opening, ResumeSession) and not session
            self.start(self._opening if is_fork else NewSession(session))

    # Events.

    def apply(self, event: Event) -> None:
        """Restart the agent if that is due and this event leaves it idle."""
        if self._is_restart_due and isinstance(event, Ready | TurnEnded):
            self._chat.run(self._relaunch_if_idle())

    async def _live(self, opening: Opening) -> None:
        """Start the agent, and handle its events until it ends."""
        try:
            for part in self._chat.parts:
                await part.admit()
            self._expect_answer(LATE_SECONDS)
            for part in self._chat.parts:
                await part.prepare(opening)
            ready = await self._agent.start(opening)
            for part in self._chat.parts:
                await part.begin(ready)
        except UnknownSessionError as error:
            self._opening = NewSession()
            return self._fail(f"{error} · R starts a new one")
        except LoginNeededError as error:
            login = " · L logs in" if self._chat.has("login") else ""
            return self._fail(f"{error}{login} · R retries")
        except AgentError as error:
            return self._fail(f"{error} · R retries")
        except Exception:
            logger.exception("an agent could not be started")
            self._agent.kill()
            name = self._agent.name
            return self._fail(f"{name} could not be started; see :ClaudeLog · R retries")
        finally:
            self._expect_answer()
        self._go(Move.ANSWER)
        async for event in self._agent.events():
            # The end of an agent that is being replaced is not shown.
            if not (self.stage is Stage.STOPPING and isinstance(event, Dead)):
                self._chat.apply(event)

    def _fail(self, reason: str) -> None:
        """Show why the agent could not be started."""
        self._go(Move.FAIL)
        self._transcript.apply(events.Notice(reason, "error"))
        self._chat.refresh()

    def _expect_answer(self, seconds: float = 0.0) -> None:
        """Report the agent if it does not answer within these seconds; without any, no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._late_line is not None:
            self._chat.sheet.remove(self._late_line)
            self._late_line = None
        if seconds:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._report_late)

    def _report_late(self) -> None:
        name = self._agent.name
        logger.warning("%s has not answered within %d s of its start", name, LATE_SECONDS)
        line = row(
            (f"{name} has not answered yet", WARNING),
            (" (:ClaudeLog) · ", META),
            ("R", KEY),
            (" restarts it", META),
        )
        self._go(Move.WAIT)
        self._late_line = self._chat.sheet.add(LATE_KIND, lambda part: Announcement(part, [line]))
        self._chat.painter.now()


class Logins(ChatPart):
    """Logs the user in to the agent, in a terminal, and then goes on."""

    def __init__(self, chat: ChatContext, life: Life) -> None:
        super().__init__(chat)
        self._life = life

    @handles(panel.LoginWanted)
    async def log_in(self, _: panel.LoginWanted) -> None:
        """Log in to the agent; the user chooses how if there are several ways."""
        kind = self._chat.kind
        login = await self._chosen(kind.logins(), kind.name)
        if login is None:
            return
        if login.problem:
            raise UserError(login.problem)
        if not login.command:
            kind.choose_login(login.id)
            return await self._go_on()
        request = self._request(login.command, login.environment)
        if login.stays:
            return await self._start(request)
        await self._panel.open_login(request | {"name": kind.name})

    @handles(panel.LoggedIn)
    async def _logged_in(self, event: panel.LoggedIn) -> None:
        await self._go_on(succeeded=event.succeeded)

    async def log_in_to_servers(self) -> None:
        """Log in to MCP servers, in a terminal."""
        await self._start(self._request(self._chat.kind.login_to_servers(), {}))

    async def _go_on(self, *, succeeded: bool = True) -> None:
        """Start an agent again that has waited for the login, or does not know about it yet.

        The program of a login may fail although the user is logged in; only an agent that runs is
        not disturbed then.
        """
        if self._life.state.state is AgentState.DEAD:
            await self._life.restart()
        elif succeeded and self._chat.has("resume") and self._life.is_relaunchable:
            await self._life.relaunch()

    async def _chosen(self, logins: list[Login], name: str) -> Login | None:
        if len(logins) == 1:
            return logins[0]
        chosen = await self._editor.select(f"Log in to {name}:", [each.name for each in logins])
        return None if chosen is None else logins[chosen]

    async def _start(self, request: dict[str, Any]) -> None:
        """Run a command in a terminal as if it were a CLI."""
        path = required(request["cmd"][0], os.environ.get("PATH", ""))
        command = {"cmd": [path, *request["arguments"]], "env": request["environment"]}
        await self._editor.port.terminals.start(request | command)

    def _request(self, command: Any, environment: Any) -> dict[str, Any]:
        program, *arguments = command
        terminal = self._chat.config.terminal
        window = {"side": terminal.side, "size": terminal.size, "keys": terminal.keys}
        request = {"cmd": [program], "arguments": arguments, "environment": dict(environment)}
        return request | window
