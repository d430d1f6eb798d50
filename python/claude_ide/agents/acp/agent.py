"""An agent that speaks ACP: methods of the port become requests, notifications, or prompts."""

import asyncio
import contextlib
import weakref
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from pathlib import Path

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.acp import updates
from claude_ide.agents.acp.connection import AcpConnection, AgentOffer, Params
from claude_ide.agents.acp.launch import (
    AgentEntry,
    AgentLaunch,
    LoginMethods,
    Remembered,
    find,
    full_environment,
    words,
)
from claude_ide.agents.acp.prompting import Prompting
from claude_ide.agents.acp.serving import Serving
from claude_ide.agents.acp.sessions import LOAD, Opened, Sessions
from claude_ide.agents.acp.updates import SetRequest, UpdateDecoder
from claude_ide.agents.agent import (
    AgentKind,
    Capabilities,
    ContextUsage,
    Login,
    Opening,
    Prompt,
    ResumeSession,
    SessionSummary,
)
from claude_ide.agents.base import BaseAgent, start_child
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.requests import Answer
from claude_ide.agents.session_state import EventQueue
from claude_ide.base import program
from claude_ide.base.errors import AgentError, UnsupportedError
from claude_ide.transport.wire import AgentTraffic

INTERRUPT_SECONDS = 0.5
"""How long a turn may take to end before the agent is stopped."""

PROBE_GRACE_SECONDS = 1.0

CLOSE_SECONDS = 0.5
"""How long an agent may take to let go of its session before it is stopped."""


