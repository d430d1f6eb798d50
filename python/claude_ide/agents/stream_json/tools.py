"""The uses of tools: their kinds, titles and results, and the tasks that they start.

2.1.330 lists the tasks in the background (`background_tasks_changed`). 2.1.197 does not: there the
result of the tool that has started a task says that it runs in the background. See
doc/stream-json.md.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.events import Event, Task, TaskChanged, TaskState, TurnBegun
from claude_ide.agents.fields import integer, mapping, mappings, read, text
from claude_ide.agents.stream_json.protocol import Frame, content_of

_TOOLS = {
    "read": ("Read", "NotebookRead", "LS"),
    "edit": ("Edit", "MultiEdit", "Write", "NotebookEdit"),
    "search": ("Glob", "Grep", "WebSearch", "ToolSearch"),
    "execute": ("Bash", "BashOutput", "KillShell"),
    "fetch": ("WebFetch",),
    "think": ("Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"),
    "switch_mode": ("EnterPlanMode", "ExitPlanMode"),
}
KINDS = {tool: kind for kind, tools in _TOOLS.items() for tool in tools}
"""The kinds are those of tool calls in ACP (Agent Client Protocol)."""

NAMES = {"AskUserQuestion": "Questions", "EnterPlanMode": "Plan mode", "ExitPlanMode": "Plan"}
"""The names for the user, where they differ from those for the model."""

HUNK_KEYS = {
    "old_start": "oldStart",
    "old_lines": "oldLines",
    "new_start": "newStart",
    "new_lines": "newLines",
}
PATHS = ("file_path", "notebook_path", "path")
TITLES = ("command", "pattern", "query", "url", "subject", "description", "skill")


def kind_of(name: str) -> str:
    """Return the kind of a tool."""
    return KINDS.get(name, "other")


def tool_started(tool: str, name: str, title: str = "", parent: str = "") -> events.ToolStarted:
    """Return the event for the beginning of a tool's use."""
    return events.ToolStarted(tool, NAMES.get(name, name), kind_of(name), title, parent)


def path_in(arguments: dict[str, Any]) -> str:
    """Return the file that a tool works on; empty if there is none."""
    return next((path for key in PATHS if (path := text(arguments.get(key)))), "")


def title_of(arguments: dict[str, Any]) -> str:
    """Return the argument that identifies a use of a tool: its file, command or pattern."""
    titles = (text(arguments.get(key)) for key in (*PATHS, *TITLES))
    return next((title for title in titles if title), "")


def whole_input(tool: str, arguments: dict[str, Any], size: int, parent: str) -> events.ToolInput:
    """Return the event for a tool's complete input."""
    return events.ToolInput(
        tool,
        size,
        arguments,
        title=title_of(arguments),
        path=path_in(arguments),
        line=integer(arguments.get("offset")),
        parent=parent,
    )


USED_TOOLS = re.compile(r"\A\s*<tools-used-before-summary>.*?</tools-used-before-summary>\s*")
"""The CLI's note to the model before the report of a subagent."""


def decode_result(frame: Frame, block: Frame) -> events.ToolEnded:
    """Decode one `tool_result` block of a `user` frame, as if the tool was executed."""
    tool = text(block.get("tool_use_id"))
    detail = mapping(frame.get("tool_use_result"))
    change = change_of(detail)
    return events.ToolEnded(
        tool,
        events.ToolStatus.FAILED if block.get("is_error") is True else events.ToolStatus.COMPLETED,
        _output(block.get("content"), detail),
        changes=(change,) if change else (),
        parent=text(frame.get("parent_tool_use_id")),
    )


