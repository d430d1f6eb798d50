"""What the parts of a chat share, with an agent and an editor that a test controls."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from claude_ide.agents.agent import Capabilities
from claude_ide.agents.editor_services import EditorServices
from claude_ide.chat.chat_context import ChatContext
from claude_ide.config import ChatConfig, Config
from claude_ide.editor.editor import Editor
from support.another_agent import AnotherAgent, AnotherKind
from support.pocket import Answer, PocketChannel


async def _nothing(_function: str, *_arguments: Any) -> None:
    """Answer every request with nothing."""


class PocketChat:
    """A chat's context; `answer` answers the requests to the editor."""

    def __init__(
        self, answer: Answer = _nothing, root: Path | str = "/root", *, follow: bool = False
    ) -> None:
        self.agent = AnotherAgent(Capabilities(), EditorServices())
        self.tasks: list[asyncio.Future[Any]] = []
        self.notes: list[str] = []
        channel = PocketChannel(answer, lambda _function, *given: self.notes.append(str(given[0])))
        config = Config(chat=ChatConfig(follow=follow))
        given = AnotherKind(), self.agent, str(root), Editor(channel), config, self._run
        self.context = ChatContext(1, *given)

    def _run(self, work: Awaitable[Any]) -> "asyncio.Future[Any]":
        self.tasks.append(asyncio.ensure_future(work))
        return self.tasks[-1]

    async def settle(self) -> None:
        """Wait for all tasks."""
        await asyncio.gather(*self.tasks)
