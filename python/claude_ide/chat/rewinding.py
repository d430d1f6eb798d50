"""Restores the files to their state before a prompt."""

from claude_ide.agents.agent import Agent, Rewind
from claude_ide.chat import abilities
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.transcript import changes, search
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, UserError
from claude_ide.paths import within


class Rewinding:
    """The files of one chat, whose paths below `root` are relative to it."""

    def __init__(self, agent: Agent, editor: Editor, transcript: Transcript, root: str) -> None:
        self._agent = agent
        self._editor = editor
        self._transcript = transcript
        self._root = root

    async def preview(self, prompt: str) -> Rewind:
        """Return what the agent would restore; nothing if it cannot."""
        if not abilities.has(self._agent, "rewind"):
            return Rewind(False)
        try:
            return await self._agent.rewind(prompt, dry_run=True)
        except AgentError as error:
            return Rewind(False, reason=str(error))

    async def choose(self, prompt: str, would: Rewind, question: str, ways: list[str]) -> str:
        """Ask a question next to the changes since a prompt; return the way that was chosen."""
        changes = ("changes", self._changes(prompt), "diff", "above")
        shown = await self._editor.port.windows.show_text(self._agent.name, *changes)
        sizes = f"+{would.insertions} -{would.deletions} lines"
        asked = f"{question} {self._names(would)} ({sizes})?"
        try:
            return await self._editor.choose(asked, ways)
        finally:
            await self._editor.port.windows.close_text(shown)

    async def restore(self, prompt: str, would: Rewind) -> str:
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
        diff = changes.unified(search.changes_since(self._transcript.sheet, prompt), self._root)
        commands = search.commands_since(self._transcript.sheet, prompt)
        if not commands:
            return diff
        remaining = [f"  {one_line(command)}" for command in commands]
        return "\n".join(
            [diff, "", "What these commands have changed is not restored:", *remaining]
        )

    def _names(self, would: Rewind) -> str:
        return ", ".join(within(path, self._root) for path in would.files)
