"""Sends and withdraws prompts, or runs them; one that is not sent returns to the prompt window."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from claude_ide.agents.agent import ShellResult
from claude_ide.agents.events import Dead, Event, PromptBlocked, PromptChanged, PromptStage
from claude_ide.base import git, program
from claude_ide.base.errors import ClaudeIdeError, UserError
from claude_ide.chat import context
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.consent import FolderTrust
from claude_ide.chat.context import Attachment, Where
from claude_ide.chat.life import Life
from claude_ide.chat.transcript.prompts import Queued, Ran
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.transport.process import Process, shell
from claude_ide.ui.text import one_line

SIGN = "!"
ESCAPED = f"\\{SIGN}"
"""A prompt that begins with this is sent, without the backslash."""

LONGEST_CHIP = 30
TICK_SECONDS = 1.0


def is_command(prompt: str) -> bool:
    """Return whether a prompt is a command for the shell."""
    return prompt.startswith(SIGN)


def unescaped(prompt: str) -> str:
    """Return a prompt without the backslash of a `!` that begins it."""
    return prompt.removeprefix("\\") if prompt.startswith(ESCAPED) else prompt


def chip(result: ShellResult) -> str:
    """Return a result's label below the prompt that includes it."""
    return f"{SIGN}{one_line(result.command, LONGEST_CHIP)}"


