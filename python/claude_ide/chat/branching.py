"""Edits an earlier prompt: the conversation continues from before it, in a session of its own.

The replaced part of the conversation remains in the old session.
"""

import asyncio
import contextlib
from dataclasses import dataclass

import msgspec

from claude_ide.agents import events
from claude_ide.agents.agent import Earlier, Opening, Rewind
from claude_ide.agents.events import Event
from claude_ide.agents.session_state import AgentState
from claude_ide.base.errors import AgentError, UserError
from claude_ide.base.paths import within
from claude_ide.chat import context
from claude_ide.chat.answers import Answers
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand
from claude_ide.chat.life import Life
from claude_ide.chat.sending import Sending, is_command
from claude_ide.chat.settings import Settings
from claude_ide.chat.transcript.detail import unified
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.ui.page import drawn
from claude_ide.ui.text import one_line

STOP_SECONDS = 10.0
"""How long an interrupted turn may take to end before the agent is stopped anyway."""

KIND = "branch"
REPLACED = "continued from an earlier prompt (:ClaudeChat resume lists the old session)"
STOP, CANCEL = "Stop the turn", "Cancel"
FILES, TALK, BOTH = "Files only", "Conversation only", "Conversation and files"


@dataclass(frozen=True, slots=True)
class EditedPrompt:
    """The prompt that is being edited; `files` says whether to restore files, None to ask.

    `draft` is the text that it has replaced in the panel.
    """

    prompt: str
    earlier: Earlier
    draft: str
    files: bool | None = None


