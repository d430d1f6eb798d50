"""An agent under test, its events, and the frames that its CLI has received."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.events import Change, Dead, Event, PromptChanged, TurnEnded
from claude_ide.agents.prompt import Words
from claude_ide.agents.stream_json.client import StreamJsonAgent
from claude_ide.agents.stream_json.wire.launch import Launch
from support.digest import digest
from support.transcripts import read_log, replaying

E = TypeVar("E", bound=Event)
PATIENCE = 20.0
"""Seconds that any step may take on a busy machine."""


class NewError:
    """Reports one error for each changed file (implements `Edits`)."""

    def __init__(self) -> None:
        self.looked_at: list[tuple[str, str]] = []

    async def before(self, tool: str, path: str) -> None:
        self.looked_at.append((tool, path))

    async def after(self, _tool: str, path: str, _change: Change | None) -> str:
        return f"1 new error in {path}"

    async def prompted(self) -> str:
        return "1 late error"


class Talk:
    """A conversation with an agent; its events are kept in `events`."""

    def __init__(self, launch: Launch, log: Path | None = None, **options: Any) -> None:
        self.agent = StreamJsonAgent(launch, **options)
        self.events: list[Event] = []
        self._log = log
        self._arrived = asyncio.Condition()
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    async def replay(
        cls,
        name: str,
        folder: Path,
        opening: Opening | None = None,
        environment: dict[str, str] | None = None,
        **options: Any,
    ) -> "Talk":
        """Start an agent on a recording, in `folder`."""
        log = folder / "received.jsonl"
        launch = replaying(name, folder, log=log, environment=environment)
        talk = cls(launch, log, **options)
        await talk.start(opening)
        return talk

    async def start(self, opening: Opening | None = None) -> None:
        """Start the agent, and collect its events."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        async with asyncio.timeout(PATIENCE):
            await self.agent.start(opening or NewSession())

    async def prompt(self, words: str) -> str:
        """Send a prompt."""
        return await self.agent.prompt([Words(words)])

    async def until(
        self, kind: type[E], matching: Callable[[E], bool] = lambda _event: True, count: int = 1
    ) -> E:
        """Wait for `count` matching events of a kind; return the last of these."""

        def found() -> list[E]:
            return [event for event in self.events if isinstance(event, kind) and matching(event)]

        try:
            async with asyncio.timeout(PATIENCE), self._arrived:
                await self._arrived.wait_for(lambda: len(found()) >= count)
        except TimeoutError:
            raise AssertionError(f"no {kind.__name__} among {self.events}") from None
        return found()[count - 1]

    async def turn(self, words: str) -> TurnEnded:
        """Send a prompt and wait for the end of its turn."""
        ended = sum(isinstance(event, TurnEnded) for event in self.events)
        await self.prompt(words)
        return await self.until(TurnEnded, count=ended + 1)

    async def end(self) -> Dead:
        """Stop the agent; return its last event."""
        await self.agent.stop()
        return await self.until(Dead, count=1)

    def received(self, type_: str = "", subtype: str = "") -> list[dict[str, Any]]:
        """Return the frames that the CLI has received, all or those of one kind."""
        assert self._log is not None
        return [
            frame
            for frame in read_log(self._log)[1:]
            if type_ in ("", frame["type"])
            and subtype in ("", frame.get("request", {}).get("subtype"))
        ]

    def story(self) -> list[str]:
        """Return a digest of the events without `PromptChanged`, whose order is not fixed."""
        return digest(event for event in self.events if not isinstance(event, PromptChanged))

    def kinds(self) -> list[type[Event]]:
        """Return the types of the events, in order."""
        return [type(event) for event in self.events]

    async def _listen(self) -> None:
        async for event in self.agent.events():
            async with self._arrived:
                self.events.append(event)
                self._arrived.notify_all()


Replay = Callable[..., Awaitable[Talk]]
