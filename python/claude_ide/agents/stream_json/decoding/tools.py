"""Tools by name: the kind of a tool, the title of its use, its result."""

import itertools
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from claude_ide.agents import events
from claude_ide.agents.fields import integer, mapping, mappings, read, text
from claude_ide.agents.stream_json.wire.frames import Frame

KINDS = {
    "Read": "read",
    "NotebookRead": "read",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Glob": "search",
    "Grep": "search",
    "WebSearch": "search",
    "ToolSearch": "search",
    "LS": "read",
    "Bash": "execute",
    "BashOutput": "execute",
    "KillShell": "execute",
    "WebFetch": "fetch",
    "Task": "think",
    "Agent": "think",
    "TodoWrite": "think",
    "TaskCreate": "think",
    "TaskUpdate": "think",
    "TaskList": "think",
    "EnterPlanMode": "switch_mode",
    "ExitPlanMode": "switch_mode",
}
"""The kinds are those of tool calls in ACP (Agent Client Protocol)."""

NAMES = {
    "AskUserQuestion": "Questions",
    "EnterPlanMode": "Plan mode",
    "ExitPlanMode": "Plan",
}
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


def patched(before: str, hunks: Sequence[events.Hunk]) -> str:
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


def _lacks_end(hunks: Sequence[events.Hunk], sign: str) -> bool:
    """Return whether the lines with this sign end without a line feed."""
    lines = hunks[-1].lines if hunks else ()
    pairs = itertools.pairwise(lines)
    return any(line[:1] in (" ", sign) and after.startswith("\\") for line, after in pairs)


def change_of(result: dict[str, Any]) -> events.Change | None:
    """Return the change of a file in a tool's result; None if there is none."""
    path = text(result.get("filePath"))
    if not path or "structuredPatch" not in result:
        return None
    hunks = hunks_of(result)
    if result.get("type") == "create":
        content = text(result.get("content"))
        added = content.count("\n") + (content[-1:] not in ("", "\n"))
        return events.Change(path, added, removed=0, created=True)
    lines = [line for hunk in hunks for line in hunk.lines]
    return events.Change(
        path,
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        hunks=hunks,
    )


def hunks_of(result: dict[str, Any]) -> tuple[events.Hunk, ...]:
    """Return the hunks of the change in a tool's result."""
    return tuple(
        read(events.Hunk, hunk, HUNK_KEYS) for hunk in mappings(result.get("structuredPatch"))
    )


TOOL_USES = ("tool_use", "server_tool_use", "mcp_tool_use")


class Block(Struct):
    """One block of the message that is being streamed."""

    id: str
    type: str
    tool: str = ""
    size: int = 0
    whole: bool = False


class Preview:
    """The blocks of the message that is being streamed."""

    def __init__(self) -> None:
        self._message = ""
        self._blocks: dict[int, Block] = {}
        self._finished = False

    def apply(self, event: Frame) -> list[events.Event]:
        """Decode a stream event of the main conversation."""
        match text(event.get("type")):
            case "content_block_delta":
                return self._delta(event)
            case "content_block_start":
                return self._start(event)
            case "message_start":
                voided = self.void()
                self._message = text(mapping(event.get("message")).get("id"))
                self._finished = False
                return voided
            case "message_delta":
                self._finished = True
            case "message_stop" if not self._finished:
                # The stream has broken off; the CLI will repeat the message under another id.
                return self.void()
        return []

    def confirm(self, message: str, block: Frame, number: int) -> tuple[Block, bool]:
        """Return the block that has arrived as a whole, and whether a preview of it is shown.

        `number` is its index among the blocks of this message that have arrived as a whole.
        """
        type_, tool = text(block.get("type")), text(block.get("id"))
        if message == self._message:
            for shown in self._blocks.values():
                if not shown.whole and shown.type == type_ and shown.tool == tool:
                    shown.whole = True
                    return shown, True
        return Block(f"{message}/{number}", type_, tool, whole=True), False

    def void(self) -> list[events.Event]:
        """Forget the message; its unconfirmed blocks are void."""
        void = [block for block in self._blocks.values() if not block.whole]
        self._blocks = {}
        if not void:
            return []
        tools = tuple(block.tool for block in void if block.tool)
        return [events.PreviewVoided(tuple(block.id for block in void), tools)]

    def _start(self, event: Frame) -> list[events.Event]:
        started = mapping(event.get("content_block"))
        index, type_ = integer(event.get("index")) or 0, text(started.get("type"))
        tool = text(started.get("id")) if type_ in TOOL_USES else ""
        self._blocks[index] = Block(f"{self._message}:{index}", type_, tool)
        if not tool:
            return []
        name = text(started.get("name"))
        return [tool_started(tool, name)]

    def _delta(self, event: Frame) -> list[events.Event]:
        block = self._blocks.get(integer(event.get("index")) or 0)
        delta = mapping(event.get("delta"))
        if block is None:
            return []
        match text(delta.get("type")):
            case "text_delta":
                return [events.TextDelta(block.id, text(delta.get("text")))]
            case "thinking_delta":
                return [events.ThinkingDelta(block.id, text(delta.get("thinking")))]
            case "input_json_delta" if block.tool:
                block.size += len(text(delta.get("partial_json")))
                return [events.ToolInput(block.tool, block.size)]
        return []


class Todos:
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


MARKED = re.compile(
    r'\n{0,2}<pasted_content id="(?P<id>[^"\n]+)">\n'
    r"(?P<text>.*?)\n"
    r'</pasted_content id="(?P=id)">\n{0,2}',
    re.DOTALL,
)


def unmarked(prompt: str) -> str:
    """Return a prompt as it was in the prompt box."""
    return MARKED.sub(lambda found: found["text"], prompt)
