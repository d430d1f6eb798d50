"""Our prompts to one session: one makes up a turn, the others wait for its end.

An agent has no queue of its own: a second prompt during a turn is an error.
"""

import asyncio
import base64
import logging
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from claude_ide.agents import events
from claude_ide.agents.acp.connection import AcpConnection, AgentOffer, EndedError
from claude_ide.agents.acp.serving import Serving
from claude_ide.agents.acp.updates import ASSISTANT, marked
from claude_ide.agents.agent import Image, Mention, OpenFile, Prompt, Selection, ShellResult, Words
from claude_ide.agents.fields import mapping, text
from claude_ide.base.errors import AgentError, LoginNeededError, UnknownSessionError

CANCEL_SECONDS = 10.0
"""How long an agent may take to end a turn before another interruption ends the agent."""

TOOLS = {
    events.TurnEndReason.COMPLETED: events.ToolStatus.COMPLETED,
    events.TurnEndReason.FAILED: events.ToolStatus.FAILED,
}
"""The status of tools whose end was not reported, by the end of their turn."""

STEERING = "_session/steering"
"""Agents that announce it take a prompt for the turn that runs; no part of the standard."""

PROMPT_REQUIRED = "promptRequired"
"""The answer to it if no turn runs, by agreement."""


logger = logging.getLogger(__name__)

BROKEN = "the turn was lost, see :ClaudeLog"
"""The message of a turn that has ended by an error of our own."""

STATE, RUNNING, IDLE = "state_update", "running", "idle"

REASONS = {
    "end_turn": events.TurnEndReason.COMPLETED,
    "max_tokens": events.TurnEndReason.ANSWER_TOO_LONG,
    "max_turn_requests": events.TurnEndReason.TOO_MANY_REQUESTS,
    "refusal": events.TurnEndReason.REFUSED,
    "cancelled": events.TurnEndReason.INTERRUPTED,
}


class TurnEnd(NamedTuple):
    """How a turn has ended; `message` says what went wrong, `needs_login` that this helps."""

    why: events.TurnEndReason
    message: str = ""
    needs_login: bool = False


class TurnEnds:
    """The ends of one session's turns; `version` is the one that the agent speaks.

    In version 1 the answer to the prompt ends the turn. In version 2 that answer only says that the
    agent has accepted the prompt, and an update with the agent's state reports the end.
    """

    def __init__(self, version: int) -> None:
        self._reports_state = version > 1
        self._has_run = False
        self._reported: asyncio.Future[str | None] | None = None
        """The reason for the end of the turn; None if the agent has ended."""

    def follow(self, update: dict[str, Any]) -> None:
        """Follow an update of the session."""
        if update.get("sessionUpdate") != STATE:
            return
        self._reports_state = True
        state, why = update.get("state"), text(update.get("stopReason"))
        self._has_run |= state == RUNNING
        # The end of what the agent did by itself may arrive after the prompt was sent.
        if state == IDLE and (self._has_run or why):
            self._report(why)

    def agent_ended(self) -> None:
        """End the turn that runs, if there is one."""
        self._report(None)

    async def of(
        self, answering: Awaitable[dict[str, Any]], is_cancelled: Callable[[], bool]
    ) -> TurnEnd | None:
        """Return how the turn ends that begins with a prompt; None if the agent has ended."""
        self._has_run = False
        self._reported = asyncio.get_running_loop().create_future()
        try:
            why: str | None = text((await answering).get("stopReason"))
            if not why and self._reports_state:
                why = await self._reported
        except EndedError:
            return None
        except LoginNeededError as error:
            return TurnEnd(events.TurnEndReason.FAILED, str(error), needs_login=True)
        except AgentError as error:
            if is_cancelled():
                # Some agents end a turn that was cancelled with an error.
                logger.info("a cancelled turn ended with an error: %s", error)
                return TurnEnd(events.TurnEndReason.INTERRUPTED)
            return TurnEnd(events.TurnEndReason.FAILED, str(error))
        except Exception:
            # Without an end the chat would be busy for ever.
            logger.exception("a turn could not be followed to its end")
            return TurnEnd(events.TurnEndReason.FAILED, BROKEN)
        return None if why is None else TurnEnd(REASONS.get(why, events.TurnEndReason.COMPLETED))

    def _report(self, why: str | None) -> None:
        if self._reported is not None and not self._reported.done():
            self._reported.set_result(why)


