"""Reports new diagnostics of language servers and linters on files that the agent changes."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from claude_ide.agents.events import Change, Hunk
from claude_ide.editor.editor import Editor
from claude_ide.errors import EditorError
from claude_ide.news import Item, line_of, news
from claude_ide.paths import exists, is_same

SECONDS = 1.5
"""How long the servers and linters may take; the agent waits for them, as the CLI would."""

MOST_BASELINES = 20
MOST = 20
LONGEST = 4000
AFTER = "New diagnostics after this change:"
LATE = "New diagnostics since your last change:"
SIGNS = {"Error": "✘", "Warning": "⚠", "Info": "ℹ", "Hint": "★"}  # noqa: RUF001  the CLI's

Known = Mapping[str, list[Item]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The diagnostics of all files before a tool changes one of them."""

    known: Known
    is_checked: bool
    """Whether the file had been checked before the change."""
    is_new: bool = False
    """Whether the file did not exist before the change."""


@dataclass(frozen=True, slots=True)
class Written:
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
        self._baselines: dict[str, Baseline] = {}
        self._written: dict[str, Written] = {}
        self._heard: set[str] = set()
        """The suffixes of files that have had diagnostics: their checkers are running."""

    async def before(self, tool: str, path: str) -> None:
        """Remember the diagnostics before a tool changes a file, even if it is not open."""
        with contextlib.suppress(EditorError, TimeoutError):
            is_new = not exists(path)
            is_checked = is_new or await self._is_checked(path)
            known = await self._known()
            self._baselines[tool] = Baseline(_without(known, self._late(known)), is_checked, is_new)
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
            await self._load(path)
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
            items = news(written.seen, _items(now, path), None)
            found[_name(now, path)] = items if written.lines is None else _on(written.lines, items)
        return {name: items for name, items in found.items() if items}

    def _remember(self, baseline: Baseline, now: Known, path: str, change: Change | None) -> None:
        before = self._written.pop(path, None)
        is_past_known = baseline.is_checked and Path(path).suffix in self._heard
        lines: frozenset[int] | None = None
        if not (baseline.is_new or is_past_known):
            hunks = change.hunks if change else ()
            lines = _added(hunks) | _moved(before.lines if before and before.lines else (), hunks)
        self._written[path] = Written(_items(now, path), lines)
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
            return await self._editor.is_checked(path, SECONDS)
        except EditorError:
            return True

    async def _load(self, path: str) -> None:
        with contextlib.suppress(EditorError):
            await self._editor.load(path)

    async def _known(self) -> Known:
        known = await self._editor.present_diagnostics(SECONDS)
        by_path = {path: diagnostics.items for path, diagnostics in known.items()}
        self._heard.update(Path(path).suffix for path, items in by_path.items() if items)
        return by_path


def _all_new(baseline: Baseline, now: Known, path: str, change: Change | None) -> Known:
    """Return the new diagnostics of the changed file, and the new errors of other files."""
    found: dict[str, list[Item]] = {}
    for name, items in sorted(now.items(), key=lambda each: not is_same(each[0], path)):
        old = baseline.known.get(name, [])
        if not is_same(name, path):
            found[name] = news(_errors(old), _errors(items), lambda line: line)
        elif baseline.is_checked:
            found[path] = news(old, items, _moves(change))
        else:
            found[path] = _on(_added(change.hunks if change else ()), news(old, items, None))
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


def _added(hunks: Iterable[Hunk]) -> frozenset[int]:
    """Return the lines that a change has added, counted from 0."""
    added = set()
    for hunk in hunks:
        new = hunk.new_start - 1
        for text in hunk.lines:
            if text[:1] == "+":
                added.add(new)
            new += text[:1] in ("+", " ")
    return frozenset(added)


def _moved(lines: Iterable[int], hunks: Iterable[Hunk]) -> frozenset[int]:
    moved = (line_after(line, hunks) for line in lines)
    return frozenset(line for line in moved if line is not None)


def _errors(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item["severity"] == "Error"]


def _moves(change: Change | None) -> Callable[[int], int | None] | None:
    return partial(line_after, hunks=change.hunks) if change else None


def line_after(line: int, hunks: Iterable[Hunk]) -> int | None:
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
        shown = items[: max(MOST - count, 0)]
        count += len(items)
        lines += ["", f"{path}:", *map(_described, shown)] if shown else []
    if not count:
        return ""
    lines += ["", f"and {count - MOST} more"] if count > MOST else []
    note = "\n".join([heading, *lines])
    return note if len(note) <= LONGEST else f"{note[:LONGEST]}…[truncated]"


def _described(item: Item) -> str:
    start = item["range"]["start"]
    code = f" [{item['code']}]" if item.get("code") else ""
    source = f" ({item['source']})" if item.get("source") else ""
    location = f"[Line {start['line'] + 1}:{start['character'] + 1}]"
    return f"  {SIGNS[item['severity']]} {location} {item['message']}{code}{source}"
