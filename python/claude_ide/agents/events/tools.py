"""Tools and the changes that they make, the list of todos."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class ToolStatus(Enum):
    """How the use of a tool has ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    """The user has ended the turn before the tool's end."""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The model has begun to write a tool's input; `title` may follow with `ToolInput`."""

    tool: str
    name: str
    kind: str = "other"
    title: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolInput:
    """The tool's input has grown to `size` characters; `arguments` is None until it is complete."""

    tool: str
    size: int
    arguments: dict[str, Any] | None = None
    title: str = ""
    path: str = ""
    line: int | None = None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A piece of a running tool's output; with `replaces`, all output so far."""

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
        """Return it in the form of a unified diff."""
        old = f"-{self.old_start},{self.old_lines}"
        new = f"+{self.new_start},{self.new_lines}"
        return "\n".join([f"@@ {old} {new} @@", *self.lines])


@dataclass(frozen=True, slots=True)
class Change:
    """A tool's change of one file, with the numbers of added and removed lines."""

    path: str
    added: int
    removed: int
    hunks: tuple[Hunk, ...] = ()
    created: bool = False


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A tool has written a file; its `ToolEnded` follows.

    `before` and `after` are the whole texts. `before` is None if there was no file; `after` is None
    if it was not reported. Line ends may be LF although the file has others.
    """

    tool: str
    path: str
    before: str | None
    after: str | None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """The use of a tool has ended; `output` is what the model reads.

    If something else than the user has rejected it, `denied_by` names that, such as "a hook", and
    `reason` says why.
    """

    tool: str
    status: ToolStatus
    output: str = ""
    changes: tuple[Change, ...] = ()
    parent: str = ""
    denied_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of the agent's list; `status` is pending, in_progress or completed.

    `active` is the text to show while it is in progress.
    """

    id: str
    text: str
    status: str
    active: str = ""


@dataclass(frozen=True, slots=True)
class TodoList:
    """The agent's todo list has changed; these are all items."""

    todos: tuple[Todo, ...]
