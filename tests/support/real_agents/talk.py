"""A conversation with a real agent, through the client."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from claude_ide.agents.acp.agent import AcpAgent
from claude_ide.agents.acp.launch import AgentLaunch
from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.editor_services import EditorServices, WrittenText
from claude_ide.agents.events import Dead, Event, TextDelta, ThinkingDelta, TurnEnded
from claude_ide.agents.requests import Allow, Answer, PermissionAsked
from support.fake_api import Turn, text
from support.neovim import until
from support.real_agents.agent import Desk, RealAgent, Tools
from support.real_agents.start import command, environment
from support.talking import Talking

E = TypeVar("E", bound=Event)
Decide = Callable[[PermissionAsked], Answer]
REPLY_SECONDS = 60.0
"""Seconds that any step may take: these agents are large programs."""


def allow(_asked: PermissionAsked) -> Answer:
    """Allow everything."""
    return Allow()


class Disk:
    """Files on disk (implements `Files`)."""

    def __init__(self) -> None:
        self.written: list[str] = []
        """The paths of the files that the agent has written here."""

    async def read(self, path: str) -> str:
        return Path(path).read_text(encoding="utf-8")

    async def saved(self, path: str) -> str:
        return await self.read(path)

    async def write(
        self, path: str, text: str, *, is_allowed: bool = False, over: str | None = None
    ) -> WrittenText:
        Path(path).write_text(text, encoding="utf-8")
        self.written.append(path)
        return WrittenText(text, text)


class RealTalk(Talking):
    """A conversation with a real agent at its desk."""

    agent: AcpAgent

    def __init__(self, real: RealAgent, desk: Desk, services: EditorServices | None = None) -> None:
        launch = AgentLaunch(
            *(real.name, command(real), desk.project, environment(real, desk)), mcp=real.habits.mcp
        )
        self.disk = Disk()
        super().__init__(AcpAgent(launch, services or EditorServices(files=self.disk)))
        self.real = real
        self._decide: Decide | None = None

    async def start(self, opening: Opening | None = None) -> None:
        """Start the agent in the mode in which it asks, and collect its events."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        async with asyncio.timeout(REPLY_SECONDS):
            await self.agent.start(opening or NewSession())
            if self.real.habits.mode:
                await self.agent.set_mode(self.real.habits.mode)

    async def until(
        self, kind: type[E], matching: Callable[[E], bool] = lambda _event: True, count: int = 1
    ) -> E:
        """Wait for `count` matching events of a kind; return the last of these."""
        found: list[E] = []
        try:
            async with asyncio.timeout(REPLY_SECONDS), self._arrived:
                while len(found) < count:
                    found = [each for each in self.of(kind) if matching(each)]
                    if len(found) < count:
                        await self._arrived.wait()
        except TimeoutError:
            raise AssertionError(
                f"no {kind} among {self.events}; messages:\n{self.agent.log()}"
            ) from None
        return found[count - 1]

    async def answered_turn(self, words: str, decide: Decide = allow) -> TurnEnded:
        """Send a prompt, answer each request for permission, and wait for the turn's end."""
        self._decide = decide
        try:
            return await self.turn(words)
        finally:
            self._decide = None

    async def _listen(self) -> None:
        async for event in self.agent.events():
            async with self._arrived:
                self.events.append(event)
                self._arrived.notify_all()
            if self._decide and isinstance(event, PermissionAsked):
                await self.agent.answer(event.request, self._decide(event))

    @property
    def said(self) -> str:
        """All text so far."""
        return "".join(event.text for event in self.of(TextDelta))

    @property
    def thought(self) -> str:
        """All thinking so far."""
        return "".join(event.text for event in self.of(ThinkingDelta))

    async def close(self) -> None:
        """End the agent at once."""
        if self._listening is not None and not self._listening.done():
            self.agent.kill()
            await self.until(Dead, count=len(self.of(Dead)) + 1)


async def is_stored(real: RealAgent, desk: Desk, words: str) -> None:
    """Wait until an agent has stored the end of a turn, which it loses otherwise."""

    def found() -> bool:
        files = desk.home.rglob("*.jsonl")
        return any(words in file.read_text(encoding="utf-8") for file in files)

    if real.habits.saves_late:
        await until(found, f"{words} is stored", REPLY_SECONDS)


async def can_be_loaded(real: RealAgent) -> None:
    """Wait until an agent can load the session that it has begun."""
    if real.habits.begins_in_minutes:
        began = datetime.now().minute
        await until(lambda: datetime.now().minute != began, "the next minute", REPLY_SECONDS + 10)


def edit(tools: Tools, path: Path, old: str, new: str, *, then: str) -> list[Turn]:
    """Return turns that read and edit a file and say `then`."""
    read = [[tools.read(path)]] if tools.read else []
    return [*read, [tools.edit(path, old, new)], [text(then)]]
