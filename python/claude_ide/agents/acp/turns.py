"""Our prompts: one makes up a turn, the others wait for its end.

An agent has no queue of its own: a second prompt during a turn is an error.
"""

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from claude_ide.agents.acp.encode import Block
from claude_ide.agents.events import (
    Event,
    PromptChanged,
    PromptStage,
    TurnEnded,
    TurnEndReason,
)

logger = logging.getLogger(__name__)

BROKEN = "the turn was lost, see :ClaudeLog"
"""The message of a turn that has ended by an error of our own."""


class End(NamedTuple):
    """How a turn has ended; `message` says what went wrong."""

    why: TurnEndReason
    message: str = ""


class Turns:
    """The prompts of one session; `run` sends one, and returns at the end of its turn."""

    def __init__(
        self, run: Callable[[list[Block]], Awaitable[End | None]], emit: Callable[[Event], None]
    ) -> None:
        self._run = run
        self._emit = emit
        self._waiting: deque[tuple[str, list[Block]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._joined: list[str] = []
        """The prompts that the agent has taken within the current turn."""
        self._is_redirected = False

    @property
    def is_running(self) -> bool:
        """Whether a turn is running."""
        return self._task is not None and not self._task.done()

    def add(self, blocks: list[Block], *, next_: bool = False) -> str:
        """Send a prompt after the current turn, before the others with `next_`; return its id."""
        id_ = str(uuid.uuid4())
        (self._waiting.appendleft if next_ else self._waiting.append)((id_, blocks))
        self._emit(PromptChanged(id_, PromptStage.QUEUED))
        self._is_redirected |= next_ and self.is_running
        if not self.is_running:
            self._task = asyncio.get_running_loop().create_task(self._run_all())
        return id_

    def join(self) -> str:
        """Note a prompt that the agent has taken within the current turn; return its id."""
        id_ = str(uuid.uuid4())
        self._emit(PromptChanged(id_, PromptStage.QUEUED))
        self._emit(PromptChanged(id_, PromptStage.STARTED))
        self._joined.append(id_)
        return id_

    def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that waits; False if there is none."""
        waiting = next((each for each in self._waiting if each[0] == prompt), None)
        if waiting is None:
            return False
        self._waiting.remove(waiting)
        self._emit(PromptChanged(prompt, PromptStage.CANCELLED))
        return True

    async def settled(self) -> None:
        """Wait until the current turn has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _ended(self, blocks: list[Block]) -> End | None:
        try:
            return await self._run(blocks)
        except Exception:
            # Without an end the chat would be busy for ever.
            logger.exception("a turn could not be followed to its end")
            return End(TurnEndReason.FAILED, BROKEN)

    async def _run_all(self) -> None:
        while self._waiting:
            prompt, blocks = self._waiting.popleft()
            self._emit(PromptChanged(prompt, PromptStage.STARTED))
            began = asyncio.get_running_loop().time()
            end = await self._ended(blocks)
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
