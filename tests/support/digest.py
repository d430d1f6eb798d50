"""Short descriptions of events, for tests of whole conversations."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from claude_ide.agents import events
from claude_ide.agents.events import Event
from claude_ide.agents.fields import text
from claude_ide.agents.requests import (
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    RequestWithdrawn,
    UrlAsked,
)
from claude_ide.agents.stream_json.decode import FrameDecoder
from support.transcripts import entries


def decoded(frames: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Return the events in frames."""
    decoder = FrameDecoder()
    return [event for frame in frames for event in decoder.decode(dict(frame))]


def conversed(name: str) -> list[Event]:
    """Return all events of a recorded conversation, also those caused by the host's frames."""
    decoder, happened = FrameDecoder(), list[Event]()
    for entry in entries(name):
        match entry:
            case {"dir": "out", "m": frame}:
                happened += decoder.decode(frame)
            case {"dir": "in", "m": {"type": "user", "uuid": prompt, **rest}}:
                happened += decoder.stages.sent(prompt, text(rest.get("priority")))
            case {"dir": "in", "m": {"request": {"message_uuid": prompt}}}:
                happened += decoder.stages.withdrawn(prompt)
    return happened


def digest(happened: Iterable[Event]) -> list[str]:
    """Return one line for each event that is visible in the panel, except partial ones.

    The first session, mode and model are omitted: every conversation starts with them.
    """
    tools: dict[str, str] = {}
    seen: set[type] = set()
    lines: list[str] = []
    for event in happened:
        if isinstance(event, events.ToolStarted):
            tools[event.tool] = event.name
        first = type(event) not in seen
        seen.add(type(event))
        if first and isinstance(
            event, events.SessionChanged | events.ModeChanged | events.ModelChanged
        ):
            continue
        lines += _line(event, tools)
    return lines


def _line(event: Event, tools: dict[str, str]) -> Iterator[str]:
    match event:
        case events.SessionChanged(_, title):
            yield f"session {title}".strip()
        case events.ModeChanged(mode):
            yield f"mode {mode}"
        case events.ModelChanged(model):
            yield f"model {model}"
        case events.ServersFailed(names):
            yield f"servers failed: {' '.join(names)}"
        case events.Text(_, text, parent):
            who = "subagent says" if parent else "says"
            yield f"{who} {text.splitlines()[0][:14].strip()}"
        case events.Thinking():
            yield "thinks"
        case events.ToolInput(tool, _, dict()):
            yield f"uses {tools[tool]}"
        case events.ToolEnded(tool, status, _, changes):
            lines = "".join(f" +{change.added} -{change.removed}" for change in changes)
            yield f"{status.value} {tools[tool]}{lines}"
        case PermissionAsked(_, _, name):
            yield f"asks {name}"
        case QuestionAsked(_, _, questions):
            yield f"asks {len(questions)} questions"
        case UrlAsked():
            yield "asks to open an address"
        case PlanProposed(_, _, plan):
            yield "proposes a plan" if plan else "proposes no plan"
        case RequestWithdrawn():
            yield "withdraws"
        case events.TodoList(todos):
            yield f"todos {' '.join(todo.status for todo in todos)}"
        case events.PreviewVoided():
            yield "void"
        case events.Retry(attempt, most, _, reason):
            yield f"retry {attempt}/{most} {reason}"
        case events.Notice(_, level, reason):
            yield f"{level} {reason}".strip()
        case events.PromptBlocked(text):
            yield f"blocks {text}"
        case events.EffortChanged(effort):
            yield f"effort {effort}"
        case events.CommandsChanged(commands):
            yield f"offers {commands[-1].name}"
        case events.PromptChanged(prompt, stage):
            yield f"{prompt[:1]} {stage.value}"
        case events.TaskChanged(task):
            where = " behind" if task.in_background else ""
            yield f"task {task.title} {task.state.value}{where}"
        case events.TurnBegun(ended):
            yield f"turn after {' '.join(task.title for task in ended)}"
        case events.Cleared() | events.Compacting() | events.Compacted():
            yield type(event).__name__.lower()
        case events.TurnEnded(why):
            yield f"turn {why.value}"