Block = dict[str, Any]
"""One block of a prompt's content."""

FOR_THE_MODEL = {"annotations": {"audience": [ASSISTANT]}}
"""Some agents do not repeat such a block as the user's words when they load the session."""

NO_IMAGES = "(The user has pasted an image, which this agent cannot see.)"
MAY_NOT_MATTER = "It may or may not be related to the current task."


def content_of(prompt: Prompt, offer: AgentOffer) -> list[Block]:
    """Return the blocks (`ContentBlock`) of a prompt for an agent, as far as it takes them.

    The words are first: a slash command begins the first text, and some agents make it the title.
    """
    content: list[Block] = []
    context: list[Block] = []
    for part in prompt:
        match part:
            case Words(words):
                content.append(words_block(words))
            case Image(data, media_type) if offer.images:
                encoded = base64.b64encode(data).decode("ascii")
                content.append({"type": "image", "mimeType": media_type, "data": encoded})
            case Image():
                content.append(words_block(NO_IMAGES))
            case Mention(path, name, first, last):
                uri = _uri(path, first, last)
                context.append({"type": "resource_link", "name": name, "uri": uri})
            case Selection(path, first, last, words):
                context.append(_embedded(_uri(path, first, last), words, offer))
            case OpenFile(path, None):
                context.append(note(f"The user has opened the file {path}. {MAY_NOT_MATTER}"))
            case OpenFile(path, str(words)):
                context.append(_embedded(_uri(path), words, offer))
            case ShellResult(command, output, failed):
                lines = ["The user has run this command:", f"$ {command}"]
                lines += [output.removesuffix("\n"), *["(The command has failed.)"] * failed]
                context.append(_context("shell", "\n".join(lines)))
    if context:
        _separate(content)
    return content + context


