"""The agent of one chat: started, restarted in its session, replaced, ended."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sized
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Agent, NewSession, Opening, ResumeSession
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.session_state import SessionState, State
from claude_ide.chat import abilities, offering
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.patience import Patience
from claude_ide.chat.relaunching import Relaunching
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.errors import AgentError, LoginNeededError, UnknownSessionError, UserError

logger = logging.getLogger(__name__)

ENDED = "the agent has ended; R in the transcript restarts it"

Run = Callable[[Awaitable[Any]], "asyncio.Task[None]"]
"""Starts a task, and shows its errors to the user in one line."""


class Running:
    """Starts an agent, and hands its events over until it ends.

    `admit` returns when the agent may start. `prepare` is called before each start, and `begin`
    after it; `handle` is called with each event, and `changed` when the agent's state has changed
    without one.
    """

    def __init__(
        self,
        agent: Agent,
        transcript: Transcript,
        painter: Painter,
        requests: Sized,
        run: Run,
        *,
        admit: Callable[[], Awaitable[None]],
        prepare: Callable[[Opening], Awaitable[None]],
        begin: Callable[[], Awaitable[None]],
        handle: Callable[[Event], None],
        changed: Callable[[], None],
    ) -> None:
        self._agent = agent
        self._transcript = transcript
        self._run = run
        self._admit = admit
        self._prepare = prepare
        self._begin = begin
        self._handle = handle
        self._changed = changed
        self.ready: Ready | None = None
        """The offer of the agent; None while there is no agent."""
        self.lock = asyncio.Lock()
        """Held while a prompt is sent, and while the agent is replaced."""
        self._opening: Opening = NewSession()
        self._becoming = ""
        """The session that an empty chat is about to resume."""
        self._started = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_aborting = False
        self._is_closed = False
        self._patience = Patience(transcript.sheet, agent.name, painter.now)
        self._relaunching = Relaunching(
            *(agent, requests, self.lock, self._started, self._start_again)
        )

    @property
    def state(self) -> SessionState:
        """The agent's state; STARTING or DEAD while there is no agent."""
        if not self._started.is_set():
            return SessionState(State.STARTING)
        return self._agent.state if self.ready is not None else SessionState(State.DEAD)

    @property
    def accepts(self) -> bool:
        """Whether there is an agent that accepts prompts."""
        is_there = self._started.is_set() and self.ready is not None
        return is_there and self._agent.state.state is not State.DEAD

    @property
    def is_late(self) -> bool:
        """Whether the agent should have answered its start by now."""
        return self._patience.is_over

    async def offer(self, feature: str = "") -> Ready:
        """Wait until the agent has started, and return its commands, models and modes.

        Raises `UserError` if it has ended or lacks the feature.
        """
        while not self._started.is_set():
            # It may be restarted before this task runs again.
            await self._started.wait()
        if not self.accepts:
            raise UserError(ENDED)
        abilities.require(self._agent, feature)
        assert self.ready is not None
        return self.ready

    # Start and end.

    def start(self, opening: Opening) -> None:
        """Start the agent."""
        self._opening = opening
        self._relaunching.settle()
        self._started.clear()
        self.ready = None
        self._patience.end()
        self._changed()
        self._task = self._run(self._run_agent(opening))

    async def close(self) -> None:
        """End the agent for good."""
        self._is_closed = True
        self._relaunching.settle()
        self._patience.end()
        if self._task is not None:
            self._task.cancel()
        await self._agent.stop()

    async def give_up(self) -> None:
        """End an agent that does not answer its start."""
        if await self._abort():
            self._started.set()
            self._fail(f"{self._agent.name} did not answer and was stopped · R retries")

    async def restart(self) -> None:
        """Restart an agent that has ended or does not answer, in its session."""
        if self.is_late:
            if await self._abort():
                self.start(self._opening)
        elif self.state.state is State.DEAD:
            self._start_again()

    async def become(self, session: str) -> None:
        """Resume a stored session in a chat that is empty."""
        self._becoming = session
        if self.is_relaunchable:
            await self.relaunch()
        else:
            self._start_again()

    @property
    def is_relaunchable(self) -> bool:
        """Whether there is an agent to restart."""
        return self._relaunching.is_possible

    async def relaunch(self) -> None:
        """Restart the agent once it is idle."""
        await self._relaunching.now_or_later(self._task)

    async def reopen(self, opening: Opening, ended: Callable[[], None]) -> None:
        """End the agent, call `ended`, and open another session; the caller holds `lock`.

        Raises `UserError` if that fails; the agent then returns to its session.
        """
        await self._started.wait()
        session, previous = self._agent.session, self._opening
        if not await self._relaunching.end(self._task):
            self._started.set()
            raise UserError("not sent: the chat was closed")
        ended()
        self.start(opening)
        await self._started.wait()
        if self.ready is None:
            if self._task is not None and not self._task.cancelling():
                self.start(ResumeSession(session) if session else previous)
            raise UserError("the conversation cannot continue from there, and is unchanged")

    # Events.

    def hides(self, event: Event) -> bool:
        """Return whether to hide an event: the end of an agent that is being replaced."""
        return self._relaunching.hides(event)

    def follow(self, event: Event) -> None:
        """Follow the agent's offer; restart it if that is due and this event leaves it idle."""
        if self.ready is not None:
            self.ready = offering.updated(self.ready, event)
        if self._relaunching.is_due_after(event):
            self._run(self._relaunching.if_idle(self._task))

    async def _run_agent(self, opening: Opening) -> None:
        try:
            await self._admit()
            self._patience.begin()
            await self._prepare(opening)
            self.ready = await self._agent.start(opening)
            await self._begin()
        except UnknownSessionError as error:
            self._opening = NewSession()
            return self._fail(f"{error} · R starts a new one")
        except LoginNeededError as error:
            login = " · L logs in" if abilities.has(self._agent, "login") else ""
            return self._fail(f"{error}{login} · R retries")
        except AgentError as error:
            return self._fail(f"{error} · R retries")
        except Exception:
            logger.exception("an agent could not be started")
            self._agent.kill()
            name = self._agent.name
            return self._fail(f"{name} could not be started; see :ClaudeLog · R retries")
        finally:
            self._patience.end()
            if not self._is_aborting:
                self._started.set()
        async for event in self._agent.events():
            try:
                self._handle(event)
            except Exception:
                # The events after it may still be valid.
                logger.exception("an event could not be handled: %s", type(event).__name__)

    async def _abort(self) -> bool:
        """End an agent that is starting; return whether the chat is still open then."""
        self._is_aborting = True
        try:
            if self._task is not None:
                self._task.cancel()
                await asyncio.wait([self._task])
            await self._agent.stop()
        finally:
            self._is_aborting = False
        return not self._is_closed

    def _fail(self, reason: str) -> None:
        """Show why the agent could not be started."""
        self.ready = None
        self._transcript.apply(events.Notice(reason, "error"))
        self._changed()

    def _start_again(self) -> None:
        if self._becoming:
            self._becoming, becoming = "", self._becoming
            return self.start(ResumeSession(becoming))
        session = self._agent.session
        if session and self._transcript.prompts and abilities.has(self._agent, "resume"):
            self.start(ResumeSession(session))
        else:
            # A fork has no session id before its first turn.
            is_fork = isinstance(self._opening, ResumeSession) and not session
            self.start(self._opening if is_fork else NewSession(session))