class Shell:
    """Runs commands in the folder of a chat, one at a time.

    In a folder that is not trusted, git runs no program that the folder names, as for the agent.
    """

    def __init__(
        self, chat: ChatContext, trust: FolderTrust, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._chat = chat
        self._root = Path(chat.root)
        self._trust = trust
        self._clock = clock
        self._process: Process | None = None
        self._running = asyncio.Lock()
        self._is_stopped = False
        self._results: list[ShellResult] = []

    def take(self) -> list[ShellResult]:
        """Return the results that no prompt has included yet; a prompt will include them."""
        taken, self._results = self._results, []
        return taken

    def give_back(self, results: list[ShellResult]) -> None:
        """Have the next prompt include the results that `take` returned."""
        self._results = [*results, *self._results]

    async def run(self, prompt: str, begun: Callable[[], object] = bool) -> None:
        """Run the command that a prompt is, and show its output; `begun` is called when it runs.

        Raises `UserError` if it cannot be run.
        """
        command = prompt.removeprefix(SIGN).strip()
        if not command:
            raise UserError("there is no command after the !")
        if self._running.locked():
            raise UserError("a command is still running (CTRL-C ends it)")
        async with self._running:
            self._is_stopped = False
            view = self._chat.sheet.add("shell", lambda part: Ran(part, command, self._clock))
            self._chat.refresh()
            try:
                await self._run(command, view, begun)
            except OSError as error:
                self._chat.sheet.remove(view)
                raise UserError(f"the command cannot be run: {error.strerror}") from None
            finally:
                self._process = None
                self._chat.refresh()

    def stop(self) -> bool:
        """End the command that is running or starting; return whether there is one."""
        self._is_stopped = self._running.locked()
        if self._process is not None:
            self._process.stop()
        return self._is_stopped

    async def _run(self, command: str, view: Ran, begun: Callable[[], object]) -> None:
        def redraw() -> None:
            self._chat.sheet.changed(view)
            self._chat.refresh()

        def add(piece: bytes) -> None:
            view.output.add(piece)
            redraw()

        ticking = asyncio.create_task(_every(TICK_SECONDS, redraw))
        try:
            environment = await asyncio.to_thread(self._environment)
            arguments = (shell(environment), "-c", command)
            self._process = await Process.start(arguments, self._root, environment, add)
            begun()
            if self._is_stopped:
                self._process.stop()
            code = await self._process.wait()
        finally:
            ticking.cancel()
        failure = f"ended by signal {-code}" if code < 0 else f"exit {code}" if code else ""
        view.end("interrupted" if self._is_stopped else failure)
        self._results.append(ShellResult(command, view.text, failed=bool(view.outcome)))
        redraw()

    def _environment(self) -> dict[str, str]:
        given = program.inherited(os.environ)
        return given if self._trust.is_trusted else git.for_programs(given, self._root)


async def _every(seconds: float, act: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(seconds)
        act()


KEPT = "the prompt has other text, so the blocked one is in its history (<Up>)"


@dataclass(slots=True, eq=False)
class Held:
    """A prompt that has not begun; `view` shows it in the transcript.

    `ran` are the results of the user's commands with it.
    """

    sent: panel.PromptSent
    attached: Where | None
    is_attached: bool
    """Whether `attached` is known."""
    ran: list[ShellResult]
    view: Queued


class Sending(ChatPart):
    """Sends the prompts of one chat.

    The panel keeps each prompt, by a number, until it has begun. The lock of `life` is held while a
    prompt is sent.
    """

    def __init__(self, chat: ChatContext, life: Life, trust: FolderTrust) -> None:
        super().__init__(chat)
        self.attachment = Attachment(chat)
        self.shell = Shell(chat, trust)
        self._life = life
        self._is_closed = False
        self._held: dict[int, Held] = {}
        """The prompts that the agent does not have, by their numbers."""
        self._sent: dict[str, Held] = {}
        """The prompts that the agent has and that have not begun, by their ids."""

    async def send(
        self, sent: panel.PromptSent, prepare: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """Show a prompt at once, and send it as soon as the agent accepts it.

        If that fails, it returns to the prompt window. `prepare` is called first, and returns
        whether to send the prompt.
        """
        number = sent.number
        is_ready = self._life.accepts and not self._life.lock.locked()
        self._hold(sent, is_ready=is_ready and prepare is None)
        try:
            # The lock keeps the order, although one prompt may take longer than the next.
            async with self._life.lock:
                if prepare is not None and not await self._prepare(number, prepare):
                    return await self._return([number])
                await self._life.started()
                await self._send(number)
        except ClaudeIdeError:
            if self._is_closed or number not in self._held:
                return  # the panel has the text, or the user has taken it back
            await self._return([number])
            raise

    async def run_command(self, sent: panel.PromptSent) -> None:
        """Run a prompt that begins with `!` in the shell; if it cannot be run, give it back."""
        number = sent.number
        if not await self._panel.claim_prompt(number):
            return
        try:
            await self.shell.run(
                sent.text, lambda: self._chat.run(self._panel.forget_prompts([number]))
            )
        except UserError:
            await self._panel.give_back([number])
            raise

    def close(self) -> None:
        """Send no more: the panel keeps the texts of the prompts. End the user's command."""
        self._is_closed = True
        self._held.clear()
        self.shell.stop()

    @handles(panel.PromptWithdrawn)
    async def withdraw(self, asked: panel.PromptWithdrawn) -> None:
        """Withdraw a prompt that has not started, and return it to the prompt window."""
        view = self._transcript.queued_at(asked.part)
        if view is None:
            return
        if not view.prompt:
            numbers = [number for number, held in self._held.items() if held.view is view]
            if taken := await self._panel.take_back(numbers):
                return self.taken_back(taken)
            async with self._life.lock:
                pass  # it is being handed to the agent
            if not view.prompt or view.part.is_removed:
                return
        self._chat.require("withdraw")
        if not await self._agent.withdraw(view.prompt):
            raise UserError("too late: the agent has started on it")

    async def withdraw_all(self) -> bool:
        """Withdraw all prompts that the agent has and has not started; False if it was too late."""
        if not self._chat.has("withdraw"):
            return False
        return all(
            [await self._agent.withdraw(prompt) for prompt in [*self._transcript.queue.queued]]
        )

    def taken_back(self, numbers: Iterable[int]) -> None:
        """Remove prompts from the transcript that the user has taken back."""
        self._drop(numbers)
        self._chat.painter.now()

    async def _return_blocked(self, blocked: str) -> None:
        """Return a prompt that was blocked to the prompt window, unless that has other text.

        `blocked` is empty if the agent does not know its text.
        """
        self.attachment.forget()
        text = self._transcript.prompt_like(blocked)
        if text and not await self._panel.put_if_empty(text):
            self._chat.note("notice", KEPT)

    def apply(self, event: Event) -> None:
        """Have the panel keep a sent prompt no longer once it has begun, or return it."""
        match event:
            case PromptBlocked(text):
                self._chat.run(self._return_blocked(text))
            case Dead() if numbers := self.cancel_queued():
                self._chat.run(self._panel.give_back(numbers))
        if not self._sent:
            return
        if getattr(event, "stage", None) is not PromptStage.CANCELLED:
            self._forget_begun()
        elif cancelled := self._pop_cancelled():
            self._chat.run(self._panel.give_back(cancelled))

    def cancel_queued(self) -> list[int]:
        """Cancel the prompts that wait at the agent, which will not start them.

        Returns their numbers.
        """
        for prompt in [*self._transcript.queue.queued]:
            self._transcript.apply(PromptChanged(prompt, PromptStage.CANCELLED))
        return self._pop_cancelled()

    def _hold(self, sent: panel.PromptSent, *, is_ready: bool) -> None:
        number, attached = sent.number, self.attachment.now
        self.attachment.sent(attached)
        # A command of the agent must come first in its prompt.
        ran = [] if sent.text.startswith("/") else self.shell.take()
        chips = [*self.attachment.chips(attached), *map(chip, ran)]
        view = self._transcript.queue.hold(sent.text, chips, is_ready=is_ready)
        self._held[number] = Held(sent, attached, self.attachment.is_known, ran, view)
        self._chat.painter.now()
        self._chat.run(self._report_shown(number))

    async def _prepare(self, number: int, prepare: Callable[[], Awaitable[bool]]) -> bool:
        if not await prepare():
            return False
        if held := self._held.get(number):
            # The conversation may be another one now, which does not know the file or selection.
            self.attachment.not_sent(held.attached)
            held.is_attached = False
        return True

    async def _return(self, numbers: list[int]) -> None:
        self._drop(numbers)
        self._chat.painter.now()
        await self._panel.give_back(numbers)

    def _forget_begun(self) -> None:
        """Have the panel forget the prompts that have begun."""
        if begun := self._pop_settled():
            self._chat.run(self._panel.forget_prompts([held.sent.number for held in begun]))

    def _pop_cancelled(self) -> list[int]:
        """Remove the prompts that were cancelled, and return their numbers."""
        cancelled = self._pop_settled()
        self._offer_again(cancelled)
        return [held.sent.number for held in cancelled]

    def _pop_settled(self) -> list[Held]:
        """Remove and return the prompts that no longer wait at the agent."""
        queued = self._transcript.queue.queued
        return [self._sent.pop(prompt) for prompt in [*self._sent] if prompt not in queued]

    async def _report_shown(self, number: int) -> None:
        await self._chat.painter.drawn()
        await self._panel.shown_prompt(number)

    def _drop(self, numbers: Iterable[int]) -> None:
        dropped = [held for number in numbers if (held := self._held.pop(number, None))]
        for held in dropped:
            self._transcript.queue.drop(held.view)
        self._offer_again(dropped)

    def _offer_again(self, unsent: Sequence[Held]) -> None:
        """Offer what was attached to prompts for the next one."""
        for held in reversed(unsent):
            self.attachment.not_sent(held.attached)
            self.shell.give_back(held.ran)

    async def _send(self, number: int) -> None:
        held = self._held.get(number)
        if held is None:
            return
        self._chat.require(held.sent.how, "paste-image" if held.sent.images else "")
        if not held.is_attached:
            held.attached = self.attachment.now
            self.attachment.sent(held.attached)
        words = unescaped(held.sent.text)
        gathered = await context.gather(
            *(self._editor, words, self._chat.root, held.attached, held.sent.images),
            sends_text=self.attachment.sends_text,
        )
        if not await self._panel.claim_prompt(number):
            return self.taken_back([number])
        methods = {"steer": self._agent.steer, "redirect": self._agent.redirect}
        send = methods.get(held.sent.how, self._agent.prompt)
        id_ = await send([*held.ran, *gathered.prompt])
        self._sent[id_] = self._held.pop(number)
        chips = [*gathered.labels, *map(chip, held.ran)]
        self._transcript.queue.sent(held.view, id_, chips, gathered.missing)
        # Its stage may have been reported before.
        self._forget_begun()
        self._chat.painter.now()
