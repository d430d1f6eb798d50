"""The progress of tasks, in a few words."""

from claude_ide.agents.events import Task, TaskState
from claude_ide.chat.page import amounts
from claude_ide.chat.page.plain import one_line

LONGEST = 100


def measures(task: Task | None, tools: int = 0) -> list[str]:
    """Return the known facts about a task: where it runs, its tools and tokens, its last tool.

    `tools` is the number of tools that are known to have been used.
    """
    found: list[str] = []
    is_running = task is not None and task.state is TaskState.RUNNING
    if task is not None and is_running and task.in_background:
        found.append("in the background")
    if tools := max(tools, (task.tools or 0) if task else 0):
        found.append(amounts.count(tools, "tool"))
    if task is not None and task.tokens:
        found.append(amounts.count(task.tokens, "token"))
    if task is not None and is_running and task.last_tool:
        found.append(one_line(task.last_tool, 40))
    return found


def outcome(task: Task) -> str:
    """Return how a task has ended; empty if it succeeded."""
    match task.state:
        case TaskState.FAILED if task.result.startswith("failed"):
            return one_line(task.result, LONGEST)
        case TaskState.FAILED:
            reason = one_line(task.result, LONGEST)
            return f"failed: {reason}" if reason else "failed"
        case TaskState.STOPPED:
            return "stopped"
    return ""
