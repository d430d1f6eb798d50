"""An agent other than Claude: it has no protocol; a test controls what it does."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import fields, replace

from claude_ide.agents import events
from claude_ide.agents.agent import (
    Capabilities,
    ContextUsage,
    Earlier,
    Image,
    Login,
    Opening,
    Prompt,
    ResumeSession,
    Rewind,
    ServerState,
    SessionSummary,
    TaskOutput,
    ToolServer,
    Words,
)
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.requests import Answer
from claude_ide.agents.session_state import EventQueue, SessionState
from claude_ide.base.errors import (
    AgentError,
    LoginNeededError,
    UnknownSessionError,
    UnsupportedError,
)

NAME = "Otter"
FEW = Capabilities()
ALL = Capabilities(**{field.name: True for field in fields(Capabilities)})
READY = Ready(
    commands=(events.SlashCommand("dive", "Go deeper"),),
    models=(events.Model("m://small", "Small", efforts=("calm", "keen")),),
    modes=(events.Mode("m://ask", "Ask first"), events.Mode("m://free", "Swim freely")),
)
DEPTHS = (events.SettingValue("d1", "Knee deep"), events.SettingValue("d 2", "Very deep"))
SWITCH = (events.SettingValue("on", "On"), events.SettingValue("off", "Off"))
SETTINGS: tuple[events.Setting, ...] = (
    events.Setting("river://depth", "Dive depth", "d1", DEPTHS, category="thought_level"),
    events.Setting("collab", "Collaboration", "on", SWITCH),
)
SUMMARY = SessionSummary("s-old", "An old swim", datetime(2026, 1, 2, tzinfo=UTC))
PAST = (events.UserMessage("where is the fish?"), events.Text("b0", "In the past."))


def opened() -> asyncio.Event:
    """Return an open gate."""
    gate = asyncio.Event()
    gate.set()
    return gate


class AnotherAgent:
    """Implements `Agent`. `calls` has the calls that it received, in order."""

    name = NAME

    def __init__(
        self,
        capabilities: Capabilities,
        services: EditorServices,
        gate: asyncio.Event | None = None,
    ) -> None:
        self.capabilities = capabilities
        self.services = services
        self._gate = gate or opened()
        self.session = ""
        self.state = SessionState()
        self.ready = READY
        """What it offers when it has started."""
        self.settings = SETTINGS
        self.calls: list[tuple[Any, ...]] = []
        self.outputs: dict[str, str] = {}
        """The outputs of tasks, by their ids."""
        self.moves = True
        """Whether a tool can be moved to the background now."""
        self.refuses: Opening | None = None
        """An opening with which it does not start."""
        self.needs_login: Callable[[], bool] = lambda: False
        self.stored: Sequence[str] = (SUMMARY.id,)
        """The ids of the sessions that it can resume."""
        self.earlier_text = ""
        """That of a prompt which is edited; empty for one that names the prompt."""
        self.lost = False
        """Whether it has forgotten all earlier prompts."""
        self._ids = itertools.count(1)
        self._events = EventQueue()

    def emit(self, *happened: Event) -> None:
        """Emit events."""
        for event in happened:
            self.state = self.state.after(event)
            self._events.put(event)

    async def history(self, session: str) -> list[Event]:
        if session not in self.stored:
            raise UnknownSessionError(f"there is no session {session}")
        return [*PAST]

    async def start(self, opening: Opening) -> Ready:
        self.calls.append(("start", opening))
        if opening == self.refuses:
            raise AgentError("the river does not flow there")
        if self.needs_login():
            raise LoginNeededError(f"{self.name} is not logged in")
        self.state = self.state.spawned()
        self._events = EventQueue()
        await self._gate.wait()
        self.session = opening.id or f"s-{next(self._ids)}"
        self.emit(self.ready, events.SessionChanged(self.session))
        if self.ready.modes:
            self.emit(events.ModeChanged(self.ready.modes[0].id))
        self.settings = SETTINGS
        if self.capabilities.settings:
            self.emit(events.SettingsChanged(self.settings))
        return self.ready

    def events(self) -> AsyncIterator[Event]:
        return self._events.until_dead()

    async def stop(self) -> None:
        if self.state.state.value not in ("off", "dead"):
            self.emit(events.Dead(0, session=self.session))

    def kill(self) -> None:
        self.emit(events.Dead(-9))

    async def prompt(self, prompt: Prompt) -> str:
        return self._accept("prompt", prompt)

    async def steer(self, prompt: Prompt) -> str:
        self._must("steer")
        return self._accept("steer", prompt)

    async def redirect(self, prompt: Prompt) -> str:
        self._must("redirect")
        return self._accept("redirect", prompt)

    async def withdraw(self, prompt: str) -> bool:
        self._must("withdraw")
        self.calls.append(("withdraw", prompt))
        self.emit(events.PromptChanged(prompt, events.PromptStage.CANCELLED))
        return True

    async def interrupt(self) -> None:
        self.calls.append(("interrupt",))
        self.emit(events.Stopping(), events.TurnEnded(events.TurnEndReason.INTERRUPTED))

    async def answer(self, request: str, answer: Answer) -> None:
        self.calls.append(("answer", request, answer))

    async def set_mode(self, mode: str) -> None:
        self._must("modes")
        self.calls.append(("mode", mode))
        self.emit(events.ModeChanged(mode))

    async def set_model(self, model: str) -> None:
        self._must("models")
        self.calls.append(("model", model))
        self.emit(events.ModelChanged(model))

    async def set_effort(self, effort: str) -> None:
        self._must("effort")
        self.calls.append(("effort", effort))
        self.emit(events.EffortChanged(effort))

    async def set_setting(self, setting: str, value: str) -> str:
        self._must("settings")
        self.calls.append(("setting", setting, value))
        self.settings = tuple(
            replace(each, current=value) if each.id == setting else each for each in self.settings
        )
        self.emit(events.SettingsChanged(self.settings))
        return value

    async def set_thinking_tokens(self, most: int | None) -> None:
        self._must("thinking_tokens")
        self.calls.append(("thinking", most))

    async def context_usage(self) -> ContextUsage:
        self._must("context_usage")
        return ContextUsage(300, 1000, (("Fish", 300),))

    async def rename(self, title: str) -> None:
        self._must("titles")
        self.emit(events.SessionChanged(self.session, title))

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        self._must("rewind")
        self.calls.append(("rewind", prompt, dry_run))
        return Rewind(False, reason="the river has moved on")

    async def earlier(self, prompt: str) -> Earlier:
        self._must("branch")
        self.calls.append(("earlier", prompt))
        if self.lost:
            raise AgentError("the river has moved on")
        text = self.earlier_text or f"text of {prompt}"
        return Earlier(ResumeSession(SUMMARY.id, fork=True, until="m1"), text)

    async def ask_aside(self, question: str) -> str:
        self._must("side_question")
        return f"aside of {question}"

    async def turn_remote(self, *, on: bool) -> str:
        self._must("remote")
        self.calls.append(("remote", on))
        return "https://river.example/s-1" if on else ""

    async def stop_task(self, task: str) -> None:
        self._must("stop_task")
        self.calls.append(("stop_task", task))

    async def task_output(self, task: str) -> TaskOutput:
        self._must("tasks")
        output = self.outputs.get(task, f"output of {task}\n")
        return TaskOutput(output, len(output))

    async def background(self, tool: str) -> bool:
        self._must("background")
        self.calls.append(("background", tool))
        return self.moves

    async def log_out(self) -> None:
        self._must("logout")
        self.calls.append(("log_out",))

    async def tool_servers(self) -> list[ToolServer]:
        self._must("tool_servers")
        return [ToolServer("reed", ServerState.CONNECTED, tools=2)]

    async def reconnect_server(self, name: str) -> None:
        self.calls.append(("reconnect", name))

    async def turn_server(self, name: str, *, on: bool) -> None:
        self.calls.append(("turn", name, on))

    def log(self) -> str:
        return '{"splash": 1}'

    def _must(self, capability: str) -> None:
        if not getattr(self.capabilities, capability):
            raise UnsupportedError(f"the panel asked for {capability}")

    def _accept(self, how: str, prompt: Prompt) -> str:
        words = " ".join(part.text for part in prompt if isinstance(part, Words))
        images = sum(isinstance(part, Image) for part in prompt)
        self.calls.append((how, words, images) if images else (how, words))
        id_ = f"p{next(self._ids)}"
        self.emit(events.PromptChanged(id_, events.PromptStage.QUEUED))
        return id_


class AnotherKind:
    """Implements `AgentKind`: all agents that it opens have the same capabilities.

    An agent that is started does not answer while `gate` is closed.
    """

    chooses_settings = True
    keeps_sessions = False
    reports_late = False

    def __init__(
        self,
        capabilities: Capabilities = ALL,
        id_: str = "otter",
        name: str = NAME,
        *,
        needs_trust: bool = False,
    ) -> None:
        self.id = id_
        self.name = name
        self.needs_trust = needs_trust
        self.is_missing = ""
        """Why it cannot be started."""
        self.ways: list[Login] = []
        self.chosen: list[str] = []
        """The logins that were chosen."""
        self.needs_login = False
        """Whether an agent that is started asks for a login."""
        self.stored = [SUMMARY]
        self.deletes_sessions = False
        self.listing = opened()
        """Closed while it does not answer with its sessions."""
        self.listed = 0
        """How often it was asked for its sessions."""
        self.capabilities = capabilities
        self.agents: list[AnotherAgent] = []
        self.gate = opened()

    def open(self, _folder: Path, services: EditorServices) -> AnotherAgent:
        self.agents.append(AnotherAgent(self.capabilities, services, self.gate))
        self.agents[-1].name = self.name
        self.agents[-1].stored = [summary.id for summary in self.stored]
        self.agents[-1].needs_login = lambda: self.needs_login
        return self.agents[-1]

    async def sessions(self, _folder: Path) -> list[SessionSummary]:
        self.listed += 1
        await self.listing.wait()
        if not self.capabilities.resume:
            raise UnsupportedError(f"{self.name} cannot list its sessions")
        return self.stored

    async def count_turns(self, _folder: Path, _session: str) -> int:
        return 0

    async def find_passage(self, _folder: Path, _session: str, _words: Sequence[str]) -> str:
        return ""

    async def rename_session(self, _folder: Path, _session: str, _title: str) -> None:
        raise UnsupportedError("the panel asked for a new title")

    async def delete_session(self, _folder: Path, _session: str) -> None:
        raise UnsupportedError("the panel asked to delete a session")

    async def check_session(self, _folder: Path, session: str) -> None:
        if session not in (summary.id for summary in self.stored):
            raise UnknownSessionError(f"there is no session {session}")

    def missing(self) -> str:
        return self.is_missing

    def logins(self) -> list[Login]:
        if not self.ways:
            raise UnsupportedError(f"{NAME} needs no login")
        return self.ways

    def choose_login(self, login: str) -> None:
        self.chosen.append(login)

    def login_to_servers(self) -> list[str]:
        raise AgentError(f"{NAME} needs no login")
