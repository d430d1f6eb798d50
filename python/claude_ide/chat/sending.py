"""The prompts that the user sends and withdraws; what is not sent comes back into the prompt."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Agent
from claude_ide.chat import abilities, context
from claude_ide.chat.about import About
from claude_ide.chat.panel import Panel
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError, UserError


class Sending:
    """Sends the prompts of one chat; `ready` waits until the agent takes them.

    `changed` is called when the transcript has changed. `lock` is held while a prompt is sent.
    """

    def __init__(
        self,
        root: str,
        agent: Agent,
        editor: Editor,
        panel: Panel,
        transcript: Transcript,
        about: About,
        ready: Callable[[], Awaitable[Any]],
        changed: Callable[[], None],
    ) -> None:
        self.lock = asyncio.Lock()
        self._root = root
        self._agent = agent
        self._editor = editor
        self._panel = panel
        self._transcript = transcript
        self._about = about
        self._ready = ready
        self._changed = changed

    async def send(self, sent: Mapping[str, Any]) -> None:
        """Send what was typed; what cannot be sent comes back into the prompt."""
        text = str(sent["text"])
        # In the order of typing, although one prompt may take longer to put together than the next.
        async with self.lock:
            try:
                await self._ready()
                await self._say(text, sent)
            except ClaudeIdeError:
                await self._panel.put_back(text)
                raise

    async def withdraw(self, part: int) -> None:
        """Take back a prompt that has not begun, into the prompt window."""
        prompt = self._transcript.withdraw(part)
        if prompt is None:
            return
        abilities.require(self._agent, "withdraw")
        text = self._transcript.queued.get(prompt, "")
        if not await self._agent.withdraw(prompt):
            raise UserError("too late: the agent has started on it")
        await self._panel.put_back(text)

    def cancel_queued(self) -> str:
        """Cancel what an agent that has died had not begun with; return all of it."""
        queued = [*self._transcript.queued.items()]
        for prompt, _ in queued:
            self._transcript.take(events.PromptChanged(prompt, events.PromptStage.CANCELLED))
        return "\n".join(text for _, text in queued)

    async def _say(self, text: str, sent: Mapping[str, Any]) -> None:
        about = self._about.now
        images, how = sent.get("images") or (), str(sent.get("how"))
        abilities.require(self._agent, how, "paste-image" if images else "")
        prompt = await context.prompt(self._editor, text, self._root, about, images)
        ways = {"steer": self._agent.steer, "redirect": self._agent.redirect}
        say = ways.get(how, self._agent.prompt)
        id_ = await say(prompt)
        self._about.sent(about)
        self._transcript.said(id_, text, self._about.chips(about))
        self._changed()