class AcpAgent(BaseAgent[AcpConnection]):
    """Implements `Agent`."""

    def __init__(self, launch: AgentLaunch, services: EditorServices) -> None:
        super().__init__(launch.name, launch.name)
        self._launch = launch
        self._services = services
        self._replayed: list[events.Event] | None = None
        """The events of a session that is being loaded."""
        self._reset()

    def _reset(self) -> None:
        """Forget the session of an agent that has ended."""
        self._session = ""
        self._is_started = False
        """Whether the agent is ready; `history` opens the session before."""
        self._usage = events.Usage()
        self._decoder = UpdateDecoder(str(self._launch.folder))
        self._serving = Serving(self._launch, self._services, self._decoder, self._emit)
        self._talk: Prompting | None = None

    @property
    def name(self) -> str:
        return self._launch.name

    @property
    def folder(self) -> Path:
        """The folder in which the agent runs."""
        return self._launch.folder

    @property
    def capabilities(self) -> Capabilities:
        connection, settings = self._connection, self._decoder.settings
        login = self._launch.logins.exist
        if connection is None:
            return Capabilities(login=login)
        offer = connection.offer
        return Capabilities(
            images=offer.images,
            open_file=True,
            steer=offer.steers,
            redirect=True,
            withdraw=True,
            resume=offer.loads or offer.resumes,
            fork=offer.forks,
            modes=bool(settings.modes),
            models=bool(settings.models),
            effort=bool(settings.efforts),
            settings=bool(settings.free),
            change_proposal=self._serving.files.writes,
            editor_files=self._serving.files.reads,
            login=login,
            logout=offer.logs_out,
            context_usage=self._usage.context_size is not None,
        )

    @property
    def session(self) -> str:
        return self._session

    # Start and end.

    async def history(self, session: str) -> list[events.Event]:
        opened = await self._connect()
        if not self._running.offer.loads:
            return updates.history(self.name, [])
        with self._replaying() as replayed:
            await self._open(opened.opened_by(LOAD, session), replayed)
        self._report(updates.present(replayed))
        return updates.history(self.name, replayed)

    async def start(self, opening: Opening) -> events.Ready:
        if not self._is_open(opening):
            sessions = await self._unopened()
            with self._replaying() as replayed:
                await self._open(sessions.open(opening), replayed)
            self._report(updates.present(replayed))
        settings = self._decoder.settings
        offered = settings.models, settings.modes, settings.efforts
        ready = events.Ready(self._decoder.commands, *offered)
        self._is_started = True
        self._report([events.SessionChanged(self._session), ready, *settings.current()])
        return ready

    async def _leave(self) -> None:
        if self._talk is not None:
            await self._talk.stop(INTERRUPT_SECONDS)
            with contextlib.suppress(TimeoutError, AgentError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._sessions.close(self._session)

    @contextlib.asynccontextmanager
    async def stored(self) -> AsyncIterator[Sessions]:
        """Give access to the folder's sessions; an agent that does not run is started for it."""
        if self.is_open:
            yield self._sessions
            return
        sessions = await self._connect()
        try:
            yield sessions
        finally:
            await self._running.stop()

    @property
    def is_open(self) -> bool:
        """Whether the agent runs and has a session; not if it is being ended."""
        return self._is_alive and self._is_started

    @property
    def _is_alive(self) -> bool:
        return self._connection is not None and self._connection.alive

    def _is_open(self, opening: Opening) -> bool:
        """Return whether `history` has opened this session already."""
        is_same = isinstance(opening, ResumeSession) and opening.id == self._session
        return self._is_alive and not self._is_started and bool(self._session) and is_same

    async def _unopened(self) -> Sessions:
        """Return the sessions of an agent that has not opened any."""
        if self.is_open:
            raise AgentError(f"{self.name} is already running")
        if self._is_alive and not self._session:
            return self._sessions
        await self.stop()
        return await self._connect()

    async def _open(self, opening: Awaitable[Opened], replayed: Sequence[events.Event]) -> None:
        """Open a session; the agent ends if that fails."""
        try:
            opened = await opening
            if opened.is_repeated:
                await updates.settled(replayed)
        except BaseException:
            self.kill()
            raise
        self._session = self._decoder.session = opened.id
        self._decoder.settings.load(opened.answer)

    async def _reopen(self) -> None:
        """Open the session again in an agent that has lost it."""
        with self._replaying():
            await self._sessions.open(ResumeSession(self._session))

    @contextlib.contextmanager
    def _replaying(self) -> Iterator[list[events.Event]]:
        """Keep the events of a session that is being opened from the panel."""
        self._replayed = replayed = list[events.Event]()
        self._decoder.is_replaying = True
        try:
            yield replayed
        finally:
            replayed += self._decoder.turn_ended(events.ToolStatus.COMPLETED)
            self._replayed = None
            self._decoder.is_replaying = False

    async def _connect(self) -> Sessions:
        """Start the agent's process and learn what it can do; return its sessions."""
        launch = self._launch
        async with self._starting:
            environment = program.inherited(launch.environment)
            child = await start_child(launch.command, launch.folder, environment)
            self._events.begin()
            self._reset()
            notifications = {
                "session/update": self._update,
                "$/cancel_request": lambda params: self._serving.pending.withdraw(
                    params.get("requestId")
                ),
            }
            connection = self._connection = AcpConnection(
                child,
                self._traffic,
                self._events,
                launch.name,
                self._serving.handlers(),
                notifications,
                self._ended,
            )
        try:
            await connection.initialize(self._serving.abilities)
            self._serving.files.agent = connection.offer.own_name
            launch.logins.reported = connection.offer.methods
        except BaseException:
            connection.kill()
            raise
        self._sessions = Sessions(connection, launch, self._services)
        self._talk = Prompting(connection, self._serving, self._reopen)
        return self._sessions

    def _ended(self, code: int, stderr: str) -> None:
        self._serving.pending.withdraw_all()
        self._serving.terminals.close()
        if self._talk is not None:
            self._talk.ends.agent_ended()
        self._emit(events.Dead(code, stderr, self._session))

    # Prompts.

    async def prompt(self, prompt: Prompt) -> str:
        return self._prompting.send(prompt)

    async def steer(self, prompt: Prompt) -> str:
        if not self._running.offer.steers:
            raise UnsupportedError(f"{self.name} accepts no prompt during a turn")
        return await self._prompting.steer(prompt)

    async def redirect(self, prompt: Prompt) -> str:
        id_ = self._prompting.send(prompt, next_=True)
        self._serving.terminals.turn_cancelled()
        await self._prompting.cancel()
        return id_

    async def withdraw(self, prompt: str) -> bool:
        return self._prompting.withdraw(prompt)

    async def interrupt(self) -> None:
        self._serving.terminals.turn_cancelled()
        await self._prompting.interrupt()

    async def answer(self, request: str, answer: Answer) -> None:
        self._serving.pending.answer(request, answer)

    @property
    def _prompting(self) -> Prompting:
        if self._talk is None:
            raise AgentError(f"{self.name} is not running")
        return self._talk

    # Settings.

    async def set_mode(self, mode: str) -> None:
        settings = self._decoder.settings
        settings.check_mode(mode, self.name)
        await self._set(settings.set_known(updates.MODE, mode), lambda: settings.mode_changed(mode))

    async def set_model(self, model: str) -> None:
        settings = self._decoder.settings
        await self._set(
            settings.set_known(updates.MODEL, model), lambda: settings.model_changed(model)
        )

    async def set_effort(self, effort: str) -> None:
        request = self._decoder.settings.set_known(updates.EFFORT, effort)
        await self._set(request, lambda: [events.EffortChanged(effort)])

    async def set_setting(self, setting: str, value: str) -> str:
        settings = self._decoder.settings
        await self._set(settings.set_option(setting, value), lambda: [])
        return settings.current_of(setting) or value

    async def _set(
        self, request: SetRequest | None, changed: Callable[[], Iterable[events.Event]]
    ) -> None:
        """Change a setting; `changed` gives the events if the agent does not list its settings."""
        if request is None:
            raise UnsupportedError(f"{self.name} has no such setting")
        method, params = request
        answer = await self._running.request(method, {"sessionId": self._session, **params})
        result = mapping(answer)
        is_listed = "configOptions" in result
        self._report(self._decoder.settings.update(result) if is_listed else changed())

    async def context_usage(self) -> ContextUsage:
        return ContextUsage(self._usage.context_used or 0, self._usage.context_size or 0)

    async def log_out(self) -> None:
        if not self.capabilities.logout:
            raise UnsupportedError(f"{self.name} cannot log out")
        await self._running.request("logout", {})
        self._launch.logins.forget()

    # Events.

    def _update(self, params: Params) -> None:
        session = text(params.get("sessionId"))
        if session and self._session and session != self._session:
            return  # a subagent's, or a confused agent's
        update = mapping(params.get("update"))
        self._report(self._decoder.decode(update))
        if self._talk is not None:
            self._talk.ends.follow(update)
        self._serving.show()

    def _report(self, found: Iterable[events.Event]) -> None:
        for event in found:
            self._emit(event)

    def _emit(self, event: events.Event) -> None:
        if self._replayed is not None and not isinstance(event, events.Dead):
            self._replayed.append(event)
            return
        if isinstance(event, events.Usage):
            self._usage = event
        self._serving.follow(event)
        runs = self._talk is not None and self._talk.is_running
        self._events.put(event, is_late=not (runs or isinstance(event, events.PromptChanged)))


class Acp(AgentKind):
    """Implements `AgentKind`. `environment` is Neovim's, to which the entry adds."""

    chooses_settings = False
    needs_trust = True
    reports_late = True
    keeps_sessions = False

    def __init__(
        self,
        entry: AgentEntry,
        environment: Mapping[str, str],
        remembered: Remembered | None = None,
    ) -> None:
        self.id = entry.id
        self.name = entry.name
        self.asking = entry.asking
        self._entry = entry
        self._environment = full_environment({**entry.defaults, **environment}, entry.env)
        self._logins = LoginMethods(entry.login, entry.id, remembered)
        self.deletes_sessions = False
        self._agents: weakref.WeakSet[AcpAgent] = weakref.WeakSet()
        """The agents that were opened; one that runs can be asked for stored sessions."""

    def missing(self) -> str:
        line = self._words
        try:
            find(line, self._environment)
        except OSError:
            problem = "no program" if Path(line[0]).is_absolute() else "not on PATH"
            hint = self._entry.install or f"g:claude_ide.agents.{self.id}.cmd"
            return f"{self.name} is not installed: {line[0]} is {problem} ({hint})"
        return ""

    @property
    def program(self) -> str:
        """The path of its program; raises `OSError` if there is none."""
        return find(self._words, self._environment)

    async def probe(self, folder: Path) -> AgentOffer:
        """Start the agent, return what it reports about itself, and end it.

        Raises `AgentError` if it cannot be started, or has ended.
        """
        launch = self._launch(folder)
        environment = program.inherited(launch.environment)
        child = await start_child(launch.command, launch.folder, environment)
        kept = AgentTraffic(), EventQueue()
        connection = AcpConnection(child, *kept, launch.name, {}, {}, lambda *_: None)
        try:
            await connection.initialize({})
            return connection.offer
        finally:
            await connection.stop(PROBE_GRACE_SECONDS)

    def open(self, folder: Path, services: EditorServices) -> AcpAgent:
        agent = AcpAgent(self._launch(folder), services)
        self._agents.add(agent)
        return agent

    def open_for_question(self, folder: Path) -> AcpAgent:
        """Return an agent that gets nothing of the editor's; raises like `open`."""
        if reason := self.missing():
            raise AgentError(reason)
        begun, asking = self._launch(folder), self.asking
        launch = replace(
            begun,
            command=(*begun.command, *asking.arguments),
            environment=begun.environment | dict(asking.env),
        )
        return AcpAgent(launch, EditorServices(runs_commands=False))

    async def sessions(self, folder: Path) -> list[SessionSummary]:
        # The agent is started if none runs there.
        async with self._any(folder).stored() as stored:
            self.deletes_sessions = stored.can_delete
            return await stored.listed()

    async def delete_session(self, folder: Path, session: str) -> None:
        async with self._any(folder).stored() as stored:
            await stored.delete(session)

    def logins(self) -> list[Login]:
        if reason := self.missing():
            raise AgentError(reason)
        found = self._logins.ways(self._words, self._environment)
        if not found:
            raise UnsupportedError(f"{self.name} has reported no way to log in")
        return found

    def choose_login(self, login: str) -> None:
        self._logins.chosen = login

    def _any(self, folder: Path) -> AcpAgent:
        """Return an agent that runs in a folder, or a new one."""
        running = (each for each in self._agents if each.is_open and each.folder == folder)
        return next(running, None) or AcpAgent(self._launch(folder), EditorServices())

    @property
    def _words(self) -> tuple[str, ...]:
        return words(self._entry.cmd, self._environment)

    def _launch(self, folder: Path) -> AgentLaunch:
        settings = self._environment, self._logins, self._entry.mcp
        return AgentLaunch(self.name, self._words, folder, *settings)
