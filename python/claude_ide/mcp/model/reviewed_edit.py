"""An edit of one or more files that the user reviews before any of it is applied."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec

from claude_ide import files as disk
from claude_ide.editor.diffs import Diff
from claude_ide.editor_name import editor_name
from claude_ide.errors import EditorError, ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.lsp.edits import EditedFile
from claude_ide.mcp.model.pages import count, page
from claude_ide.mcp.tool import Content
from claude_ide.paths import exists

EACH, ALL, REFUSE = "Review each file", "Apply all without review", "Refuse"

WRITER = "disk.agent_file"
"""The Lua module that writes a file through its buffer."""


class Accepted(msgspec.Struct, frozen=True):
    """A file with the text that the user accepts; `diff` is None if they have not seen it."""

    file: EditedFile
    text: str
    diff: Diff | None


class Outcome(msgspec.Struct):
    """What became of each file: its path, and more words on it."""

    written: list[str] = []
    unsaved: list[str] = []
    rejected: list[str] = []
    failed: list[str] = []
    comments: list[str] = []

    @property
    def is_complete(self) -> bool:
        """Whether the whole edit was applied."""
        return not self.rejected and not self.failed

    def add(self, other: "Outcome") -> None:
        """Add what became of the files of another edit."""
        self.written += other.written
        self.unsaved += other.unsaved
        self.rejected += other.rejected
        self.failed += other.failed
        self.comments += other.comments

    def lines(self) -> list[str]:
        """Return the outcome for the model."""
        listed = {
            "Written:": self.written,
            "Changed, but not saved, as these buffers had unsaved changes:": self.unsaved,
            "Rejected by the user, and not changed:": self.rejected,
            "Failed:": self.failed,
            "The user says:": self.comments,
        }
        return [
            line
            for heading, paths in listed.items()
            if paths
            for line in (heading, *(f"  {path}" for path in paths))
        ]


async def review(client: Client, what: str, files: Sequence[EditedFile]) -> Outcome:
    """Have the user review an edit, and apply what they accept after the last decision.

    `what` is a verb with its objects, for the question. Cancelling this closes the diff and applies
    nothing; once the first file is being written, all are, and the user and the model are told.
    Raises `ToolError` if the user refuses all of it, or if a file has changed since.
    """
    reviewing = _Review(client, files)
    try:
        await reviewing.ask(what)
        await reviewing.check()
        await _to_the_end(reviewing.apply())
    except asyncio.CancelledError:
        reviewing.report_late(what)
        raise
    finally:
        reviewing.settle()
    return reviewing.outcome


async def _to_the_end(coroutine: Coroutine[Any, Any, None]) -> None:
    """Await a coroutine that is not cancelled with the caller: the caller is, at its end."""
    task, cancelled = asyncio.ensure_future(coroutine), None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()


def report(heading: str, outcome: Outcome, notes: Sequence[str] = ()) -> Content:
    """Describe an outcome to the model."""
    return page(heading, [*outcome.lines(), *notes])


class _Review:
    def __init__(self, client: Client, files: Sequence[EditedFile]) -> None:
        self._client = client
        self._editor = client.editor
        self._files = files
        self._accepted: list[Accepted] = []
        self._written: set[int] = set()
        """The ids of diffs whose texts were applied."""
        self.outcome = Outcome()

    async def ask(self, what: str) -> None:
        """Collect the decisions."""
        reviewed = list(self._files)
        if len(self._files) > 1:
            lines = count(sum(file.lines for file in self._files), "line")
            question = (
                f"{self._client.shown_name} wants to {what}: {lines} in "
                f"{count(len(self._files), 'file')}"
            )
            choice = await self._editor.decide(question, [EACH, ALL, REFUSE])
            if choice not in (EACH, ALL):
                raise ToolError(f"the user does not want to {what}; {self._nothing()}")
            if choice == ALL:
                # A file that a program runs, or one outside the project, is shown all the same.
                reviewed = [file for file in self._files if file.warning]
                unseen = (file for file in self._files if not file.warning)
                self._accepted += (Accepted(file, file.text, None) for file in unseen)
        for number, file in enumerate(reviewed, 1):
            await self._show(file, f"{number} of {len(reviewed)}" if len(reviewed) > 1 else "")
        if not self._accepted:
            reasons = "\n".join(self.outcome.rejected)
            raise ToolError(f"the user rejected it; nothing was changed:\n{reasons}")

    def _nothing(self, done: str = "changed") -> str:
        """Return that nothing was done, except by the language server itself."""
        made = [file.path for file in self._files if file.is_made]
        unless = f", but the language server has created {', '.join(made)}, empty" if made else ""
        return f"nothing was {done}{unless}"

    async def _show(self, file: EditedFile, hint: str) -> None:
        """Show a diff, and note the decision."""
        # Next to the text on disk, the proposal would seem to contain the unsaved changes, too.
        buffer = {"original": file.unsaved, "is_unsaved": True} if file.unsaved else {}
        diff = await self._editor.diffs.show(
            file.path,
            file.path,
            file.text,
            self._client.shown_name,
            self._client.config.diff.layout,
            is_reported=True,
            hint=hint,
            **buffer,
        )
        self._client.diffs.append(diff)
        try:
            decision = await diff.decision
        finally:
            self._client.diffs.remove(diff)
            self._editor.diffs.close(diff)
        if decision.accepted:
            self._accepted.append(Accepted(file, decision.text, diff))
            self.outcome.comments += [decision.words] if decision.words else []
        else:
            made = "; the language server has created it, empty" if file.is_made else ""
            reason = f": {decision.reason}" if decision.reason else ""
            self.outcome.rejected.append(f"{file.path}{made}{reason}")

    async def check(self) -> None:
        """Raise `ToolError` if one of the accepted files has changed since it was read."""
        known = [each.file for each in self._accepted if not each.file.is_new]
        fields = [{"path": file.path, "digest": file.digest} for file in known]
        found = await self._editor.port.model_tools.stale({"files": fields}) if fields else {}
        stale = [*(found.get("paths") or [])]
        stale += [each.file.path for each in self._accepted if each.file.is_new and _exists(each)]
        if stale:
            names = ", ".join(stale)
            nothing = self._nothing("applied")
            raise ToolError(f"changed during the review: {names}; {nothing}, call again")

    async def apply(self) -> None:
        """Write the accepted files; those with unsaved changes stay unsaved."""
        for accepted in self._accepted:
            try:
                await self._apply(accepted)
            except (EditorError, OSError) as error:
                reason = (
                    getattr(error, "strerror", None) or str(error) or f"{editor_name()} is busy"
                )
                self.outcome.failed.append(f"{accepted.file.path}: {reason}")
            else:
                if accepted.diff is not None:
                    self._written.add(accepted.diff.id)

    async def _apply(self, accepted: Accepted) -> None:
        path, text = accepted.file.path, accepted.text
        notes = [" (the user has changed the proposal)"] * (text != accepted.file.text)
        if accepted.file.is_new:
            if _exists(accepted):
                raise EditorError("exists by now")
            content = text.encode("utf-8", "surrogateescape")
            await asyncio.to_thread(disk.write, path, accepted.file.target, content)
            self.outcome.written.append("".join([path, *notes]))
            return
        loaded = await self._editor.load(path)
        if loaded.obstacle:
            raise EditorError(loaded.obstacle)
        name, digest = self._client.shown_name, accepted.file.digest
        target = accepted.file.target
        done = await self._editor.port.disk.write(path, text, name, False, digest, target)
        if done.is_unloaded:
            raise EditorError(f"read-only in {editor_name()}, or closed")
        if done.bufnr is not None:
            raise EditorError("changed meanwhile; it was not changed")
        if done.saved is not None:
            notes.append(" (saving has changed it further)")
        listed = self.outcome.unsaved if done.is_unsaved else self.outcome.written
        listed.append("".join([path, *notes]))

    def report_late(self, what: str) -> None:
        """Report what was applied although the call was cancelled, which has no answer."""
        changed = len(self.outcome.written) + len(self.outcome.unsaved)
        if not changed:
            return
        late = f"was cancelled too late; {count(changed, 'file')} changed"
        self._editor.notify(f"{self._client.shown_name}: {what} {late}", "warn")
        words = [f"An earlier call, to {what}, {late}.", *self.outcome.lines()]
        self._client.late.append("\n".join(words))

    def settle(self) -> None:
        """Report to Lua which texts were applied; it keeps those that the user had edited."""
        for each in self._accepted:
            if each.diff is not None:
                is_written = each.diff.id in self._written
                self._editor.diffs.settle(each.diff, is_written=is_written)


def _exists(accepted: Accepted) -> bool:
    return exists(accepted.file.path)
