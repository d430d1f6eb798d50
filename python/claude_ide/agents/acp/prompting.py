"""Our prompts to one session: one makes up a turn, the others wait for its end.

An agent has no queue of its own: a second prompt during a turn is an error.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Callable
from typing import Any

from claude_ide.agents.acp import encode
from claude_ide.agents.acp.connection import Connection
from claude_ide.agents.acp.decoding.updates import Decoder
from claude_ide.agents.acp.encode import Block
from claude_ide.agents.acp.serving import Observing, Pending
from claude_ide.agents.acp.turn_ends import End, TurnEnds
from claude_ide.agents.agent import Prompt
from claude_ide.agents.events import (
    Event,
    Notice,
    PromptChanged,
    PromptStage,
    Stopping,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
)
from claude_ide.agents.fields import mapping, text
from claude_ide.errors import AgentError, UnknownSessionError

CANCEL_SECONDS = 10.0
"""How long an agent may take to end a turn before another interruption ends the agent."""

TOOLS = {
    TurnEndReason.COMPLETED: ToolStatus.COMPLETED,
    TurnEndReason.FAILED: ToolStatus.FAILED,
}
"""The status of tools whose end was not reported, by the end of their turn."""

STEERING = "_session/steering"
"""Agents that announce it take a prompt for the turn that runs; no part of the standard."""

PROMPT_REQUIRED = "promptRequired"
"""The answer to it if no turn runs, by agreement."""


class Prompting:
    """Sends the prompts of one session; `reopen` opens it again in an agent that has lost it."""

    def __init__(
        self,
        connection: Connection,
        decoder: Decoder,
        pending: Pending,
        observing: Observing,
        emit: Callable[[Event], None],
        reopen: Callable[[], Any],
    ) -> None:
        self._connection = connection
        self._decoder = decoder
        self._pending = pending
        self._observing = observing
        self._emit = emit
        self._reopen = reopen
        self.ends = TurnEnds(connection.offer.version)
        self._waiting: deque[tuple[str, list[Block]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._joined: list[str] = []
        """The prompts that the agent has taken within the current turn."""
        self._is_redirected = False
        self._cancelled = 0.0
        """When the turn that runs was cancelled; 0 if it was not."""

    @property
    def is_running(self) -> bool:
        """Whether a turn is running."""
        return self._task is not None and not self._task.done()

    def send(self, prompt: Prompt, *, next_: bool = False) -> str:
        """Send a prompt after the current turn, before the others with `next_`; return its id."""
        blocks = encode.blocks(prompt, self._connection.offer)
        id_ = self._new(PromptStage.QUEUED)
        (self._waiting.appendleft if next_ else self._waiting.append)((id_, blocks))
        self._is_redirected |= next_ and self.is_running
        if not self.is_running:
            self._task = asyncio.get_running_loop().create_task(self._run_all())
        return id_

    async def steer(self, prompt: Prompt) -> str:
        """Send a prompt within the current turn; return its id."""
        if not self.is_running:
            return self.send(prompt)
        params = self._params(encode.blocks(prompt, self._connection.offer))
        params["_meta"] = {"steering": {"idleBehavior": PROMPT_REQUIRED}}
        answer = mapping(await self._connection.request(STEERING, params))
        if answer.get("outcome") == PROMPT_REQUIRED:
            return self.send(prompt)
        id_ = self._new(PromptStage.QUEUED, PromptStage.STARTED)
        self._joined.append(id_)
        return id_

    def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that waits; False if it was too late."""
        waiting = next((each for each in self._waiting if each[0] == prompt), None)
        if waiting is None:
            return False
        self._waiting.remove(waiting)
        self._emit(PromptChanged(prompt, PromptStage.CANCELLED))
        return True

    async def interrupt(self) -> None:
        """End the current turn; end the agent if it does not obey."""
        now = asyncio.get_running_loop().time()
        if self._cancelled and now - self._cancelled > CANCEL_SECONDS:
            return self._connection.kill()
        self._emit(Stopping())
        await self.cancel()

    async def cancel(self) -> None:
        """Have the agent end the current turn."""
        self._cancelled = self._cancelled or asyncio.get_running_loop().time()
        self._decoder.tools.is_stopping = self.is_running
        await self._connection.notify("session/cancel", {"sessionId": self._decoder.session})
        self._pending.withdraw_all()

    async def stop(self, seconds: float) -> None:
        """End the current turn, if there is one; wait for that at most `seconds`."""
        if self._task is not None and self.is_running and self._connection.alive:
            await self.cancel()
            await asyncio.wait([self._task], timeout=seconds)

    def _new(self, *stages: PromptStage) -> str:
        id_ = str(uuid.uuid4())
        for stage in stages:
            self._emit(PromptChanged(id_, stage))
        return id_

    def _params(self, blocks: list[Block]) -> dict[str, Any]:
        return {"sessionId": self._decoder.session, "prompt": blocks}

    async def _run_all(self) -> None:
        while self._waiting:
            prompt, blocks = self._waiting.popleft()
            self._emit(PromptChanged(prompt, PromptStage.STARTED))
            began = asyncio.get_running_loop().time()
            self._cancelled = 0.0
            end = await self._ended(blocks)
            self._pending.withdraw_all()
            unended = TOOLS.get(end.why, ToolStatus.INTERRUPTED) if end else ToolStatus.INTERRUPTED
            for event in self._decoder.turn_ended(unended):
                self._emit(event)
            if end is None:  # the agent has ended
                self._waiting.clear()
                return
            is_redirected, self._is_redirected = self._is_redirected, False
            if is_redirected and end.why is TurnEndReason.INTERRUPTED:
                end = End(TurnEndReason.REDIRECTED)
            prompts, self._joined = (prompt, *self._joined), []
            duration = round(1000 * (asyncio.get_running_loop().time() - began))
            self._emit(TurnEnded(end.why, prompts, end.message, duration))
            for each in prompts:
                self._emit(PromptChanged(each, PromptStage.COMPLETED))

    async def _ended(self, blocks: list[Block]) -> End | None:
        """Send a prompt and wait for the end of its turn; None if the agent has ended."""
        end = await self.ends.of(self._answer(blocks), lambda: bool(self._cancelled))
        if end is None or not end.needs_login:
            return end
        self._emit(Notice(end.message, "error", "authentication_failed"))
        return End(end.why)

    async def _answer(self, blocks: list[Block]) -> dict[str, Any]:
        blocks = await self._with_notes(blocks)
        try:
            return await self._prompted(blocks)
        except UnknownSessionError as lost:
            # The process that had the session has ended, behind an agent that still runs.
            try:
                await self._reopen()
            except AgentError:
                raise lost from None
            return await self._prompted(blocks)

    async def _prompted(self, blocks: list[Block]) -> dict[str, Any]:
        return mapping(await self._connection.request("session/prompt", self._params(blocks)))

    async def _with_notes(self, blocks: list[Block]) -> list[Block]:
        """Return a prompt with the editor's notes, except for a slash command."""
        if any(text(block.get("text")).startswith("/") for block in blocks):
            return blocks
        notes = await self._observing.notes()
        return [*blocks, encode.note(notes)] if notes else blocks
