"""What a chat's agent changes: kept for the review, announced, diagnosed for the model."""

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from claude_ide.agents import events, fields
from claude_ide.agents.events import Change, DiffHunk, Event, FileWritten, ToolStatus, TurnEndReason
from claude_ide.base.errors import EditorError, UserError
from claude_ide.base.paths import exists, is_same, normalized
from claude_ide.chat.chat_context import ChatContext, ChatPart
from claude_ide.chat.transcript.detail import Summary
from claude_ide.editor.diagnostics import Item, line_of, new_diagnostics
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handles
from claude_ide.review.announcer import Announcer, found_change, whole
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService
from claude_ide.ui.sheet import Announcement
from claude_ide.ui.text import last_sentence

CHECK_SECONDS = 1.5
"""How long the servers and linters may take; the agent waits for them, as the CLI would."""

MOST_BASELINES = 20
MOST_DIAGNOSTICS = 20
LONGEST_NOTE = 4000
AFTER = "New diagnostics after this change:"
LATE = "New diagnostics since your last change:"
SIGNS = {"Error": "✘", "Warning": "⚠", "Info": "ℹ", "Hint": "★"}  # noqa: RUF001  the CLI's

Known = Mapping[str, list[Item]]


@dataclass(frozen=True, slots=True)
class DiagnosticsBaseline:
    """The diagnostics of all files before a tool changes one of them."""

    known: Known
    is_checked: bool
    """Whether the file had been checked before the change."""
    is_new: bool = False
    """Whether the file did not exist before the change."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that a tool has changed, for which diagnostics may arrive later."""

    seen: list[Item]
    """Its diagnostics at the time of the last report to the model."""
    lines: frozenset[int] | None
    """The lines whose late diagnostics are new; on other lines they may be older than the change.

    None means all lines.
    """
    is_old: bool = False
    """Whether the user has sent a prompt since the change."""


class Diagnosis:
    """Compares the diagnostics after each change with those before it."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._baselines: dict[str, DiagnosticsBaseline] = {}
        self._written: dict[str, WrittenFile] = {}
        self._heard: set[str] = set()
        """The suffixes of files that have had diagnostics: their checkers are running."""

    async def before(self, tool: str, path: str) -> None:
        """Remember the diagnostics before a tool changes a file, even if it is not open."""
        with contextlib.suppress(EditorError, TimeoutError):
            is_new = not exists(path)
            is_checked = is_new or await self._is_checked(path)
            known = await self._known()
            self._baselines[tool] = DiagnosticsBaseline(
                _without(known, self._late(known)), is_checked, is_new
            )
            for earliest in [*self._baselines][:-MOST_BASELINES]:
                del self._baselines[earliest]

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Return a note on new diagnostics for the model; empty if there are none.

        After a tool that has changed no file, the note has the late diagnostics.
        """
        baseline = self._baselines.pop(tool, None)
        if baseline is None:
            return await self._late_note()
        try:
            with contextlib.suppress(EditorError):
                await self._editor.load(path, CHECK_SECONDS)
            now = await self._known()
        except (EditorError, TimeoutError):
            return ""
        found = _all_new(baseline, now, path, change)
        late = {name: items for name, items in self._late(now).items() if not is_same(name, path)}
        self._remember(baseline, now, path, change)
        return self._report(AFTER, {**found, **late}, now)

    async def prompted(self) -> str:
        """Return a note on late diagnostics, for the model to read with the user's prompt."""
        note = await self._late_note()
        self._written = {
            path: replace(written, is_old=True)
            for path, written in self._written.items()
            if not written.is_old
        }
        return note

    async def _late_note(self) -> str:
        if not self._written:
            return ""
        try:
            now = await self._known()
        except (EditorError, TimeoutError):
            return ""
        return self._report(LATE, self._late(now), now)

    def _late(self, now: Known) -> Known:
        """Return the diagnostics of written files that are newer than their last report."""
        found = {}
        for path, written in self._written.items():
            items = new_diagnostics(written.seen, _items(now, path), None)
            found[_name(now, path)] = items if written.lines is None else _on(written.lines, items)
        return {name: items for name, items in found.items() if items}

    def _remember(
        self, baseline: DiagnosticsBaseline, now: Known, path: str, change: Change | None
    ) -> None:
        before = self._written.pop(path, None)
        is_past_known = baseline.is_checked and Path(path).suffix in self._heard
        lines: frozenset[int] | None = None
        if not (baseline.is_new or is_past_known):
            hunks = change.hunks if change else ()
            lines = _added(hunks) | _moved(before.lines if before and before.lines else (), hunks)
        self._written[path] = WrittenFile(_items(now, path), lines)
        for earliest in [*self._written][:-MOST_BASELINES]:
            del self._written[earliest]

    def _report(self, heading: str, found: Known, now: Known) -> str:
        """Return a note on new diagnostics, and remember that they are reported."""
        for other, baseline in self._baselines.items():
            self._baselines[other] = replace(baseline, known=_joined(baseline.known, found))
        for path, written in self._written.items():
            self._written[path] = replace(written, seen=_items(now, path))
        return _note(heading, found)

    async def _is_checked(self, path: str) -> bool:
        try:
            return await self._editor.is_checked(path, CHECK_SECONDS)
        except EditorError:
            return True

    async def _known(self) -> Known:
        known = await self._editor.present_diagnostics(CHECK_SECONDS)
        by_path = {path: diagnostics.items for path, diagnostics in known.items()}
        self._heard.update(Path(path).suffix for path, items in by_path.items() if items)
        return by_path


