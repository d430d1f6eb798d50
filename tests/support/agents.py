"""An agent under test, its events, and the frames that its CLI has received."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from claude_ide.agents.agent import Opening
from claude_ide.agents.events import Change, PromptChanged
from claude_ide.agents.stream_json.claude import StreamJsonAgent
from claude_ide.agents.stream_json.protocol import CliLaunch
from support.digest import digest
from support.talking import Talking
from support.transcripts import read_log, replaying


class NewError:
    """Reports one error for each changed file (implements `Edits`)."""

    def __init__(self) -> None:
        self.looked_at: list[tuple[str, str]] = []

    async def before(self, tool: str, path: str) -> None:
        self.looked_at.append((tool, path))

    async def ended(self, tool: str, path: str, after: str | None = None) -> None:
        pass

    async def after(self, _tool: str, path: str, _change: Change | None) -> str:
        return f"1 new error in {path}"

    async def prompted(self, *, is_command: bool = False) -> str:
        return "1 late error"


class Talk(Talking):
    """A conversation with Claude."""

    agent: StreamJsonAgent

    def __init__(self, launch: CliLaunch, log: Path | None = None, **options: Any) -> None:
        super().__init__(StreamJsonAgent(launch, **options))
        self._log = log

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


Replay = Callable[..., Awaitable[Talk]]