def _output(content: Any, detail: dict[str, Any]) -> str:
    if detail.get("isAsync") is True or detail.get("backgroundTaskId"):
        return ""  # the CLI's instructions to the model about a task in the background
    if detail.get("agentId") and isinstance(detail.get("content"), list):
        content = detail["content"]  # without the CLI's own block about the subagent
    if isinstance(content, str):
        return content.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    output = "\n".join(
        text(part.get("text")) or f"[{text(part.get('type'))}]" for part in mappings(content)
    )
    return USED_TOOLS.sub("", output) if detail.get("agentId") else output


def decode_write(frame: Frame, block: Frame) -> list[events.FileWritten]:
    """Return the write of a file that a result reports, in a list; an empty list if there is none.

    `NotebookEdit` reports both texts. `Edit` and `Write` report the text before and the hunks.
    """
    result = mapping(frame.get("tool_use_result"))
    tool, parent = text(block.get("tool_use_id")), text(frame.get("parent_tool_use_id"))
    if notebook := text(result.get("notebook_path")):
        before, after = result.get("original_file"), result.get("updated_file")
        known = isinstance(before, str) and isinstance(after, str) and not result.get("error")
        return [events.FileWritten(tool, notebook, before, after, parent)] if known else []
    path, before = text(result.get("filePath")), result.get("originalFile")
    if not path or "structuredPatch" not in result:
        return []
    if result.get("type") == "create":
        return [events.FileWritten(tool, path, None, text(result.get("content")), parent)]
    if not isinstance(before, str):
        return []
    content = result.get("content")
    after = content if isinstance(content, str) else patched(before, hunks_of(result))
    return [events.FileWritten(tool, path, before, after, parent)]


def patched(before: str, hunks: Sequence[events.DiffHunk]) -> str:
    """Return a text after a change."""
    old, new, position = before.removesuffix("\n").split("\n"), list[str](), 0
    if not before:
        old = []
    for hunk in hunks:
        # For an insertion without context, the hunk names the line before it.
        first = hunk.old_start - (1 if hunk.old_lines else 0)
        new += old[position:first]
        new += [line[1:] for line in hunk.lines if line[:1] in (" ", "+")]
        position = first + hunk.old_lines
    new += old[position:]
    had_end = not before or before.endswith("\n") or _lacks_end(hunks, "-")
    has_end = bool(new) and had_end and not _lacks_end(hunks, "+")
    return "\n".join(new) + ("\n" if has_end else "")


def _lacks_end(hunks: Sequence[events.DiffHunk], sign: str) -> bool:
    """Return whether the lines with this sign end without a line feed."""
    lines = hunks[-1].lines if hunks else ()
    pairs = itertools.pairwise(lines)
    return any(line[:1] in (" ", sign) and after.startswith("\\") for line, after in pairs)


def change_of(result: dict[str, Any]) -> events.Change | None:
    """Return the change of a file in a tool's result; None if there is none."""
    path = text(result.get("filePath"))
    if not path or "structuredPatch" not in result:
        return None
    if result.get("type") == "create":
        content = text(result.get("content"))
        added = content.count("\n") + (content[-1:] not in ("", "\n"))
        return events.Change(path, added, removed=0, created=True)
    return events.Change.of(path, hunks_of(result))


def hunks_of(result: dict[str, Any]) -> tuple[events.DiffHunk, ...]:
    """Return the hunks of the change in a tool's result."""
    return tuple(
        read(events.DiffHunk, hunk, HUNK_KEYS) for hunk in mappings(result.get("structuredPatch"))
    )


