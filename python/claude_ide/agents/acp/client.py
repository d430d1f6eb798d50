"""An ACP agent: each method of the port becomes a request, a notification, or a prompt."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any

from claude_ide import __version__
from claude_ide.agents.acp import encode
from claude_ide.agents.acp.connection import Connection, EndedError
from claude_ide.agents.acp.decoding import permission, replay
from claude_ide.agents.acp.decoding.settings import SetRequest
from claude_ide.agents.acp.decoding.updates import Decoder
from claude_ide.agents.acp.incoming import Incoming, Params
from claude_ide.agents.acp.launch import Launch
from claude_ide.agents.acp.pending import Pending
from claude_ide.agents.acp.sessions import Opened, Sessions
from claude_ide.agents.acp.turns import Block, End, Turns
from claude_ide.agents.acp.unsupported import Unsupported
from claude_ide.agents.agent import (
    Capabilities,
    ContextUsage,
    Opening,
    ResumeSession,
    SessionSummary,
)
from claude_ide.agents.answer import Answer, Dismiss, Reject
from claude_ide.agents.events import (
    Dead,
    EffortChanged,
    Event,
    Notice,
    Ready,
    Session,
    Stopping,
    TurnEndReason,
    Usage,
)
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.prompt import Prompt
from claude_ide.agents.session_state import SessionState
from claude_ide.agents.traffic import Traffic
from claude_ide.agents.workbench import Workbench
from claude_ide.errors import (
    AgentError,
    LoginNeededError,
    UnsupportedError,
)
from claude_ide.jsonrpc.message import Id
from claude_ide.transport.lines import GRACE_SECONDS

INTERRUPT_SECONDS = 0.5
"""How long a turn may take to end before the agent is stopped."""

INFORMATION = {"name": "claude-ide", "title": "Neovim", "version": __version__}

REASONS = {
    "end_turn": TurnEndReason.COMPLETED,
    "max_tokens": TurnEndReason.ANSWER_TOO_LONG,
    "max_turn_requests": TurnEndReason.TOO_MANY_REQUESTS,
    "refusal": TurnEndReason.REFUSED,
    "cancelled": TurnEndReason.INTERRUPTED,
}


class AcpAgent(Unsupported):
    """Implements `Agent`. It can be restarted after it has ended."""

    def __init__(self, launch: Launch, workbench: Workbench) -> None:
        self._launch = launch
        self._workbench = workbench
        self._traffic = Traffic()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._state = SessionState()
        self._starting = asyncio.Lock()
        self._connection: Connection | None = None
        self._replayed: list[Event] | None = None
        """The events of a session that is being loaded."""
        self._reset()

    def _reset(self) -> None:
        """Forget the session of an agent that has ended."""
        self._session = ""
        self._is_started = False
        """Whether the agent is ready; `history` opens the session before."""
        self._usage = Usage()
        self._decoder = Decoder(str(self._launch.folder))
        self._pending = Pending(self._emit)
        self._turns = Turns(self._run, self._emit)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._launch.name

    @property
    def capabilities(self) -> Capabilities:
        """What the agent has reported that it can do."""
        connection, settings = self._connection, self._decoder.settings
        if connection is None:
            return Capabilities()
        offer = connection.offer
        return Capabilities(
            images=offer.images,
            steer=offer.steers,
            redirect=True,
            withdraw=True,
            resume=offer.loads or offer.resumes,
            fork=offer.forks,
            modes=bool(settings.modes),
            models=bool(settings.models),
            effort=settings.has_effort,
            settings=bool(settings.free),
            context_usage=self._usage.context_size is not None,
        )

    @property
    def state(self) -> SessionState:
        """The session's state."""
        return self._state

    @property
    def session(self) -> str:
        """The session's id."""
        return self._session

    # Start and end.

    async def history(self, session: str) -> list[Event]:
        """Load a session, and return the conversation that the agent repeats meanwhile."""
        opened = await self._connect()
        if not self._running.offer.loads:
            return []
        with self._replaying() as events:
            await self._open(opened.load(session))
        self._report(replay.present(events))
        return [*replay.conversation(events)]

    async def start(self, opening: Opening) -> Ready:
        """Start the agent and open a session, unless `history` has done so."""
        if not self._is_open(opening):
            if self._connection is not None and self._connection.alive:
                raise AgentError(f"{self.name} is already running")
            sessions = await self._connect()
            with self._replaying() as replayed:
                await self._open(sessions.open(opening))
            self._report(replay.present(replayed))
        settings = self._decoder.settings
        ready = Ready(self._decoder.commands, settings.models, settings.modes)
        self._is_started = True
        self._report([Session(self._session), ready, *settings.current()])
        return ready

    async def events(self) -> AsyncIterator[Event]:
        """Yield every event up to `Dead`; call it again after a restart."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Dead):
                return

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the agent; each step (cancel, close, terminate, kill) gets some time."""
        # While the process is being created, there is no handle to end it with.
        async with self._starting:
            connection = self._connection
        if connection is None:
            return
        if self._turns.is_running and connection.alive:
            await self.interrupt()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(INTERRUPT_SECONDS):
                    await self._turns.settled()
        await connection.stop(grace)

    def kill(self) -> None:
        """End the agent without waiting: SIGTERM first, then SIGKILL."""
        if self._connection is not None:
            self._connection.kill()

    async def sessions(self) -> list[SessionSummary]:
        """Start the agent, return the sessions of its folder, and end it."""
        sessions = await self._connect()
        try:
            return await sessions.listed()
        finally:
            await self._running.stop()

    def _is_open(self, opening: Opening) -> bool:
        """Return whether `history` has opened this session already."""
        is_same = isinstance(opening, ResumeSession) and opening.id == self._session
        is_alive = self._connection is not None and self._connection.alive
        return bool(self._session) and not self._is_started and is_same and is_alive

    async def _open(self, opening: Awaitable[Opened]) -> None:
        """Open a session; the agent ends if that fails."""
        try:
            opened = await opening
        except BaseException:
            self.kill()
            raise
        self._session = self._decoder.session = opened.id
        self._decoder.settings.load(opened.answer)

    @contextlib.contextmanager
    def _replaying(self) -> Iterator[list[Event]]:
        """Keep the events of a session that is being opened from the panel."""
        self._replayed = events = list[Event]()
        self._decoder.is_replaying = True
        try:
            yield events
        finally:
            self._replayed = None
            self._decoder.is_replaying = False
            self._decoder.turn_ended()

    async def _connect(self) -> Sessions:
        """Start the agent's process and learn what it can do; return its sessions."""
        launch = self._launch
        async with self._starting:
            environment = launch.environment
            child = await Connection.spawn(launch.command, launch.folder, environment)
            # A start that failed has left events, of which `Dead` would end the new ones.
            while not self._events.empty():
                self._events.get_nowait()
            self._reset()
            self._state = self._state.spawned()
            dialect = Incoming(self._requests(), self._notifications())
            connection = Connection(child, launch.name, dialect, self._traffic, self._ended)
            self._connection = connection
        try:
            await connection.initialize(self._information())
            if launch.method:
                await connection.request("authenticate", {"methodId": launch.method})
        except BaseException:
            connection.kill()
            raise
        return Sessions(connection, launch.name, launch.folder, self._workbench)

    def _information(self) -> dict[str, Any]:
        return {
            "clientCapabilities": {
                "fs": {"readTextFile": False, "writeTextFile": False},
                "terminal": False,
            },
            "clientInfo": INFORMATION,
        }

    def _ended(self, code: int, stderr: str) -> None:
        self._pending.withdraw_all()
        self._emit(Dead(code, stderr, self._session))

    # Prompts.

    async def prompt(self, prompt: Prompt) -> str:
        """Send a prompt after the current turn; return its id."""
        return self._add(prompt)

    async def steer(self, prompt: Prompt) -> str:
        """Raise `UnsupportedError`: the protocol has no way to reach a turn that runs."""
        raise UnsupportedError(f"{self.name} accepts no prompt during a turn")

    async def redirect(self, prompt: Prompt) -> str:
        """End the current turn, and send a prompt then; return its id."""
        id_ = self._add(prompt, next_=True)
        await self._cancel()
        return id_

    async def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that waits for the end of the turn; False if it was too late."""
        return self._turns.withdraw(prompt)

    async def interrupt(self) -> None:
        """End the current turn."""
        self._emit(Stopping())
        await self._cancel()

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer a request, unless it was withdrawn or answered before."""
        self._pending.answer(request, answer)

    async def _cancel(self) -> None:
        self._decoder.tools.is_stopping = True
        await self._running.notify("session/cancel", {"sessionId": self._session})
        self._pending.withdraw_all()

    def _add(self, prompt: Prompt, *, next_: bool = False) -> str:
        assert self._running
        return self._turns.add(encode.blocks(prompt), next_=next_)

    async def _run(self, blocks: list[Block]) -> End | None:
        """Send a prompt and wait for the end of its turn; None if the agent has ended."""
        params = {"sessionId": self._session, "prompt": blocks}
        try:
            result = mapping(await self._running.request("session/prompt", params))
        except EndedError:
            return None
        except LoginNeededError as error:
            self._emit(Notice(str(error), "error", "authentication_failed"))
            return End(TurnEndReason.FAILED)
        except AgentError as error:
            return End(TurnEndReason.FAILED, str(error))
        finally:
            self._pending.withdraw_all()
            self._decoder.turn_ended()
        return End(REASONS.get(text(result.get("stopReason")), TurnEndReason.COMPLETED))

    # Settings.

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode."""
        settings = self._decoder.settings
        await self._set(settings.set_mode(mode), lambda: settings.mode_changed(mode))

    async def set_model(self, model: str) -> None:
        """Set the model."""
        settings = self._decoder.settings
        await self._set(settings.set_model(model), lambda: settings.model_changed(model))

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""
        request = self._decoder.settings.set_effort(effort)
        await self._set(request, lambda: [EffortChanged(effort)])

    async def set_setting(self, setting: str, value: str) -> None:
        """Set one of the agent's own settings."""
        await self._set(self._decoder.settings.set_option(setting, value), lambda: [])

    async def _set(
        self, request: SetRequest | None, changed: Callable[[], Iterable[Event]]
    ) -> None:
        """Change a setting; `changed` gives the events if the agent does not list its settings."""
        if request is None:
            raise UnsupportedError(f"{self.name} has no such setting")
        params = {"sessionId": self._session, **request.params}
        result = mapping(await self._running.request(request.method, params))
        if "configOptions" in result:
            self._report(self._decoder.settings.update(result))
        else:
            self._report(changed())

    async def context_usage(self) -> ContextUsage:
        """Return how full the context was at the agent's last report."""
        return ContextUsage(self._usage.context_used or 0, self._usage.context_size or 0)

    # The agent's messages.

    def _requests(self) -> dict[str, Callable[[Id, Params], Any]]:
        return {"session/request_permission": self._ask_permission}

    def _notifications(self) -> dict[str, Callable[[Params], None]]:
        return {
            "session/update": self._update,
            "$/cancel_request": lambda params: self._pending.withdraw(params.get("requestId")),
        }

    def _update(self, params: Params) -> None:
        session = text(params.get("sessionId"))
        if session and self._session and session != self._session:
            return  # a subagent's, or a confused agent's
        self._report(self._decoder.decode(mapping(params.get("update"))))

    async def _ask_permission(self, id_: Id, params: Params) -> dict[str, Any]:
        tools = self._decoder.tools
        call, events = tools.asked(mapping(params.get("toolCall")))
        self._report(events)
        asked = permission.asked(self._pending.new(), params, call)
        answer = await self._pending.ask(id_, asked)
        if isinstance(answer, Reject | Dismiss):
            tools.rejected.add(call.id)
        return permission.answered(asked.options, answer)

    # Events.

    @property
    def _running(self) -> Connection:
        if self._connection is None:
            raise AgentError(f"{self.name} is not running")
        return self._connection

    def _report(self, events: Iterable[Event]) -> None:
        for event in events:
            self._emit(event)

    def _emit(self, event: Event) -> None:
        if self._replayed is not None and not isinstance(event, Dead):
            self._replayed.append(event)
            return
        if isinstance(event, Usage):
            self._usage = event
        self._state = self._state.after(event)
        self._events.put_nowait(event)

    def log(self) -> str:
        """Return the recent messages in both directions, as `Traffic.text` formats them."""
        return self._traffic.text()
