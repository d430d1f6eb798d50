"""The model's todo list, from whichever tools the model has for it.

Some models write the whole list (`TodoWrite`), some change single items (`TaskCreate`,
`TaskUpdate`, `TaskList`), some have neither; see doc/stream-json.md.
"""

from dataclasses import replace
from typing import Any

from claude_ide.agents.events import Todo, TodoList
from claude_ide.agents.fields import mapping, mappings, text


class Todos:
    """The current list."""

    def __init__(self) -> None:
        self._todos: dict[str, Todo] = {}

    def apply(self, name: str, arguments: dict[str, Any], result: Any) -> TodoList | None:
        """Apply the successful use of a tool; return the list if it has changed."""
        before = list(self._todos.values())
        result = mapping(result)
        match name:
            case "TodoWrite":
                self._write(mappings(result.get("newTodos")))
            case "TaskCreate":
                self._create(mapping(result.get("task")), arguments)
            case "TaskUpdate":
                self._update(text(arguments.get("taskId")), arguments)
            case "TaskList":
                self._list(mappings(result.get("tasks")))
        todos = list(self._todos.values())
        return TodoList(tuple(todos)) if todos != before else None

    def title(self, name: str, arguments: dict[str, Any]) -> str:
        """Return the title of a tool use that changes one item: the item, and its new status."""
        if name != "TaskUpdate":
            return ""
        id_, status = text(arguments.get("taskId")), text(arguments.get("status"))
        known = self._todos.get(id_)
        item = text(arguments.get("subject")) or (known.text if known else f"#{id_}" if id_ else "")
        return ": ".join(filter(None, (item, status.replace("_", " "))))

    def clear(self) -> None:
        """Clear the list: another conversation has begun."""
        self._todos.clear()

    def _write(self, todos: list[dict[str, Any]]) -> None:
        self._todos = {
            str(number): Todo(
                str(number),
                text(todo.get("content")),
                text(todo.get("status")),
                text(todo.get("activeForm")),
            )
            for number, todo in enumerate(todos, 1)
        }

    def _create(self, task: dict[str, Any], arguments: dict[str, Any]) -> None:
        if id_ := text(task.get("id")):
            active = text(arguments.get("activeForm"))
            self._todos[id_] = Todo(id_, text(task.get("subject")), "pending", active)

    def _update(self, id_: str, arguments: dict[str, Any]) -> None:
        known = self._todos.get(id_)
        if known is None:
            return
        if arguments.get("status") == "deleted":
            del self._todos[id_]
            return
        self._todos[id_] = replace(
            known,
            text=text(arguments.get("subject")) or known.text,
            status=text(arguments.get("status")) or known.status,
            active=text(arguments.get("activeForm")) or known.active,
        )

    def _list(self, tasks: list[dict[str, Any]]) -> None:
        listed: dict[str, Todo] = {}
        for task in tasks:
            id_ = text(task.get("id"))
            known = self._todos.get(id_, Todo(id_, "", "pending"))
            status = text(task.get("status")) or known.status
            listed[id_] = replace(
                known, text=text(task.get("subject")) or known.text, status=status
            )
        self._todos = listed
