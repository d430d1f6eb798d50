"""What is done: tools, the changes they make, the list of todos, tasks in the background."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class ToolStatus(Enum):
    """How the use of a tool has ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The model has begun to say that it uses a tool; `title` may be told later."""

    tool: str
    name: str
    kind: str = "other"
    title: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolInput:
    """The tool's input grows (`arguments` is None), or is whole."""

    tool: str
    size: int
    arguments: dict[str, Any] | None = None
    title: str = ""
    path: str = ""
    line: int | None = None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A piece of what a running tool puts out; with `replaces`, all of it so far."""

    tool: str
    text: str
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a unified diff; `lines` begin with a blank, `-` or `+`."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        """Return it as a unified diff has it."""
        old = f"-{self.old_start},{self.old_lines}"
        new = f"+{self.new_start},{self.new_lines}"
        return "\n".join([f"@@ {old} {new} @@", *self.lines])


@dataclass(frozen=True, slots=True)
class Change:
    """What a tool did to a file, with the numbers of lines that came and went."""

    path: str
    added: int
    removed: int
    hunks: tuple[Hunk, ...] = ()
    created: bool = False


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool was used, or was not; `output` is what the model reads."""

    tool: str
    status: ToolStatus
    output: str = ""
    changes: tuple[Change, ...] = ()
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of the agent's list; `status` is pending, in_progress or completed."""

    id: str
    text: str
    status: str
    active: str = ""


@dataclass(frozen=True, slots=True)
class TodoList:
    """The agent's whole list, each time that it changes."""

    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """Something that runs beside the conversation: a subagent, a shell command."""

    id: str
    kind: str
    description: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class TasksChanged:
    """All tasks that run in the background now."""

    tasks: tuple[Task, ...]
