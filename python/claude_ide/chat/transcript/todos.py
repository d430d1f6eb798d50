"""The agent's todo list, as rows of chunks for `chat/panel.lua` (`pin`)."""

from claude_ide.agents.events import Cleared, Dead, Event, Todo, TodoList, TurnEnded
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.page.rows import Chunk

MOST_ROWS = 10
LONGEST = 60
DONE = "completed"

Pinned = list[list[Chunk]]


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

    def pinned(self) -> Pinned:
        """Return what to pin now."""
        return [] if self._is_hidden else pinned(self._list)


def is_done(event: TodoList) -> bool:
    """Return whether all items are done."""
    return all(todo.status == DONE for todo in event.todos)


def pinned(event: TodoList) -> Pinned:
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
    head: list[Chunk] = [(f"{done} of {len(todos)} done", "ClaudeChatMeta")]
    more = len(todos) - begin - len(shown)
    tail: list[list[Chunk]] = [[(f"… {more} more", "ClaudeChatMeta")]] if more else []
    return [head, *(_row(todo) for todo in shown), *tail]


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
