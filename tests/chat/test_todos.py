"""The pinned todo list."""

from typing import Any

import pytest

from claude_ide.agents.events import Cleared, Event, Todo, TodoList, TurnEnded, TurnEndReason
from claude_ide.base.errors import UserError
from claude_ide.chat.bar import MOST_ROWS, Todos, pinned
from claude_ide.editor.port.panel import TodosToggled
from support.chat_parts import PocketChat


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
        *("ClaudeChatTodoDone", "ClaudeChatTodoActive", "ClaudeChatTodo")
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


class Pinned(list[int]):
    """The numbers of rows that a chat has pinned, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.chat = PocketChat(self._answer)
        self.todos = Todos(self.chat.context)

    async def _answer(self, _function: str, _chat: int, facts: dict[str, Any]) -> None:
        self.append(len(facts["pinned"]["lines"]))

    async def after(self, *happened: Event) -> list[int]:
        """Return what has been pinned so far, after these events."""
        for event in happened:
            self.todos.apply(event)
            await self.chat.settle()
        return list(self)

    async def toggle(self) -> list[int]:
        await self.todos.toggle(TodosToggled(chat=1))
        return list(self)


async def test_a_list_is_removed_when_its_turn_is_over_and_all_is_done() -> None:
    pinned, over = Pinned(), TurnEnded(TurnEndReason.COMPLETED)

    assert await pinned.after(numbered(2, 1), over) == [2]
    assert await pinned.after(numbered(2, 2)) == [2, 2]
    assert await pinned.after(over) == [2, 2, 0]


async def test_a_list_is_removed_with_its_conversation() -> None:
    pinned = Pinned()

    assert await pinned.after(numbered(2, 1), Cleared()) == [2, 0]
    with pytest.raises(UserError, match="there is no todo list"):
        await pinned.toggle()


async def test_a_hidden_list_stays_hidden_until_the_user_shows_it() -> None:
    pinned = Pinned()
    await pinned.after(numbered(2, 1))

    assert await pinned.toggle() == [2, 0]
    assert await pinned.after(numbered(3, 1)) == [2, 0]
    assert await pinned.toggle() == [2, 0, 3]
