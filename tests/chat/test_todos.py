"""The pinned todo list."""

from claude_ide.agents.events import Cleared, Todo, TodoList, TurnEnded, TurnEndReason
from claude_ide.chat.bar import MOST_ROWS, Todos, pinned


def text(todos: TodoList) -> list[str]:
    return [row.text[1:-1] for row in pinned(todos)]


def numbered(count: int, done: int) -> TodoList:
    status = ["completed"] * done + ["pending"] * (count - done)
    return TodoList(tuple(Todo(str(n), f"item {n}", each) for n, each in enumerate(status)))


def test_items_are_shown_with_their_status() -> None:
    todos = TodoList(
        (
            Todo("1", "Write tests", "completed", "Writing tests"),
            Todo("2", "Run tests", "in_progress", "Running tests"),
            Todo("3", "Read\nlogs", "pending"),
        )
    )

    assert text(todos) == ["✓ Write tests", "▶ Running tests", "☐ Read …"]
    assert {mark.group for row in pinned(todos) for mark in row.marks} == {
        *("ClaudeChatTodoDone", "ClaudeChatTodoActive", "ClaudeChatTodo"),
    }


def test_an_empty_list_has_no_rows() -> None:
    assert pinned(TodoList(())) == []


def test_a_long_list_shows_the_next_items() -> None:
    shown = text(numbered(30, 12))

    assert shown[:3] == ["12 of 30 done", "✓ item 11", "☐ item 12"]
    assert len(shown) == MOST_ROWS + 2
    assert shown[-1] == f"… {30 - 11 - MOST_ROWS} more"


def test_the_end_of_a_long_list_is_shown_when_all_is_done() -> None:
    assert text(numbered(30, 30))[-1] == "✓ item 29"


def test_a_list_is_removed_when_its_turn_is_over_and_all_is_done() -> None:
    todos, over = Todos(), TurnEnded(TurnEndReason.COMPLETED)

    assert todos.apply(numbered(2, 1))
    assert not todos.apply(over)
    assert len(todos.pinned()["lines"]) == 2
    assert todos.apply(numbered(2, 2))
    assert len(todos.pinned()["lines"]) == 2
    assert todos.apply(over)
    assert todos.pinned()["lines"] == []


def test_a_list_is_removed_with_its_conversation() -> None:
    todos = Todos()
    todos.apply(numbered(2, 1))

    assert todos.apply(Cleared())
    assert todos.is_empty


def test_a_hidden_list_stays_hidden_until_the_user_shows_it() -> None:
    todos = Todos()
    todos.apply(numbered(2, 1))
    todos.toggle()

    assert todos.pinned()["lines"] == []
    assert not todos.apply(numbered(3, 1))

    todos.toggle()

    assert len(todos.pinned()["lines"]) == 3
