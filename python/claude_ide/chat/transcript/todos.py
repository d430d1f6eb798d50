"""The agent's todo list, as rows that are pinned to the transcript."""

from typing import Any

from claude_ide.agents.events import Cleared, Dead, Event, Todo, TodoList, TurnEnded
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Row, drawn, row

MOST_ROWS = 10
LONGEST = 60
DONE = "completed"


class Todos:
    """The list of a chat, until it is done; the user can hide it."""

    def __init__(self) -> None:
        self._list = TodoList(())
        self._is_hidden = False

    @property
    def is_empty(self) -> bool:
        """Whether there is no list."""
        return not self._list.todos

    def apply(self, event: Event) -> bool:
        """Apply an event; return whether the pinned rows have changed."""
        before = self._list
        match event:
            case TodoList():
                self._list = event
            case Cleared() | Dead():
                self._list = TodoList(())
            case TurnEnded() if is_done(self._list):
                self._list = TodoList(())
        return self._list is not before and not self._is_hidden

    def toggle(self) -> None:
        """Hide the list, or show it again."""
        self._is_hidden = not self._is_hidden

    def pinned(self) -> dict[str, Any]:
        """Return the page to pin now."""
        return drawn([] if self._is_hidden else pinned(self._list))


def is_done(event: TodoList) -> bool:
    """Return whether all items are done."""
    return all(todo.status == DONE for todo in event.todos)


def pinned(event: TodoList) -> list[Row]:
    """Return a row for each item.

    A list of more than `MOST_ROWS` items is cut to those around the one in progress.
    """
    todos = event.todos
    if len(todos) <= MOST_ROWS:
        return [_row(todo) for todo in todos]
    first = next((n for n, todo in enumerate(todos) if todo.status != DONE), len(todos))
    begin = max(0, min(first - 1, len(todos) - MOST_ROWS))
    shown = todos[begin : begin + MOST_ROWS]
    done = sum(todo.status == DONE for todo in todos)
    head = _line("", f"{done} of {len(todos)} done", "ClaudeChatMeta")
    more = len(todos) - begin - len(shown)
    tail = [_line("", f"… {more} more", "ClaudeChatMeta")] if more else []
    return [head, *(_row(todo) for todo in shown), *tail]


def _row(todo: Todo) -> Row:
    match todo.status:
        case "completed":
            return _line("✓ ", todo.text, "ClaudeChatTodoDone")
        case "in_progress":
            return _line("▶ ", todo.active or todo.text, "ClaudeChatTodoActive")
    return _line("☐ ", todo.text, "ClaudeChatTodo")


def _line(sign: str, text: str, group: str) -> Row:
    return row((" ", ""), (sign + one_line(text, LONGEST), group), (" ", ""))