def _all_new(baseline: DiagnosticsBaseline, now: Known, path: str, change: Change | None) -> Known:
    """Return the new diagnostics of the changed file, and the new errors of other files."""
    found: dict[str, list[Item]] = {}
    for name, items in sorted(now.items(), key=lambda each: not is_same(each[0], path)):
        old = baseline.known.get(name, [])
        if not is_same(name, path):
            found[name] = new_diagnostics(_errors(old), _errors(items), lambda line: line)
        elif baseline.is_checked:
            found[path] = new_diagnostics(old, items, _moves(change))
        else:
            found[path] = _on(
                _added(change.hunks if change else ()), new_diagnostics(old, items, None)
            )
    return {name: items for name, items in found.items() if items}


def _name(known: Known, path: str) -> str:
    return next((name for name in known if is_same(name, path)), path)


def _items(known: Known, path: str) -> list[Item]:
    return known.get(_name(known, path), [])


def _without(known: Known, some: Known) -> Known:
    less = {name: [item for item in known[name] if item not in some[name]] for name in some}
    return {**known, **less}


def _on(lines: frozenset[int], items: list[Item]) -> list[Item]:
    return [item for item in items if line_of(item) in lines]


def _added(hunks: Iterable[DiffHunk]) -> frozenset[int]:
    """Return the lines that a change has added, counted from 0."""
    added = set()
    for hunk in hunks:
        new = hunk.new_start - 1
        for text in hunk.lines:
            if text[:1] == "+":
                added.add(new)
            new += text[:1] in ("+", " ")
    return frozenset(added)


def _moved(lines: Iterable[int], hunks: Iterable[DiffHunk]) -> frozenset[int]:
    moved = (line_after(line, hunks) for line in lines)
    return frozenset(line for line in moved if line is not None)


def _errors(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item["severity"] == "Error"]


def _moves(change: Change | None) -> Callable[[int], int | None] | None:
    return partial(line_after, hunks=change.hunks) if change else None


def line_after(line: int, hunks: Iterable[DiffHunk]) -> int | None:
    """Return the number of a line after a change; None if the line itself was changed."""
    shift = 0
    for hunk in hunks:
        old, new = hunk.old_start - 1, hunk.new_start - 1
        if line < old:
            break
        for text in hunk.lines:
            is_old, is_new = text[:1] in ("-", " "), text[:1] in ("+", " ")
            if is_old and old == line:
                return new if is_new else None
            old, new = old + is_old, new + is_new
        shift = new - old
    return line + shift


def _joined(known: Known, found: Known) -> Known:
    names = {**known, **found}
    return {name: [*known.get(name, []), *found.get(name, [])] for name in names}


