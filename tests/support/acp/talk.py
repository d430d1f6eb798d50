"""Conversations with fake and with replayed ACP agents."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from claude_ide.agents.acp.agent import AcpAgent
from claude_ide.agents.acp.launch import AgentLaunch
from claude_ide.agents.agent import ResumeSession
from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import Dead, Event, TextDelta, TurnEnded
from claude_ide.agents.requests import (
    Allow,
    Answer,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    Reject,
    Reply,
)
from claude_ide.agents.session_state import AgentState
from support.acp.script import Fake
from support.neovim import ROOT, until
from support.talking import Talking

GOLDEN = ROOT / "tests" / "golden" / "acp"
REPLAYING_AGENT = Path(__file__).with_name("replaying_agent.py")

Frame = dict[str, Any]
Request = PermissionAsked | PlanProposed | QuestionAsked
OF_THE_USER = ("session/request_permission", "elicitation/create")
"""The methods of requests that the user answers."""


def names() -> list[str]:
    """Return the names of all recordings."""
    return sorted(path.stem for path in GOLDEN.glob("*.jsonl"))


def entries(name: str) -> list[Frame]:
    """Return all entries of a recording."""
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sections(path: Path) -> dict[str, list[str]]:
    """Return the sections of a file, which begin with `== ` and a name."""
    texts = path.read_text("utf-8").removeprefix("== ").split("\n\n== ")
    return {name: lines for name, *lines in map(str.splitlines, texts)}


def replaying(name: str, folder: Path) -> Fake:
    """Return an agent that replays a recording."""
    log = folder / f"{name}.log.jsonl"
    arguments = (str(GOLDEN / f"{name}.jsonl"), str(log))
    return Fake((sys.executable, "-I", "-S", str(REPLAYING_AGENT), *arguments), log)


class AcpTalk(Talking):
    """A conversation with an ACP agent; `past` is the conversation that it has repeated."""

    agent: AcpAgent

    def __init__(
        self, fake: Fake, folder: Path, services: EditorServices | None = None, mcp: str = "stdio"
    ) -> None:
        launch = AgentLaunch("Fake", fake.command, folder, {"HOME": str(folder)}, mcp=mcp)
        super().__init__(AcpAgent(launch, services or EditorServices()))
        self.fake = fake
        self.past: list[Event] = []

    @property
    def said(self) -> str:
        """What the agent has said so far."""
        return "".join(event.text for event in self.of(TextDelta))

    async def close(self) -> None:
        """End the agent at once."""
        if self._listening is not None and not self._listening.done():
            self.agent.kill()
            await self.until(Dead, count=1 + self._restarts)

    @property
    def _restarts(self) -> int:
        return len(self.of(Dead))


Begin = Callable[..., Awaitable[AcpTalk]]


class Recorded:
    """Says to a replaying agent what the recorded client has said."""

    def __init__(self, name: str, talk: AcpTalk) -> None:
        self._talk = talk
        self._entries = entries(name)
        self._asked: dict[Any, Frame] = {}
        """The agent's requests so far, by their ids."""
        self._turns = 0
        self._requests = 0

    async def converse(self) -> None:
        """Hold the whole conversation, from the opened session to the last answer."""
        for entry in self._entries:
            match entry:
                case {"dir": "out", "m": {"id": id_, "method": _} as frame}:
                    self._asked[id_] = frame
                case {"dir": "in", "m": {"method": method, "params": params}}:
                    await self._say(method, params)
                case {"dir": "in", "m": {"id": id_, "result": result}}:
                    await self._answer(self._asked[id_], result)
        await self._settled()

    async def _say(self, method: str, params: Frame) -> None:
        agent = self._talk.agent
        match method:
            case "session/new":
                await self._talk.start()
            case "session/load":
                self._talk.past = await agent.history(params["sessionId"])
                await self._talk.start(ResumeSession(params["sessionId"]))
            case "session/prompt":
                await self._settled()
                self._turns += 1
                await self._talk.prompt("".join(block["text"] for block in params["prompt"]))
            case "session/cancel":
                await self.expects("session/cancel")
                await self._are_shown()
                await agent.interrupt()
            case "session/set_mode":
                await agent.set_mode(params["modeId"])

    async def _answer(self, asked: Frame, result: Frame) -> None:
        match asked["method"]:
            case "session/request_permission":
                event = await self._next_request()
                await self._talk.agent.answer(event.request, _decision(asked, result))
            case "elicitation/create":
                event = await self._next_request()
                await self._talk.agent.answer(event.request, Reply(result["content"]))

    async def _next_request(self) -> Request:
        self._requests += 1
        events = self._talk.events
        asked: list[Request] = await until(
            lambda: [event for event in events if isinstance(event, Request)][self._requests - 1 :],
            f"request {self._requests}",
        )
        return asked[0]

    async def expects(self, method: str) -> None:
        """Wait until the agent has nothing more to say before a message."""
        expected = self._talk.fake.entries
        await until(lambda: method in expected("expects"), f"the agent waits for {method}")

    async def _are_shown(self) -> None:
        """Wait until the user sees every request of the agent."""
        count = sum(asked["method"] in OF_THE_USER for asked in self._asked.values())
        shown = self._talk.events
        await until(
            lambda: sum(isinstance(event, Request) for event in shown) == count, "the requests"
        )

    async def _settled(self) -> None:
        """Wait for the end of the last turn."""
        if self._turns:
            await self._talk.until(TurnEnded, count=self._turns)


def _decision(asked: Frame, result: Frame) -> Answer:
    chosen = result["outcome"].get("optionId", "")
    kinds = {option["optionId"]: option["kind"] for option in asked["params"]["options"]}
    if kinds.get(chosen, "reject").startswith("allow"):
        return Allow(options=(chosen,))
    return Reject(option=chosen)


async def replayed(name: str, folder: Path) -> AcpTalk:
    """Replay a whole recording, in a folder with a file; return the conversation, which is over."""
    (folder / "a.py").write_text("def hello():\n    return 1\n")
    talk = AcpTalk(replaying(name, folder), folder)
    await Recorded(name, talk).converse()
    assert talk.agent.state.state is AgentState.IDLE
    await talk.agent.stop()
    await talk.until(Dead)
    return talk