class Branching(ChatPart):
    """The earlier prompt that the user edits in one chat; also restores the files to before it."""

    def __init__(
        self, chat: ChatContext, life: Life, sending: Sending, answers: Answers, settings: Settings
    ) -> None:
        super().__init__(chat)
        self._life = life
        self._sending = sending
        self._answers = answers
        self._settings = settings
        self._target: EditedPrompt | None = None
        self._ended = asyncio.Event()

    def apply(self, event: Event) -> None:
        match event:
            case events.TurnEnded() | events.Dead():
                self._ended.set()

    @handles(panel.PromptEdited)
    async def edit(self, asked: panel.PromptEdited) -> None:
        """Edit the prompt in a part of the transcript; if it is being edited, stop that."""
        if self._transcript.queued_at(asked.part) is not None:
            return await self._sending.withdraw(panel.PromptWithdrawn(chat=0, part=asked.part))
        prompt = self._transcript.prompt_in(asked.part)
        if not prompt:
            raise UserError("there is no prompt here to edit")
        if self._target is not None and self._target.prompt == prompt:
            return await self.leave()
        await self._begin(prompt)

    async def leave(self) -> None:
        """Stop editing; the text remains in the history of prompts."""
        if (target := self._target) is not None:
            self._set(None)
            await self._panel.replace_prompt(target.draft)

    @subcommand("rewind")
    async def rewind(self) -> None:
        """Have the user choose a prompt, and whether to restore the conversation or the files."""
        await self._life.started("rewind")
        prompts = self._transcript.prompts
        if not prompts:
            raise UserError("there is no prompt to go back to in this chat")
        ids = list(reversed(prompts))
        chosen = await self._editor.choose("Go back to before:", ids, [prompts[id_] for id_ in ids])
        if not chosen:
            return
        if not await self._stop():
            return
        would = await self._would_restore(chosen)
        can_branch = self._chat.has("branch")
        if would.files:
            ways = [FILES, TALK, BOTH, CANCEL] if can_branch else [FILES, CANCEL]
            way = await self._choose(chosen, would, "Go back; restore", ways)
            if way == FILES:
                self._chat.note(KIND, await self._restore(chosen, would))
            elif way in (TALK, BOTH):
                await self._begin(chosen, files=way == BOTH)
        elif can_branch:
            await self._begin(chosen, files=False)
        else:
            raise UserError(would.reason or "no file has changed since")

    async def send(self, sent: panel.PromptSent) -> None:
        """Send a prompt: in place of the edited one, or as usual."""
        target = self._target
        if target is None:
            return await self._sending.send(sent)
        sent = msgspec.structs.replace(sent, how="send")
        await self._sending.send(sent, lambda: self._go_back(target))

    async def _begin(self, prompt: str, *, files: bool | None = None) -> None:
        self._chat.require("edit")
        earlier = await self._agent.earlier(prompt)
        # A text that the user has not typed here is no command for the shell.
        text = f"\\{earlier.text}" if is_command(earlier.text) else earlier.text
        before = await self._panel.replace_prompt(text, context.encoded(earlier.images))
        self._set(
            EditedPrompt(prompt, earlier, self._target.draft if self._target else before, files)
        )
        await self._panel.write()

    def _set(self, target: EditedPrompt | None) -> None:
        self._target = target
        self._chat.edited = one_line(target.earlier.text) or "[image]" if target else ""
        self._transcript.mark_edited(target.prompt if target else "")
        self._chat.refresh()

    async def _go_back(self, target: EditedPrompt) -> bool:
        """Open a session that continues from before a prompt; False if the user cancels."""
        if self._target is not target:
            return True  # another prompt was sent first, or the user has left the edit
        if not await self._stop():
            return False
        files, would = target.files, Rewind(False)
        if files is not False and self._agent.state.state not in (AgentState.OFF, AgentState.DEAD):
            would = await self._would_restore(target.prompt)
        if would.files and files is None:
            question = "Continue from before this prompt; restore"
            ways = [TALK, BOTH, CANCEL]
            way = await self._choose(target.prompt, would, question, ways)
            if way in ("", CANCEL):
                return False
            files = way == BOTH
        notes = []
        if would.files and files:
            notes.append(await self._restore(target.prompt, would))
        try:
            await self._reopen(target.earlier.opening)
            notes.append(REPLACED)
            await self._cut(target.prompt)
        finally:
            for line in notes:
                self._transcript.note(KIND, line)
            self._chat.refresh()
        return True

    async def _reopen(self, opening: Opening) -> None:
        """End the agent and open another session with its settings.

        Raises `UserError` if that fails; the agent then returns to its session.
        """
        mode = self._settings.mode
        await self._life.reopen(opening, self._answers.clear)
        if mode and self._chat.has("modes"):
            # A mode that the user has allowed in the meantime is not one of the repeated settings.
            with contextlib.suppress(AgentError):
                await self._agent.set_mode(mode)

    async def _cut(self, prompt: str) -> None:
        """Show the conversation as it was before a prompt."""
        self._target, self._chat.edited = None, ""
        self._transcript.cut(prompt)
        self._sending.attachment.forget()
        await self._panel.update({"pinned": drawn([])})

    async def _stop(self) -> bool:
        """End the current turn if the user agrees; its queued prompts return to the prompt."""
        if not self._agent.state.busy:
            return True
        question = "Going back ends the current turn:"
        if await self._editor.choose(question, [STOP, CANCEL]) != STOP:
            return False
        for prompt in [*self._transcript.queue.queued]:
            # It may have started by now, or the agent may not be able to withdraw it.
            with contextlib.suppress(AgentError):
                await self._agent.withdraw(prompt)
        self._ended.clear()
        if self._agent.state.busy:
            await self._agent.interrupt()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await self._ended.wait()
        await self._panel.give_back(self._sending.cancel_queued())
        return True

    # Files.

    async def _would_restore(self, prompt: str) -> Rewind:
        """Return what the agent would restore; nothing if it cannot."""
        if not self._chat.has("rewind"):
            return Rewind(False)
        try:
            return await self._agent.rewind(prompt, dry_run=True)
        except AgentError as error:
            return Rewind(False, reason=str(error))

    async def _choose(self, prompt: str, would: Rewind, question: str, ways: list[str]) -> str:
        """Ask a question next to the changes since a prompt; return the way that was chosen."""
        changes = ("changes", self._changes(prompt), "diff", "above")
        shown = await self._editor.port.windows.show_text(self._agent.name, *changes)
        sizes = f"+{would.insertions} -{would.deletions} lines"
        asked = f"{question} {self._names(would)} ({sizes})?"
        try:
            return await self._editor.choose(asked, ways)
        finally:
            await self._editor.port.windows.close_text(shown)

    async def _restore(self, prompt: str, would: Rewind) -> str:
        """Restore the files; return the line about it for the transcript.

        Raises `UserError` if the agent refuses.
        """
        before = self._transcript.prompts.get(prompt, "")
        for path in would.files:
            await self._editor.port.disk.expect_write(path)
        done = await self._agent.rewind(prompt, dry_run=False)
        if not done.possible:
            raise UserError(done.reason or "the files cannot be restored")
        await self._editor.reload()
        names = self._names(would)
        self._editor.notify(f"restored {names}")
        return f"restored {names} to before “{one_line(before, 60)}”"

    def _changes(self, prompt: str) -> str:
        """Return the changes since a prompt, and the commands whose changes would remain."""
        diff = unified(self._transcript.changes_since(prompt), self._chat.root)
        commands = self._transcript.commands_since(prompt)
        if not commands:
            return diff
        remaining = [f"  {one_line(command)}" for command in commands]
        return "\n".join(
            [diff, "", "What these commands have changed is not restored:", *remaining]
        )

    def _names(self, would: Rewind) -> str:
        return ", ".join(within(path, self._chat.root) for path in would.files)