def words_block(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def note(words: str) -> Block:
    """Return a note of the editor for the model."""
    return _context("editor", words)


def _context(source: str, words: str) -> Block:
    return {**words_block(marked(source, words)), **FOR_THE_MODEL}


def _separate(content: list[Block]) -> None:
    """End the last text with a line, because some agents join the blocks without a space."""
    for block in reversed(content):
        if block["type"] == "text" and not block["text"].startswith("/"):
            block["text"] += "\n"
            return


def _embedded(uri: str, words: str, offer: AgentOffer) -> Block:
    if not offer.embeds:
        return _context(uri, words)
    return {"type": "resource", "resource": {"uri": uri, "text": words}, **FOR_THE_MODEL}


def _uri(path: str, first: int | None = None, last: int | None = None) -> str:
    lines = f"#L{first}" + (f"-{last}" if last != first else "") if first else ""
    return Path("/", path).as_uri() + lines


class Prompting:
    """Sends the prompts of one session; `reopen` opens it again in an agent that has lost it."""

    def __init__(
        self, connection: AcpConnection, serving: Serving, reopen: Callable[[], Any]
    ) -> None:
        self._connection = connection
        self._serving = serving
        self._decoder = serving.decoder
        self._emit = serving.emit
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
        blocks = content_of(prompt, self._connection.offer)
        id_ = self._new(events.PromptStage.QUEUED)
        (self._waiting.appendleft if next_ else self._waiting.append)((id_, blocks))
        self._is_redirected |= next_ and self.is_running
        if not self.is_running:
            self._task = asyncio.get_running_loop().create_task(self._run_all())
        return id_

    async def steer(self, prompt: Prompt) -> str:
        """Send a prompt within the current turn; return its id."""
        if not self.is_running:
            return self.send(prompt)
        params = self._params(content_of(prompt, self._connection.offer))
        params["_meta"] = {"steering": {"idleBehavior": PROMPT_REQUIRED}}
        answer = mapping(await self._connection.request(STEERING, params))
        if answer.get("outcome") == PROMPT_REQUIRED:
            return self.send(prompt)
        id_ = self._new(events.PromptStage.QUEUED, events.PromptStage.STARTED)
        self._joined.append(id_)
        return id_

    def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that waits; False if it was too late."""
        waiting = next((each for each in self._waiting if each[0] == prompt), None)
        if waiting is None:
            return False
        self._waiting.remove(waiting)
        self._emit(events.PromptChanged(prompt, events.PromptStage.CANCELLED))
        return True

    async def interrupt(self) -> None:
        """End the current turn; end the agent if it does not obey."""
        now = asyncio.get_running_loop().time()
        if self._cancelled and now - self._cancelled > CANCEL_SECONDS:
            return self._connection.kill()
        self._emit(events.Stopping())
        await self.cancel()

    async def cancel(self) -> None:
        """Have the agent end the current turn."""
        self._cancelled = self._cancelled or asyncio.get_running_loop().time()
        self._decoder.tools.is_stopping = self.is_running
        await self._connection.notify("session/cancel", {"sessionId": self._decoder.session})
        self._serving.pending.withdraw_all()

    async def stop(self, seconds: float) -> None:
        """End the current turn, if there is one; wait for that at most `seconds`."""
        if self._task is not None and self.is_running and self._connection.alive:
            await self.cancel()
            await asyncio.wait([self._task], timeout=seconds)

    def _new(self, *stages: events.PromptStage) -> str:
        id_ = str(uuid.uuid4())
        for stage in stages:
            self._emit(events.PromptChanged(id_, stage))
        return id_

    def _params(self, blocks: list[Block]) -> dict[str, Any]:
        return {"sessionId": self._decoder.session, "prompt": blocks}

    async def _run_all(self) -> None:
        while self._waiting:
            prompt, blocks = self._waiting.popleft()
            self._emit(events.PromptChanged(prompt, events.PromptStage.STARTED))
            began = asyncio.get_running_loop().time()
            self._cancelled = 0.0
            end = await self._ended(blocks)
            self._serving.pending.withdraw_all()
            unended = (
                TOOLS.get(end.why, events.ToolStatus.INTERRUPTED)
                if end
                else events.ToolStatus.INTERRUPTED
            )
            for event in self._decoder.turn_ended(unended):
                self._emit(event)
            await self._serving.observing.recorded()
            if end is None:  # the agent has ended
                self._waiting.clear()
                return
            is_redirected, self._is_redirected = self._is_redirected, False
            if is_redirected and end.why is events.TurnEndReason.INTERRUPTED:
                end = TurnEnd(events.TurnEndReason.REDIRECTED)
            prompts, self._joined = (prompt, *self._joined), []
            duration = round(1000 * (asyncio.get_running_loop().time() - began))
            self._emit(events.TurnEnded(end.why, prompts, end.message, duration))
            for each in prompts:
                self._emit(events.PromptChanged(each, events.PromptStage.COMPLETED))

    async def _ended(self, blocks: list[Block]) -> TurnEnd | None:
        """Send a prompt and wait for the end of its turn; None if the agent has ended."""
        end = await self.ends.of(self._answer(blocks), lambda: bool(self._cancelled))
        if end is None or not end.needs_login:
            return end
        self._emit(events.Notice(end.message, "error", "authentication_failed"))
        return TurnEnd(end.why)

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
        """Return a prompt with the editor's notes; after a slash command, the next one has them."""
        is_command = any(text(block.get("text")).startswith("/") for block in blocks)
        notes = await self._serving.observing.notes(is_command=is_command)
        if notes and is_command:
            self._serving.observing.note(notes)
            return blocks
        return [*blocks, note(notes)] if notes else blocks
