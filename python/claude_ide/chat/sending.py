"""Sends and withdraws prompts; a prompt that is not sent returns to the prompt window."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claude_ide.agents.agent import Agent
from claude_ide.agents.events import Event, PromptChanged, PromptStage
from claude_ide.chat import abilities, context
from claude_ide.chat.attachment import Attachment
from claude_ide.chat.context import Where
from claude_ide.chat.page.painter import Painter
from claude_ide.chat.panel import Panel
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.transcript.turns import Queued
from claude_ide.editor.editor import Editor
from claude_ide.errors import ClaudeIdeError, UserError


@dataclass(slots=True, eq=False)
class Held:
    """A prompt that the agent does not have yet; `view` shows it in the transcript."""

    text: str
    how: str
    images: Sequence[Mapping[str, str]]
    attached: Where | None
    is_attached: bool
    """Whether `attached` is known."""
    view: Queued


class Sending:
    """Sends the prompts of one chat.

    The panel keeps each prompt, by a number, until it has begun. `ready` waits until the agent
    accepts prompts; `accepts` tells whether it accepts them now. `lock` is held while a prompt is
    sent.
    """

    def __init__(
        self,
        root: str,
        agent: Agent,
        editor: Editor,
        panel: Panel,
        transcript: Transcript,
        painter: Painter,
        attachment: Attachment,
        ready: Callable[[], Awaitable[Any]],
        accepts: Callable[[], bool],
        run: Callable[[Awaitable[Any]], object],
    ) -> None:
        self.lock = asyncio.Lock()
        self._root = root
        self._agent = agent
        self._editor = editor
        self._panel = panel
        self._transcript = transcript
        self._painter = painter
        self._attachment = attachment
        self._ready = ready
        self._accepts = accepts
        self._run = run
        self.is_closed = False
        self._held: dict[int, Held] = {}
        self._sent: dict[str, int] = {}
        """The numbers of the prompts that the agent has and that have not begun, by their ids."""

    async def send(self, sent: Mapping[str, Any]) -> None:
        """Show a prompt at once, and send it as soon as the agent accepts it.

        If that fails, it returns to the prompt window.
        """
        number = int(sent["number"])
        self._hold(number, sent)
        try:
            # The lock keeps the order, although one prompt may take longer than the next.
            async with self.lock:
                await self._ready()
                await self._send(number)
        except ClaudeIdeError:
            if self.is_closed:
                return
            self._drop([number])
            await self._panel.give_back([number])
            raise

    def close(self) -> None:
        """Send no more: the panel keeps the texts of the prompts."""
        self.is_closed = True
        self._held.clear()

    async def withdraw(self, part: int) -> None:
        """Withdraw a prompt that has not started, and return it to the prompt window."""
        view = self._transcript.queued_at(part)
        if view is None:
            return
        if not view.prompt:
            numbers = [number for number, held in self._held.items() if held.view is view]
            self.taken_back(await self._panel.take_back(numbers))
            return
        abilities.require(self._agent, "withdraw")
        if not await self._agent.withdraw(view.prompt):
            raise UserError("too late: the agent has started on it")

    async def withdraw_all(self) -> bool:
        """Withdraw all prompts that the agent has and has not started; False if it was too late."""
        if not abilities.has(self._agent, "withdraw"):
            return False
        return all([await self._agent.withdraw(prompt) for prompt in [*self._transcript.queued]])

    def taken_back(self, numbers: Iterable[int]) -> None:
        """Remove prompts from the transcript that the user has taken back."""
        self._drop(numbers)
        self._painter.now()

    def follow(self, event: Event) -> None:
        """Apply an event of the agent, which the transcript shows already, to the sent prompts."""
        if self._sent:
            is_cancelled = getattr(event, "stage", None) is PromptStage.CANCELLED
            self._settle(self._panel.give_back if is_cancelled else self._panel.forget_prompts)

    def cancel_queued(self) -> list[int]:
        """Cancel the prompts that wait at an agent that has died; return their numbers."""
        queued = [*self._transcript.queued]
        for prompt in queued:
            self._transcript.apply(PromptChanged(prompt, PromptStage.CANCELLED))
        return [self._sent.pop(prompt) for prompt in queued if prompt in self._sent]

    def _hold(self, number: int, sent: Mapping[str, Any]) -> None:
        text, attached = str(sent["text"]), self._attachment.now
        self._attachment.sent(attached)
        is_ready = self._accepts() and not self.lock.locked()
        chips = self._attachment.chips(attached)
        view = self._transcript.hold_prompt(text, chips, is_ready=is_ready)
        images = sent.get("images") or ()
        is_attached = self._attachment.is_known
        how = str(sent.get("how"))
        self._held[number] = Held(text, how, images, attached, is_attached, view)
        self._painter.now()
        self._run(self._report_shown(number))

    def _settle(self, settle: Callable[[list[int]], Awaitable[Any]]) -> None:
        """Settle the prompts that have begun, or were cancelled."""
        queued = self._transcript.queued
        numbers = [self._sent.pop(prompt) for prompt in [*self._sent] if prompt not in queued]
        if numbers:
            self._run(settle(numbers))

    async def _report_shown(self, number: int) -> None:
        await self._painter.drawn()
        await self._panel.shown_prompt(number)

    def _drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if held := self._held.pop(number, None):
                self._transcript.drop_prompt(held.view)
                self._attachment.not_sent(held.attached)

    async def _send(self, number: int) -> None:
        held = self._held.get(number)
        if held is None:
            return
        abilities.require(self._agent, held.how, "paste-image" if held.images else "")
        if not held.is_attached:
            held.attached = self._attachment.now
            self._attachment.sent(held.attached)
        gathered = await context.gather(
            self._editor, held.text, self._root, held.attached, held.images
        )
        if not await self._panel.claim_prompt(number):
            return self.taken_back([number])
        methods = {"steer": self._agent.steer, "redirect": self._agent.redirect}
        id_ = await methods.get(held.how, self._agent.prompt)(gathered.prompt)
        self._sent[id_] = number
        del self._held[number]
        self._transcript.prompt_sent(held.view, id_, gathered.labels, gathered.missing)
        # Its stage may have been reported before.
        self._settle(self._panel.forget_prompts)
        self._painter.now()