def _note(heading: str, found: Known) -> str:
    """Return the note in the CLI's own format; empty without diagnostics."""
    lines: list[str] = []
    count = 0
    for path, items in found.items():
        shown = items[: max(MOST_DIAGNOSTICS - count, 0)]
        count += len(items)
        lines += ["", f"{path}:", *map(_described, shown)] if shown else []
    if not count:
        return ""
    lines += ["", f"and {count - MOST_DIAGNOSTICS} more"] if count > MOST_DIAGNOSTICS else []
    note = "\n".join([heading, *lines])
    return note if len(note) <= LONGEST_NOTE else f"{note[:LONGEST_NOTE]}…[truncated]"


def _described(item: Item) -> str:
    start = item["range"]["start"]
    code = f" [{item['code']}]" if item.get("code") else ""
    source = f" ({item['source']})" if item.get("source") else ""
    location = f"[Line {start['line'] + 1}:{start['character'] + 1}]"
    return f"  {SIGNS[item['severity']]} {location} {item['message']}{code}{source}"


ACCESS = ("read", "edit")
"""The kinds of tools with which an agent gets the text of a file."""


class AgentEdits:
    """Records what one agent writes (as `Edits` of the services, and observes `AgentFiles`).

    `diagnosis` adds its notes.
    """

    def __init__(self, recorder: Recorder, diagnosis: Diagnosis) -> None:
        self.recorder = recorder
        self._diagnosis = diagnosis
        self.compared: set[str] = set()
        """The uses of tools since the last prompt that may change any file."""

    async def before_write(self, path: str) -> None:
        """Note a file that is about to be written."""
        await self.recorder.before_write(path)

    async def wrote(self, path: str, *, is_seen: bool) -> None:
        """Record that it was written; `is_seen`: the user has accepted the text."""
        if is_seen:
            self.recorder.asked(path)
        await self.recorder.wrote(path)

    def replaced(self, path: str, saved: str | None, unsaved: str) -> None:
        """Know that a write has replaced unsaved text, while another text was on disk."""
        self.recorder.replaced(path, unsaved)

    async def before(self, tool: str, path: str) -> None:
        reported = time.monotonic()
        if path:
            self.recorder.not_asked(path, tool)
            await self.recorder.before_write(path, reported)
            await self._diagnosis.before(tool, path)
        else:
            self.compared.add(tool)
            await self.recorder.command_begun(tool, reported)

    async def ended(
        self, tool: str, path: str, after: str | None = None
    ) -> tuple[Change, ...] | None:
        if path and self.recorder.is_writing(path):
            await self.recorder.wrote(path, reported=after)
        elif path:
            self.recorder.used(path)
        else:
            return tuple(map(found_change, await self.recorder.command_ended(tool)))
        return None

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        return await self._diagnosis.after(tool, path, change)

    async def prompted(self, *, is_command: bool = False) -> str:
        self.compared.clear()
        await self.recorder.prompted()
        notes = ["" if is_command else await self.recorder.note(), await self._diagnosis.prompted()]
        return "\n\n".join(filter(None, notes))


class Reviewing(ChatPart):
    """The review of one chat's changes, which are counted at the end of each turn."""

    def __init__(self, chat: ChatContext, edits: AgentEdits, review: ReviewService) -> None:
        super().__init__(chat)
        self._recorder = edits.recorder
        self._review = review
        told = f"{chat.name} now knows that you"
        self._recorder.tell_user = lambda what: chat.note("notice", f"{told} {what}")

    @property
    def session(self) -> str:
        """The session that is recorded."""
        return self._recorder.session

    def apply(self, event: Event) -> None:
        match event:
            case events.SessionChanged(id):
                self._recorder.session = id
            case events.ToolInput(arguments={**given}, path=""):
                if given.get("run_in_background"):
                    self._recorder.in_background()
                self._chat.run(self._recorder.runs(fields.text(given.get("command"))))
            case events.ToolInput(tool, path=path) if path and self._transcript.is_edit(tool):
                words = last_sentence(self._transcript.last_text())
                if words:
                    self._chat.run(self._recorder.explain(path, words))
            case events.TurnEnded(why):
                self._chat.run(self._count(self._transcript.end, why))

    @handles(panel.ChangesWanted)
    async def show_at(self, wanted: panel.ChangesWanted) -> None:
        """Show the changes of the turn to which a part of the transcript belongs."""
        turn = self._transcript.turn_at(wanted.part)
        if turn is None:
            raise UserError("there is no turn under the cursor")
        since = "turn" if turn == self._transcript.queue.current else "session"
        await self._review.show(self._chat.root, since=since, session=self._recorder.session)
        await self._panel.uncover()

    async def _count(self, end: Announcement | None, why: TurnEndReason) -> None:
        counts = await self._recorder.turn_ended()
        if counts[0] and end is not None:
            self._transcript.show_changes(end, Summary(*counts))
            self._chat.painter.soon()
        # With prompts in its queue, the session goes on.
        if not self._agent.state.busy:
            self._review.turn_ended(self._chat.session, why, counts)


