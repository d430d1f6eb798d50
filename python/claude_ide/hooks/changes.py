"""What the CLIs in terminals have changed: kept in memory for each session, and reviewed."""

import contextlib
from collections.abc import Sequence

from claude_ide.agents.events import FileWritten
from claude_ide.chat.page.plain import one_line
from claude_ide.editor.busy import soon
from claude_ide.editor.editor import Editor
from claude_ide.editor_name import NEOVIM, editor_name
from claude_ide.errors import EditorError
from claude_ide.review import versions
from claude_ide.review.journal import MOST_KEPT, FileChange, Journal
from claude_ide.review.reviews import Reviews

LONGEST_PROMPT = 50
MOST_SESSIONS = 50

BUSY_SECONDS = 1.0
"""How long the next hook waits for Neovim, which may be at a prompt."""


class Changes:
    """The changes of one session, which runs in the terminal with the id `launch`."""

    def __init__(self, editor: Editor, agent: str, session: str, folder: str) -> None:
        self.journal = Journal()
        self.launch = ""
        self._editor = editor
        self._agent = agent
        self._source = f"session {session}"
        self._reviews = Reviews(editor, self.journal, self._source, agent, folder)
        self._prompts: list[str] = []
        # Vim has no review.
        self._is_kept = editor_name() == NEOVIM

    @property
    def prompt(self) -> str:
        """The last prompt of the session, in a few words; empty if it is unknown."""
        return self._prompts[-1] if self._prompts else ""

    async def prompted(self, prompt: str) -> None:
        """Begin a turn."""
        await self.settle()
        self._prompts.append(one_line(prompt, LONGEST_PROMPT))
        self.journal.begin(str(len(self._prompts)))

    async def before_write(self, path: str) -> None:
        """Keep the text of a file that a tool is about to write."""
        if self._is_kept:
            await self.journal.before_write(path)

    def written(self, reported: Sequence[FileWritten], paths: Sequence[str]) -> None:
        """Record what a tool has written. Of some of the `paths` it does not report the texts."""
        if not self._is_kept:
            return
        for each in reported:
            self.journal.reported(each.path, each.before, each.after)
        for path in paths:
            # Unless an earlier text is known.
            self.journal.written(path, versions.UNSEEN)

    def found(self, changes: Sequence[FileChange]) -> None:
        """Record what was changed without a report."""
        for each in changes if self._is_kept else ():
            self.journal.written(each.path, each.before)

    async def settle(self) -> None:
        """End the turn, if there is one that has written a file."""
        if not self.journal.is_running(self.journal.turn):
            return
        await self.journal.settle(self.journal.turn)
        # Without them, only the completion of the command lacks something.
        with contextlib.suppress(EditorError, TimeoutError):
            await soon(self._reviews.name_files(), BUSY_SECONDS)

    async def show(self, only: Sequence[str], *, whole: bool) -> None:
        """Show the changes of the last turn that changed a file; with `whole`, of all turns."""
        turn = None if whole else await self.journal.latest()
        await self._reviews.show(turn, self._title(turn), only)

    async def note(self) -> str:
        """Return a note for the model on what the user has reverted since the last one, or ""."""
        news = await self._reviews.news()
        if news.summary:
            self._editor.notify(f"{self._agent} now knows that you {news.summary}")
        return news.note

    def _title(self, turn: str | None) -> str:
        if turn is None:
            return "all changes of this session"
        prompt = self._prompts[int(turn) - 1] if turn else ""
        return f"changes of “{prompt}”" if prompt else "changes of a turn"


class AllChanges:
    """Those of all sessions, also of sessions that have ended, up to a limit."""

    def __init__(self, editor: Editor, agent: str, most: int = MOST_KEPT) -> None:
        self._editor = editor
        self._agent = agent
        self._most = most
        self._known: dict[str, Changes] = {}
        """By session, the last active one last."""

    def of(self, launch: str, session: str, folder: str) -> Changes:
        """Return those of a session, which is active in this terminal."""
        known = self._known.pop(session, None)
        changes = known or Changes(self._editor, self._agent, session, folder)
        changes.launch = launch
        self._known[session] = changes
        return changes

    def forget(self) -> None:
        """Drop the texts of the sessions that were active longest ago until the others fit."""
        while len(self._known) > MOST_SESSIONS:
            del self._known[next(iter(self._known))]
        sizes = [(changes.journal, changes.journal.size()) for changes in self._known.values()]
        total = sum(size for _, size in sizes)
        for journal, size in sizes[:-1]:
            if total <= self._most:
                return
            journal.forget()
            total -= size

    async def found(self) -> list[Changes]:
        """Return the sessions that have changed a file, the last active one first."""
        known = reversed(list(self._known.values()))
        return [changes for changes in known if await changes.journal.latest() is not None]
