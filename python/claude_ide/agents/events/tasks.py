"""Tasks: commands and subagents that run in the background, or could."""

from dataclasses import dataclass
from enum import Enum


class TaskState(Enum):
    """The progress of a task."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Task:
    """A task that a tool use has started; `kind` is `command`, or the kind of a subagent.

    `last_tool` is the tool that a subagent has used last, `tools` the number of its tool uses.
    `result` is the text with which the task has ended.
    """

    id: str
    kind: str = ""
    title: str = ""
    tool: str = ""
    state: TaskState = TaskState.RUNNING
    in_background: bool = False
    is_agent: bool = False
    last_tool: str = ""
    tools: int | None = None
    tokens: int | None = None
    result: str = ""

    @property
    def runs_in_background(self) -> bool:
        """Whether it runs now, and the agent does not wait for it."""
        return self.in_background and self.state is TaskState.RUNNING


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """A task has started, progressed or ended; this is its present state."""

    task: Task


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The agent has started a turn by itself, because these tasks have ended."""

    ended: tuple[Task, ...]
