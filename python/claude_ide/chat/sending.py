"""Sends and withdraws prompts; a prompt that is not sent returns to the prompt window."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.agent import Agent
from claude_ide.chat import abilities, context
from claude_ide.chat.attachment import Attachment
from claude_ide.chat.panel import Panel
from claude_ide.chat.shell import shell
from claude_ide.chat.shell.shell import Shell
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError, UserError

KEPT = "the prompt has other text, so the blocked one is in its history (<Up>)"


class Sending:
    """Sends the prompts of one chat; `ready` waits until the agent accepts prompts.

    `changed` is called when the transcript has changed. `lock` is held while a prompt is sent.
    """

    def __init__(
        self,
        root: str,
        agent: Agent,
        editor: Editor,
        panel: Panel,
        transcript: Transcript,
        attachment: Attachment,
        shell: Shell,
        ready: Callable[[], Awaitable[Any]],
        changed: Callable[[], None],
    ) -> None:
        self.lock = asyncio.Lock()
        self._root = root
        self._agent = agent
        self._editor = editor
        self._panel = panel
        self._transcript = transcript
        self._attachment = attachment
        self._shell = shell
        self._ready = ready
        self._changed = changed

    async def send(
        self, sent: Mapping[str, Any], prepare: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """Send a prompt; if that fails, its text returns to the prompt window.

        `prepare` is called first, and returns whether to send the prompt.
        """
        text = str(sent["text"])
        # The lock keeps the order, although one prompt may take longer to prepare than the next.
        async with self.lock:
            try:
                if prepare is not None and not await prepare():
                    return await self._panel.put_back(text)
                await self._ready()
                await self._send(text, sent)
            except ClaudeIdeError:
                await self._panel.put_back(text)
                raise

    async def withdraw(self, part: int) -> None:
        """Withdraw a prompt that has not started, and put it back into the prompt window."""
        prompt = self._transcript.withdraw(part)
        if prompt is None:
            return
        abilities.require(self._agent, "withdraw")
        text = self._transcript.queued.get(prompt, "")
        if not await self._agent.withdraw(prompt):
            raise UserError("too late: the agent has started on it")
        self._shell.withdrawn(prompt)
        await self._panel.put_back(text)

    async def give_back(self, blocked: str) -> None:
        """Give a prompt that was blocked back to the user, without touching what is in the prompt.

        `blocked` is empty if the agent does not know its text.
        """
        self._attachment.forget()
        text = self._transcript.prompt_like(blocked)
        if text and not await self._panel.give_back(text):
            self._transcript.note("notice", KEPT)
            self._changed()

    def cancel_queued(self) -> str:
        """Cancel the queued prompts of an agent that has died; return their texts."""
        queued = [*self._transcript.queued.items()]
        for prompt, _ in queued:
            self._transcript.apply(events.PromptChanged(prompt, events.PromptStage.CANCELLED))
        return "\n".join(text for _, text in queued)

    async def _send(self, text: str, sent: Mapping[str, Any]) -> None:
        attached = self._attachment.now
        images, how = sent.get("images") or (), str(sent.get("how"))
        abilities.require(self._agent, how, "paste-image" if images else "")
        # A command of the agent must come first in its prompt.
        ran = [] if text.startswith("/") else self._shell.results
        words = shell.unescaped(text)
        given = await context.prompt(self._editor, words, self._root, attached, images)
        methods = {"steer": self._agent.steer, "redirect": self._agent.redirect}
        send = methods.get(how, self._agent.prompt)
        id_ = await send([*ran, *given])
        self._attachment.sent(attached)
        self._shell.sent(id_, ran)
        chips = [*self._attachment.chips(attached), *map(shell.chip, ran)]
        self._transcript.add_prompt(id_, text, chips)
        self._changed()
