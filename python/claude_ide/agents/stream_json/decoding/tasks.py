"""Tasks: shell commands and subagents, from the frames that report them.

2.1.330 lists the tasks in the background (`background_tasks_changed`). 2.1.197 does not: there the
result of the tool that has started a task says that it runs in the background. See
doc/stream-json.md.
"""

import re
from typing import Any

from msgspec.structs import replace

from claude_ide.agents.events import Event, Task, TaskChanged, TaskState, TurnBegun
from claude_ide.agents.fields import integer, mapping, mappings, text
from claude_ide.agents.stream_json.wire.frames import Frame, content_of

SUBTYPES = (
    "background_tasks_changed",
    "task_started",
    "task_progress",
    "task_updated",
    "task_notification",
)

STATES = {
    "completed": TaskState.COMPLETED,
    "failed": TaskState.FAILED,
    "killed": TaskState.STOPPED,
    "stopped": TaskState.STOPPED,
}
COMMAND, AGENT = "local_bash", "local_agent"
LAUNCHED = "async_launched"
"""The status of a subagent that its tool does not wait for."""

OUTPUT = re.compile(r"Output is being written to: (.+?\.output)")
NOTIFICATION = "<task-notification>"
QUOTED = re.compile('"(.+)"')
"""The title of a task in the summary of its end."""


class Tasks:
    """The tasks of a session, and those that have ended without the model's knowledge."""

    def __init__(self) -> None:
        self.outputs: dict[str, str] = {}
        """The files with the output of commands, by the ids of their tasks."""
        self._known: dict[str, Task] = {}
        self._unreported: dict[str, Task] = {}

    def apply(self, frame: Frame) -> list[Event]:
        """Decode a `system` frame about tasks."""
        id_ = text(frame.get("task_id"))
        match text(frame.get("subtype")):
            case "background_tasks_changed":
                return self._listed(mappings(frame.get("tasks")))
            case "task_started" if id_:
                return self._change(id_, **_described(frame))
            case "task_progress" if id_ in self._known:
                return self._change(id_, **_usage(frame))
            case "task_updated" if id_ in self._known:
                return self._update(id_, mapping(frame.get("patch")))
            case "task_notification" if id_ in self._known:
                return self._end(id_, frame)
        return []

    def after_tool(self, tool: str, result: Any, output: str) -> list[Event]:
        """Decode the result of a tool, which may have started a task in the background."""
        given = mapping(result)
        id_ = text(given.get("backgroundTaskId"))
        if found := OUTPUT.search(output):
            self.outputs[id_] = found[1]
        if given.get("status") == LAUNCHED:
            id_ = text(given.get("agentId"))
        if id_ not in self._known:
            return []
        return self._change(id_, tool=tool, in_background=True)

    def turn_begun(self, *, is_prompted: bool) -> list[Event]:
        """Return the event of a turn that the ended tasks have started; none if a prompt has."""
        ended = tuple(self._unreported.values())
        self._unreported.clear()
        return [TurnBegun(ended)] if ended and not is_prompted else []

    def reported(self, frame: Frame) -> None:
        """Note that the model has read of a task's end, in the middle of a turn."""
        content = content_of(frame)
        if isinstance(content, str) and (task := notified(content)):
            self._unreported.pop(task.id, None)

    def clear(self) -> None:
        """Forget the ended tasks: another conversation has begun."""
        self._unreported.clear()

    def _listed(self, listed: list[dict[str, Any]]) -> list[Event]:
        found: list[Event] = []
        tasks = {text(each.get("task_id")): each for each in listed}
        for id_, each in tasks.items():
            found += self._change(id_, **_described(each) | {"in_background": True})
        for id_, task in list(self._known.items()):
            if task.runs_in_background and id_ not in tasks:
                found += self._change(id_, in_background=False)
        return found

    def _update(self, id_: str, patch: Frame) -> list[Event]:
        changes: dict[str, Any] = {}
        if isinstance(in_background := patch.get("is_backgrounded"), bool):
            changes["in_background"] = in_background
        if state := STATES.get(text(patch.get("status"))):
            changes["state"] = state
        return self._change(id_, **changes)

    def _end(self, id_: str, frame: Frame) -> list[Event]:
        title = self._known[id_].title
        result = _without_title(text(frame.get("summary")), title)
        if path := text(frame.get("output_file")):
            self.outputs.setdefault(id_, path)
        changes = _usage(frame)
        changes["state"] = STATES.get(text(frame.get("status")), TaskState.COMPLETED)
        if result != title:
            changes["result"] = result
        events = self._change(id_, **changes)
        if (ended := self._known[id_]).in_background:
            self._unreported[id_] = ended
        return events

    def _change(self, id_: str, **changes: Any) -> list[Event]:
        known = self._known.get(id_)
        changed = replace(known or Task(id_), **changes)
        if changed == known:
            return []
        self._known[id_] = changed
        return [TaskChanged(changed)]


def notified(words: str) -> Task | None:
    """Return the task whose end a message of the CLI reports to the model."""
    if not words.startswith(NOTIFICATION):
        return None
    state = STATES.get(_tagged(words, "status"), TaskState.COMPLETED)
    summary, result = _tagged(words, "summary"), _tagged(words, "result")
    named = QUOTED.search(summary)
    title = named[1] if named else summary
    return Task(
        _tagged(words, "task-id"),
        title=title,
        tool=_tagged(words, "tool-use-id"),
        state=state,
        in_background=True,
        is_agent=bool(result),
        result=result or _without_title(summary, title),
    )


def _without_title(summary: str, title: str) -> str:
    return summary.removeprefix(f'Background command "{title}" ')


def _tagged(words: str, tag: str) -> str:
    _, _, rest = words.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0].strip()


def _described(frame: Frame) -> dict[str, Any]:
    type_, agent = text(frame.get("task_type")), text(frame.get("subagent_type"))
    kind = "command" if type_ == COMMAND else agent or type_.removeprefix("local_")
    found = {
        "kind": kind.replace("_", " "),
        "title": text(frame.get("description")),
        "is_agent": type_ == AGENT,
        "tool": text(frame.get("tool_use_id")) or None,
        "in_background": frame.get("is_backgrounded") is True or None,
    }
    return _known(found)


def _usage(frame: Frame) -> dict[str, Any]:
    usage = mapping(frame.get("usage"))
    found = {
        "tools": integer(usage.get("tool_uses")),
        "tokens": integer(usage.get("total_tokens")),
        "last_tool": text(frame.get("last_tool_name")) or None,
    }
    return _known(found)


def _known(changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in changes.items() if value is not None}
