"""Observes the files that an agent changes: keeps earlier texts, and reports new diagnostics."""

from collections.abc import Awaitable, Callable

from claude_ide.agents.events import Change
from claude_ide.agents.workbench import Edits
from claude_ide.editor.editor import Editor
from claude_ide.review.commands import Commands
from claude_ide.review.journal import FileChange, Journal


async def _nothing() -> str:
    return ""


class Witness:
    """Fills the journal of one agent, and asks `diagnosis` for its notes (implements `Edits`)."""

    def __init__(self, editor: Editor, diagnosis: Edits) -> None:
        self.journal = Journal()
        self.reverted: Callable[[], Awaitable[str]] = _nothing
        """Returns a note for the model on what the user has reverted, or ""."""
        self._diagnosis = diagnosis
        self._commands = Commands(editor)
        self._found: dict[str, list[FileChange]] = {}

    async def before(self, tool: str, path: str) -> None:
        """Keep the text of a file that a tool is about to change."""
        await self.journal.before_write(path)
        await self._diagnosis.before(tool, path)

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Look for files that a command has changed; return the note on diagnostics."""
        if path:
            await self._commands.used(path)
        elif found := await self._commands.changed():
            self._found[tool] = found
            for each in found:
                self.journal.written(each.path, each.before)
        return await self._diagnosis.after(tool, path, change)

    def take_found(self, tool: str) -> list[FileChange]:
        """Return the files that a use of a tool has changed without reporting them, once."""
        return self._found.pop(tool, [])

    async def prompted(self) -> str:
        """Return the notes on reverted changes and on diagnostics."""
        await self._commands.prompted()
        notes = [await self.reverted(), await self._diagnosis.prompted()]
        return "\n\n".join(filter(None, notes))