class Reporting(ChatPart):
    """Announces what the agent does, as for a CLI in a terminal.

    `has_read` is called with each file that the agent has read or changed by its own tools.
    """

    def __init__(
        self, chat: ChatContext, edits: AgentEdits, has_read: Callable[[str], object]
    ) -> None:
        super().__init__(chat)
        announce = chat.editor.port.windows.announce
        self._announcer = Announcer(announce, chat.name, chat.root, chat.id)
        self._edits = edits
        self._has_read = has_read
        self._accessed: dict[str, str] = {}
        """The files of the tools that read or change one, by the ids of their uses."""
        self._prompt = self._transcript.queue.current
        self._names: dict[str, str] = {}
        """The tools whose input is not complete yet, by the ids of their uses."""
        self._written: dict[str, list[FileWritten]] = {}
        self._ended: dict[str, events.ToolEnded] = {}
        """The ends of tools that are announced when it is known what these have changed."""
        self._found: dict[str, tuple[Change, ...]] = {}

    def close(self) -> None:
        self._announce_ends()
        self._announcer.session_ended()

    def apply(self, event: Event) -> None:
        announcer = self._announcer
        if isinstance(event, events.SessionChanged):
            announcer.session(event.id)
        if self._transcript.queue.current != self._prompt:
            self._prompt = self._transcript.queue.current
            self._edits.recorder.prompt = self._transcript.prompt
            announcer.prompted(self._transcript.prompt)
            self._editor.attention.prompted(self._chat.session)
        match event:
            case events.ToolStarted(tool, name, kind):
                self._names[tool] = name
                if kind in ACCESS:
                    self._accessed[tool] = ""
            case events.ToolInput(tool, arguments=arguments) if arguments is not None:
                if tool in self._accessed:
                    self._accessed[tool] = event.path
                self._start(tool, event.path, arguments.get("command"))
            case FileWritten(tool):
                self._written.setdefault(tool, []).append(event)
            case events.ToolEnded(tool, status):
                self._start(tool)
                self._names.pop(tool, None)
                self._ended[tool] = event
                if tool in self._found or tool not in self._edits.compared:
                    self._announce_end(tool)
                if (path := self._accessed.pop(tool, "")) and status is ToolStatus.COMPLETED:
                    self._has_read(normalized(str(Path(self._chat.root) / path)))
            case events.FilesFound(tool, changes):
                self._found[tool] = changes
                self._announce_end(tool)
            case events.Happened():
                announcer.happened(event)
            case events.TurnEnded(why):
                self._announce_ends()
                self._names.clear()
                self._accessed.clear()
                self._written.clear()
                self._found.clear()
                announcer.turn_ended(why)
            case events.Cleared() | events.Dead():
                self._announce_ends()
                announcer.session_ended()

    def _announce_end(self, tool: str) -> None:
        if event := self._ended.pop(tool, None):
            self._announcer.tool_ended(tool, event.status, self._changes(event))

    def _announce_ends(self) -> None:
        for tool in [*self._ended]:
            self._announce_end(tool)

    def _start(self, tool: str, path: str = "", command: object = None) -> None:
        if name := self._names.get(tool):
            given = command if isinstance(command, str) else ""
            self._announcer.tool_started(tool, name, path, given)

    def _changes(self, event: events.ToolEnded) -> list[Change]:
        changes = whole(event.changes, self._written.pop(event.tool, ()))
        return [*changes, *self._found.pop(event.tool, ())]
