"""The agent's todo list, as rows of chunks for `chat/panel.lua` (`pin`)."""

from claude_ide.agents.events import Todo, TodoList
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk

MOST_ROWS = 10
LONGEST = 60


def pinned(event: TodoList) -> list[list[Chunk]]:
    """Return a row for each item.

    A list of more than `MOST_ROWS` items is cut to those around the one in progress.
    """
    todos = event.todos
    if len(todos) <= MOST_ROWS:
        return [_row(todo) for todo in todos]
    first = next((n for n, todo in enumerate(todos) if todo.status != "completed"), len(todos))
    begin = max(0, min(first - 1, len(todos) - MOST_ROWS))
    shown = todos[begin : begin + MOST_ROWS]
    done = sum(todo.status == "completed" for todo in todos)
    return [[(f"{done} of {len(todos)} done", "ClaudeChatMeta")], *(_row(todo) for todo in shown)]


def _row(todo: Todo) -> list[Chunk]:
    match todo.status:
        case "completed":
            return [("✓ ", "ClaudeChatTodoDone"), (_text(todo.text), "ClaudeChatTodoDone")]
        case "in_progress":
            text = _text(todo.active or todo.text)
            return [("▶ ", "ClaudeChatTodoActive"), (text, "ClaudeChatTodoActive")]
    return [("☐ ", "ClaudeChatTodo"), (_text(todo.text), "ClaudeChatTodo")]


def _text(text: str) -> str:
    return one_line(text, LONGEST)
