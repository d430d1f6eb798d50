"""Tools by name: the kind of a tool, the title of its use, its result."""

import itertools
from collections.abc import Sequence
from typing import Any

from claude_ide.agents.events import (
    Change,
    FileWritten,
    Hunk,
    ToolEnded,
    ToolInput,
    ToolStarted,
    ToolStatus,
)
from claude_ide.agents.fields import integer, mapping, mappings, sequence, text
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

PATHS = ("file_path", "notebook_path", "path")
TITLES = ("command", "pattern", "query", "url", "subject", "description", "skill")


def kind_of(name: str) -> str:
    """Return the kind of a tool."""
    return KINDS.get(name, "other")


def tool_started(tool: str, name: str, title: str = "", parent: str = "") -> ToolStarted:
    """Return the event for the beginning of a tool's use."""
    return ToolStarted(tool, NAMES.get(name, name), kind_of(name), title, parent)


def path_in(arguments: dict[str, Any]) -> str:
    """Return the file that a tool works on; empty if there is none."""
    return next((path for key in PATHS if (path := text(arguments.get(key)))), "")


def title_of(arguments: dict[str, Any]) -> str:
    """Return the argument that identifies a use of a tool: its file, command or pattern."""
    titles = (text(arguments.get(key)) for key in (*PATHS, *TITLES))
    return next((title for title in titles if title), "")


def whole_input(tool: str, arguments: dict[str, Any], size: int, parent: str) -> ToolInput:
    """Return the event for a tool's complete input."""
    return ToolInput(
        tool,
        size,
        arguments,
        title=title_of(arguments),
        path=path_in(arguments),
        line=integer(arguments.get("offset")),
        parent=parent,
    )


def decode_result(frame: Frame, block: Frame) -> ToolEnded:
    """Decode one `tool_result` block of a `user` frame, as if the tool was executed."""
    tool = text(block.get("tool_use_id"))
    detail = mapping(frame.get("tool_use_result"))
    change = change_of(detail)
    return ToolEnded(
        tool,
        ToolStatus.FAILED if block.get("is_error") is True else ToolStatus.COMPLETED,
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
    return "\n".join(
        text(part.get("text")) or f"[{text(part.get('type'))}]" for part in mappings(content)
    )


def decode_write(frame: Frame, block: Frame) -> list[FileWritten]:
    """Return the write of a file that a result reports, in a list; an empty list if there is none.

    `NotebookEdit` reports both texts. `Edit` and `Write` report the text before and the hunks.
    """
    result = mapping(frame.get("tool_use_result"))
    tool, parent = text(block.get("tool_use_id")), text(frame.get("parent_tool_use_id"))
    if notebook := text(result.get("notebook_path")):
        before, after = result.get("original_file"), result.get("updated_file")
        known = isinstance(before, str) and isinstance(after, str) and not result.get("error")
        return [FileWritten(tool, notebook, before, after, parent)] if known else []
    path, before = text(result.get("filePath")), result.get("originalFile")
    if not path or "structuredPatch" not in result:
        return []
    if result.get("type") == "create":
        return [FileWritten(tool, path, None, text(result.get("content")), parent)]
    if not isinstance(before, str):
        return []
    content = result.get("content")
    after = content if isinstance(content, str) else patched(before, hunks_of(result))
    return [FileWritten(tool, path, before, after, parent)]


def patched(before: str, hunks: Sequence[Hunk]) -> str:
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


def _lacks_end(hunks: Sequence[Hunk], sign: str) -> bool:
    """Return whether the lines with this sign end without a line feed."""
    lines = hunks[-1].lines if hunks else ()
    pairs = itertools.pairwise(lines)
    return any(line[:1] in (" ", sign) and after.startswith("\\") for line, after in pairs)


def change_of(result: dict[str, Any]) -> Change | None:
    """Return the change of a file in a tool's result; None if there is none."""
    path = text(result.get("filePath"))
    if not path or "structuredPatch" not in result:
        return None
    hunks = hunks_of(result)
    if result.get("type") == "create":
        return Change(path, added=_count(text(result.get("content"))), removed=0, created=True)
    lines = [line for hunk in hunks for line in hunk.lines]
    return Change(
        path,
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        hunks=hunks,
    )


def hunks_of(result: dict[str, Any]) -> tuple[Hunk, ...]:
    """Return the hunks of the change in a tool's result."""
    return tuple(map(_hunk, mappings(result.get("structuredPatch"))))


def _hunk(hunk: dict[str, Any]) -> Hunk:
    numbers = (hunk.get(key) for key in ("oldStart", "oldLines", "newStart", "newLines"))
    old_start, old_lines, new_start, new_lines = (integer(number) or 0 for number in numbers)
    lines = tuple(text(line) for line in sequence(hunk.get("lines")))
    return Hunk(old_start, old_lines, new_start, new_lines, lines)


def _count(content: str) -> int:
    return content.count("\n") + (not content.endswith("\n") and bool(content))