class CurrentTodos:
    """The current list."""

    def __init__(self) -> None:
        self._todos: dict[str, events.Todo] = {}

    def apply(self, name: str, arguments: dict[str, Any], result: Any) -> events.TodoList | None:
        """Apply the successful use of a tool; return the list if it has changed."""
        before = list(self._todos.values())
        result = mapping(result)
        match name:
            case "TodoWrite":
                self._write(mappings(result.get("newTodos")))
            case "TaskCreate":
                self._create(mapping(result.get("task")), arguments)
            case "TaskUpdate":
                self._update(text(arguments.get("taskId")), arguments)
            case "TaskList":
                self._list(mappings(result.get("tasks")))
        todos = list(self._todos.values())
        return events.TodoList(tuple(todos)) if todos != before else None

    def title(self, name: str, arguments: dict[str, Any]) -> str:
        """Return the title of a tool use that changes one item: the item, and its new status."""
        if name != "TaskUpdate":
            return ""
        id_, status = text(arguments.get("taskId")), text(arguments.get("status"))
        known = self._todos.get(id_)
        item = text(arguments.get("subject")) or (known.text if known else f"#{id_}" if id_ else "")
        return ": ".join(filter(None, (item, status.replace("_", " "))))

    def clear(self) -> None:
        """Clear the list: another conversation has begun."""
        self._todos.clear()

    def _write(self, todos: list[dict[str, Any]]) -> None:
        keys = {"text": "content", "active": "activeForm"}
        written = (read(events.Todo, each, keys, id=str(n)) for n, each in enumerate(todos, 1))
        self._todos = {todo.id: todo for todo in written}

    def _create(self, task: dict[str, Any], arguments: dict[str, Any]) -> None:
        if id_ := text(task.get("id")):
            active = text(arguments.get("activeForm"))
            self._todos[id_] = events.Todo(id_, text(task.get("subject")), "pending", active)

    def _update(self, id_: str, arguments: dict[str, Any]) -> None:
        known = self._todos.get(id_)
        if known is None:
            return
        if arguments.get("status") == "deleted":
            del self._todos[id_]
            return
        self._todos[id_] = _merged(known, arguments)

    def _list(self, tasks: list[dict[str, Any]]) -> None:
        listed: dict[str, events.Todo] = {}
        for task in tasks:
            id_ = text(task.get("id"))
            known = self._todos.get(id_, events.Todo(id_, "", "pending"))
            listed[id_] = _merged(known, task)
        self._todos = listed


def _merged(known: events.Todo, message: dict[str, Any]) -> events.Todo:
    """Return an item with what a message says about it."""
    said = read(events.Todo, message, {"text": "subject", "active": "activeForm"}, id=known.id)
    return events.Todo(
        known.id, said.text or known.text, said.status or known.status, said.active or known.active
    )


PASTED = re.compile(
    r'\n{0,2}<pasted_content id="(?P<id>[^"\n]+)">\n'
    r"(?P<text>.*?)\n"
    r'</pasted_content id="(?P=id)">\n{0,2}',
    re.DOTALL,
)


def unmarked(prompt: str) -> str:
    """Return a prompt as it was in the prompt box."""
    return PASTED.sub(lambda found: found["text"], prompt)


TASK_SUBTYPES = (
    "background_tasks_changed",
    "task_started",
    "task_progress",
    "task_updated",
    "task_notification",
)

TASK_STATES = {
    "completed": TaskState.COMPLETED,
    "failed": TaskState.FAILED,
    "killed": TaskState.STOPPED,
    "stopped": TaskState.STOPPED,
}
COMMAND, AGENT = "local_bash", "local_agent"
LAUNCHED = "async_launched"
"""The status of a subagent that its tool does not wait for."""

TASK_OUTPUT = re.compile(r"Output is being written to: (.+?\.output)")
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
        if found := TASK_OUTPUT.search(output):
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
        if state := TASK_STATES.get(text(patch.get("status"))):
            changes["state"] = state
        return self._change(id_, **changes)

    def _end(self, id_: str, frame: Frame) -> list[Event]:
        title = self._known[id_].title
        result = _without_title(text(frame.get("summary")), title)
        if path := text(frame.get("output_file")):
            self.outputs.setdefault(id_, path)
        changes = _usage(frame)
        changes["state"] = TASK_STATES.get(text(frame.get("status")), TaskState.COMPLETED)
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
    state = TASK_STATES.get(_tagged(words, "status"), TaskState.COMPLETED)
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
