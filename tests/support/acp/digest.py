"""Short descriptions of what an ACP agent has reported, for tests of whole conversations."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.agents.requests import (
    Option,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    RequestWithdrawn,
)

LONGEST = 40


def digest(happened: Iterable[Event], folder: Path) -> list[str]:
    """Return a line for each event that the user sees; paths are relative to the folder.

    Pieces of one text are joined. Usage and commands are described by the last report of them.
    """
    told = _Digest(f"{folder}/")
    lines = [line for event in _joined(happened) for line in told.lines(event)]
    return [line for line, _ in groupby(lines)] + told.last()


class _Digest:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._tools: dict[str, events.ToolStarted] = {}
        self._usage = ""
        self._commands = ""

    def lines(self, event: Event) -> Iterator[str]:
        match event:
            case events.ToolStarted():
                self._tools[event.tool] = event
            case events.ToolEnded(tool, status, output, changes):
                changed = "".join(f" {self._change(change)}" for change in changes)
                shown = f" => {self._cut(output)}" if output else ""
                yield f"{status.value} {self._name(tool)}{changed}{shown}"
            case PermissionAsked(_, tool, edits=edits, options=options):
                edited = "".join(f" {self._cut(edit.path)}" for edit in edits)
                yield f"asks {self._name(tool)}{edited} {self._options(options)}"
            case PlanProposed(plan=plan, options=options):
                yield f"proposes {self._cut(plan)} {self._options(options)}"
            case events.Usage(cost, used, size):
                self._usage = f"used {used}/{size}" + (f" ${cost:.2f}" if cost else "")
            case events.CommandsChanged(commands):
                self._commands = f"offers {' '.join(command.name for command in commands)}"
            case events.Ready(_, models, modes):
                found = [model.name for model in models], [mode.name for mode in modes]
                yield " | ".join(["ready", *(", ".join(names) for names in found if names)])
            case _:
                yield from _simple(event, self._cut)

    def last(self) -> list[str]:
        return [line for line in (self._commands, self._usage) if line]

    def _name(self, tool: str) -> str:
        started = self._tools[tool]
        title = f" ({self._cut(started.title)})" if started.title else ""
        return f"{started.name}/{started.kind}{title}"

    def _change(self, change: events.Change) -> str:
        return f"{self._cut(change.path)} +{change.added} -{change.removed}"

    def _options(self, options: Iterable[Option]) -> str:
        return f"[{', '.join(option.kind.value for option in options)}]"

    def _cut(self, words: str) -> str:
        first, *_ = words.replace(self._folder, "").strip().splitlines() or [""]
        return first if len(first) <= LONGEST else f"{first[: LONGEST - 1]}…"


def _simple(event: Event, cut: Callable[[str], str]) -> Iterator[str]:
    match event:
        case events.Text(_, text):
            yield f"says {cut(text)}"
        case events.Thinking(_, text):
            yield f"thinks {cut(text)}"
        case events.UserMessage(text):
            yield f"user: {cut(text)}"
        case events.SessionChanged(_, title) if title:
            yield f"title {title}"
        case events.ModeChanged(mode):
            yield f"mode {mode}"
        case events.ModelChanged(model, name):
            yield f"model {name or model}"
        case events.EffortChanged(effort):
            yield f"effort {effort}"
        case events.SettingsChanged(settings):
            yield f"settings {', '.join(setting.id for setting in settings)}"
        case events.TodoList(todos):
            yield f"todos {', '.join(f'{todo.text} {todo.status}' for todo in todos)}"
        case QuestionAsked(questions=questions):
            yield f"asks {len(questions)} questions"
        case RequestWithdrawn():
            yield "withdraws"
        case events.Notice(text, level):
            yield f"{level} {cut(text)}"
        case events.TurnEnded(why, _, message):
            yield f"turn {why.value} {cut(message)}".strip()
        case events.Dead(code):
            yield f"dead {code}"


def _joined(happened: Iterable[Event]) -> Iterator[Event]:
    """Yield the events with whole texts in place of their pieces."""
    whole: events.Text | events.Thinking | None = None
    for event in happened:
        piece = _piece(event)
        if whole and type(whole) is type(piece) and piece and whole.block == piece.block:
            whole = type(whole)(whole.block, whole.text + piece.text)
            continue
        if isinstance(event, events.Usage):
            yield event
            continue
        if whole:
            yield whole
        whole = piece
        if piece is None:
            yield event
    if whole:
        yield whole


def _piece(event: Event) -> events.Text | events.Thinking | None:
    match event:
        case events.TextDelta(block, text):
            return events.Text(block, text)
        case events.ThinkingDelta(block, text):
            return events.Thinking(block, text)
    return None
