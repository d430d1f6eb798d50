"""An edit of one or more files that the user reviews before any of it is applied.

An edit of a language server, or of a formatter, is applied to copies, and the user reviews the
result.
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any

import msgspec

from claude_ide.base import files as disk
from claude_ide.base.errors import EditorError, ToolError
from claude_ide.base.names import editor_name
from claude_ide.base.paths import TURNED, display_path, exists, from_uri, normalized, real
from claude_ide.editor.attention import CallingSession
from claude_ide.editor.diffs import Diff
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.batch import (
    MISSING,
    ChangedError,
    Gate,
    Guard,
    Step,
    leads_to,
    retry,
    stamp,
    step,
    tick,
)
from claude_ide.editor.port.diagnostics import DiagnosticsPort
from claude_ide.editor.port.files import BufferText, DiskPort, FileBuffer, NewText, Saved
from claude_ide.editor.port.tools import LanguageServer
from claude_ide.editor.protocol import TextEdit, count_changed, edited, parsed
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import count, page
from claude_ide.mcp.tool import Content

UNKNOWN = "the language server answered an edit of an unknown form"
EACH, ALL, REFUSE = "Review each file", "Apply all without review", "Refuse"


WRITTEN = "Written:"
UNSAVED = "Changed, but not saved, as these buffers had unsaved changes:"
REJECTED = "Rejected by the user, and not changed:"
FAILED = "Failed:"
COMMENTS = "The user says:"


# The texts that files would have.


class EditedFile(msgspec.Struct, frozen=True):
    """A file and its proposed text."""

    path: str
    text: str
    digest: str
    """Of the present text, with which the edit can be applied."""
    lines: int
    """How many lines change."""
    warning: str = ""
    target: str = ""
    """The path without links, for which the warning is."""
    unsaved: int | None = None
    """The buffer, if it has unsaved changes."""
    is_new: bool = False


class FileEdits(msgspec.Struct):
    """The edits of one file; each group applies to the result of the previous one."""

    path: str
    groups: list[list[TextEdit]] = []
    version: int = 0
    """Of the document, if the server has named one; many servers always name 0."""
    is_new: bool = False


async def composed(
    editor: Editor, edit: Any, server: LanguageServer, ticks: dict[int, int]
) -> list[EditedFile]:
    """Return the files that an edit changes, with their new texts.

    `ticks` are the changedticks of all buffers when the server was asked. Raises `EditorError` if a
    part of the edit is not possible.
    """
    files = by_file(edit)
    await editor.gate.check_change([{"path": file.path} for file in files])
    found: list[BufferText] = []
    while len(found) < len(files):
        wanted = [{"path": file.path, "is_new": file.is_new} for file in files[len(found) :]]
        given = {"files": wanted, "client": server.id}
        answer = await editor.port.model_tools.edited_texts(given)
        found += msgspec.convert(answer["texts"], list[BufferText])
    changed_files = await asyncio.to_thread(_changed_files, files, found, server, ticks)
    return [located(file, editor) for file in changed_files]


def _changed_files(
    files: list[FileEdits], texts: list[BufferText], server: LanguageServer, ticks: dict[int, int]
) -> list[EditedFile]:
    pairs = zip(files, texts, strict=True)
    found = (_changed_file(file, text, server, ticks) for file, text in pairs)
    return [file for file in found if file is not None]


def _changed_file(
    file: FileEdits, text: BufferText, server: LanguageServer, ticks: dict[int, int]
) -> EditedFile | None:
    if file.is_new:
        lines = edited([""], file.groups, server.encoding)
        is_empty = lines == [""]
        whole = "" if is_empty else text.with_lines(lines)
        count = 0 if is_empty else len(lines)
        return EditedFile(file.path, whole, "", count, is_new=True)
    is_old = text.version is not None and 0 < file.version < text.version
    if is_old or ticks.get(text.bufnr, text.tick) != text.tick:
        raise EditorError(
            f"{file.path} was changed while the language server was asked; nothing was changed, "
            "call the tool again"
        )
    return changed(text, edited(text.lines, file.groups, server.encoding))


def changed(text: BufferText, lines: list[str]) -> EditedFile | None:
    """Return a file with other lines; None if nothing changes."""
    if lines == text.lines:
        return None
    if not text.is_writable:
        raise EditorError(f"{text.path} is read-only in {editor_name()}; nothing was changed")
    return EditedFile(
        text.path,
        text.with_lines(lines),
        text.digest,
        count_changed(text.lines, lines),
        unsaved=text.bufnr if text.is_modified else None,
    )


def located(file: EditedFile, editor: Editor) -> EditedFile:
    """Return a file with the warning about it; a buffer that is not saved needs none."""
    where = display_path(file.path, editor.state.folders)
    warning = "" if file.unsaved is not None else where.warning
    return msgspec.structs.replace(file, warning=warning, target=where.target)


def by_file(edit: Any) -> list[FileEdits]:
    """Return the edits of each file, in the order in which the server names the files."""
    files: dict[str, FileEdits] = {}

    def file_of(uri: Any) -> FileEdits:
        path = _path_of(uri)
        return files.setdefault(path, FileEdits(path))

    if not isinstance(edit, dict):
        raise EditorError(UNKNOWN)
    if isinstance(changes := edit.get("documentChanges"), list):
        for change in changes:
            if not isinstance(change, dict):
                raise EditorError(UNKNOWN)
            if "kind" in change:
                if _is_creation(change):
                    file_of(change.get("uri")).is_new = True
                continue
            document = change.get("textDocument")
            if not isinstance(document, dict):
                raise EditorError(UNKNOWN)
            file = file_of(document.get("uri"))
            version = document.get("version")
            file.version = version if isinstance(version, int) else 0
            file.groups.append(_edits(change.get("edits")))
    elif isinstance(changes := edit.get("changes"), dict):
        for uri in sorted(changes):
            file_of(uri).groups.append(_edits(changes[uri]))
    return [*files.values()]


def _edits(edits: Any) -> list[TextEdit]:
    found = parsed(edits, list[TextEdit])
    if found is None:
        raise EditorError(UNKNOWN)
    return found


def _path_of(uri: Any) -> str:
    if not isinstance(uri, str) or not uri.startswith("file:"):
        raise EditorError(f"the edit changes {uri}, which is no file; nothing was changed")
    return normalized(from_uri(uri))


def _is_creation(operation: dict[str, Any]) -> bool:
    """Return whether a file operation is a new file. Others cannot be reviewed as a text."""
    kind, options = operation["kind"], operation.get("options") or {}
    shown = from_uri(str(operation.get("uri") or operation.get("oldUri")))
    if kind in ("rename", "delete"):
        raise EditorError(
            f"the edit would {kind} {shown}, which is not supported; nothing was changed"
        )
    if kind != "create":
        raise EditorError(f'the edit has an unknown operation, "{kind}"')
    is_there = exists(_path_of(operation.get("uri")))
    if is_there and not options.get("ignoreIfExists"):
        raise EditorError(f"the edit would create {shown}, which exists; nothing was changed")
    return not is_there


# The review.


class AcceptedText(msgspec.Struct, frozen=True):
    """A file with the text that the user accepts; `diff` is None if they have not seen it."""

    file: EditedFile
    text: str
    diff: Diff | None


class EditOutcome:
    """What became of each file: below a heading its path, and more words on it."""

    def __init__(self) -> None:
        headings = WRITTEN, UNSAVED, REJECTED, FAILED, COMMENTS
        self.of: dict[str, list[str]] = {heading: [] for heading in headings}

    @property
    def is_complete(self) -> bool:
        """Whether the whole edit was applied."""
        return not self.of[REJECTED] and not self.of[FAILED]

    def add(self, other: "EditOutcome") -> None:
        """Add what became of the files of another edit."""
        for heading, lines in other.of.items():
            self.of[heading] += lines

    def lines(self) -> list[str]:
        """Return the outcome for the model."""
        found = ((heading, lines) for heading, lines in self.of.items() if lines)
        return [line for heading, lines in found for line in (heading, *(f"  {x}" for x in lines))]


async def review(client: Client, what: str, files: Sequence[EditedFile]) -> EditOutcome:
    """Have the user review an edit, and apply what they accept after the last decision.

    `what` is a verb with its objects, for the question. Cancelling this closes the diff and applies
    nothing; once the first file is being written, all are, and the user and the model are told.
    Raises `ToolError` if the user refuses all of it, or if a file has changed since.
    """
    reviewing = _Review(client, files)
    try:
        await reviewing.ask(what)
        unchanged = await reviewing.check()
        await _to_the_end(reviewing.apply(unchanged))
    except asyncio.CancelledError:
        reviewing.report_late(what)
        raise
    finally:
        reviewing.end()
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


def report(heading: str, outcome: EditOutcome, notes: Sequence[str] = ()) -> Content:
    """Describe an outcome to the model."""
    return page(heading, [*outcome.lines(), *notes])


class _Review:
    def __init__(self, client: Client, files: Sequence[EditedFile]) -> None:
        self._client = client
        self._editor = client.editor
        self._files = files
        self._accepted: list[AcceptedText] = []
        self._written: set[int] = set()
        """The ids of diffs whose texts were applied."""
        self.outcome = EditOutcome()

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
                raise ToolError(f"the user does not want to {what}; nothing was changed")
            if choice == ALL:
                # A file that a program runs, or one outside the project, is shown all the same.
                reviewed = [file for file in self._files if file.warning]
                unseen = (file for file in self._files if not file.warning)
                self._accepted += (AcceptedText(file, file.text, None) for file in unseen)
        for number, file in enumerate(reviewed, 1):
            await self._show(file, f"{number} of {len(reviewed)}" if len(reviewed) > 1 else "")
        if not self._accepted:
            reasons = "\n".join(self.outcome.of[REJECTED])
            raise ToolError(f"the user rejected it; nothing was changed:\n{reasons}")

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
            CallingSession("", self._client.shown_name),
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
            self._accepted.append(AcceptedText(file, decision.text, diff))
            self.outcome.of[COMMENTS] += [decision.words] if decision.words else []
        else:
            reason = f": {decision.reason}" if decision.reason else ""
            self.outcome.of[REJECTED].append(f"{file.path}{reason}")

    async def check(self) -> list[FileBuffer]:
        """Return the buffers of the accepted files that are not new.

        Raises `ToolError` if one of the files has changed since it was read, or cannot be written.
        """
        for file in (each.file for each in self._accepted):
            if real(file.path) != file.target:
                raise ToolError(f"{file.path}: {TURNED}; nothing was changed")
        buffers, stale = [], [each.file.path for each in self._accepted if _is_there_by_now(each)]
        for accepted in (each for each in self._accepted if not each.file.is_new):
            buffer = await self._unchanged(accepted)
            if buffer is None:
                stale.append(accepted.file.path)
            else:
                buffers.append(buffer)
        if stale:
            names = ", ".join(stale)
            reason = f"changed during the review: {names}; nothing was applied, call again"
            raise ToolError(reason)
        return buffers

    async def _unchanged(self, accepted: AcceptedText) -> FileBuffer | None:
        """Return the buffer of a file; None if it has another text than when it was read."""
        path, port = accepted.file.path, self._editor.port
        # A file that was unloaded during a long review has to be loaded again.
        steps = (step(DiagnosticsPort.load, path), step(DiskPort.look, path, False))
        _, buffer = await port.batch(steps, Guard(Gate.POSSIBLE))
        if buffer is None or buffer.digest != accepted.file.digest:
            return None
        if buffer.is_only_shown:
            raise ToolError(f"{path}: read-only in {editor_name()}; nothing was changed")
        is_current = await port.disk.check(buffer.bufnr, NewText(accepted.text))
        return buffer if is_current else None

    async def apply(self, unchanged: Sequence[FileBuffer]) -> None:
        """Change all accepted files in one instant, or none, and save them.

        Those with unsaved changes stay unsaved.
        """
        known = [each for each in self._accepted if not each.file.is_new]
        found: Sequence[FileBuffer] | None = unchanged

        async def attempt() -> tuple[Sequence[FileBuffer], Sequence[int]]:
            nonlocal found
            buffers, found = found or await self.check(), None
            return buffers, await self._replace(known, buffers)

        buffers, ticks = await retry(attempt)
        for accepted, buffer, changedtick in zip(known, buffers, ticks, strict=True):
            if buffer.is_modified:
                self._report(accepted, is_saved=False)
            else:
                await self._reported(accepted, self._save(accepted, buffer.bufnr, changedtick))
        for accepted in self._accepted:
            if accepted.file.is_new:
                await self._reported(accepted, self._create(accepted))

    async def _replace(
        self, known: Sequence[AcceptedText], buffers: Sequence[FileBuffer]
    ) -> Sequence[int]:
        """Replace the texts of buffers, as soon as the user types in none of them.

        Raises `ChangedError` if one of the files is another one by then.
        """
        facts = [leads_to(each.file.path, each.file.target) for each in self._accepted]
        facts += [stamp(each.file.path, MISSING) for each in self._accepted if each.file.is_new]
        changes: list[Step[int]] = []
        for accepted, buffer in zip(known, buffers, strict=True):
            facts += [
                tick(buffer.bufnr, buffer.changedtick),
                stamp(accepted.file.path, buffer.stamp),
            ]
            changes.append(step(DiskPort.replace, buffer.bufnr, NewText(accepted.text)))
        return await self._editor.port.batch(changes, Guard(Gate.CHANGEABLE, (*facts,)))

    async def _reported(self, accepted: AcceptedText, writing: Awaitable[Saved]) -> None:
        """Report what has become of a write."""
        name, path = self._client.shown_name, accepted.file.path
        record = self._editor.record_write
        try:
            async with record(name, path, is_seen=accepted.diff is not None):
                saved = await writing
        except (EditorError, OSError) as error:
            refusal = getattr(error, "strerror", None) or str(error) or f"{editor_name()} is busy"
            self.outcome.of[FAILED].append(f"{accepted.file.path}: {refusal}")
        else:
            changed_further = " (saving has changed it further)" * (saved.text is not None)
            self._report(accepted, changed_further, is_saved=not saved.is_unsaved)

    def _report(self, accepted: AcceptedText, note: str = "", *, is_saved: bool) -> None:
        changed_by_user = accepted.text != accepted.file.text
        notes = " (the user has changed the proposal)" * changed_by_user + note
        heading = WRITTEN if is_saved else UNSAVED
        self.outcome.of[heading].append(f"{accepted.file.path}{notes}")
        if accepted.diff is not None:
            self._written.add(accepted.diff.id)

    async def _save(self, accepted: AcceptedText, bufnr: int, changedtick: int) -> Saved:
        """Save a buffer, unless the user has changed it since its text was replaced."""
        name, path = self._client.shown_name, accepted.file.path
        guard = Guard(Gate.POSSIBLE, (tick(bufnr, changedtick),))
        try:
            (saved,) = await self._editor.port.batch(
                [step(DiskPort.save, bufnr, path, name, True)], guard
            )
        except ChangedError:
            return Saved(is_unsaved=True)
        if saved.refusal is not None:
            raise EditorError(saved.refusal)
        return saved

    async def _create(self, accepted: AcceptedText) -> Saved:
        content = accepted.text.encode("utf-8", "surrogateescape")
        path, target = accepted.file.path, accepted.file.target
        if _is_there_by_now(accepted):
            raise EditorError("exists by now")
        await asyncio.to_thread(disk.write, path, target, content)
        return Saved()

    def report_late(self, what: str) -> None:
        """Report what was applied although the call was cancelled, which has no answer."""
        changed = len(self.outcome.of[WRITTEN]) + len(self.outcome.of[UNSAVED])
        if not changed:
            return
        late = f"was cancelled too late; {count(changed, 'file')} changed"
        self._editor.notify(f"{self._client.shown_name}: {what} {late}", "warn")
        words = [f"An earlier call, to {what}, {late}.", *self.outcome.lines()]
        self._client.late.append("\n".join(words))

    def end(self) -> None:
        """Report to Lua which texts were applied; it keeps those that the user had edited."""
        for each in self._accepted:
            if each.diff is not None:
                is_written = each.diff.id in self._written
                self._editor.diffs.settle(each.diff, is_written=is_written)


def _is_there_by_now(accepted: AcceptedText) -> bool:
    return accepted.file.is_new and exists(accepted.file.path)
