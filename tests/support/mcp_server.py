"""A server of tools that a test gives to an agent."""

from collections.abc import Awaitable, Callable
from typing import Any

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]


class Server:
    """Answers with a function; `uses` has the uses of tools that the user has allowed."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.watchers: list[Callable[[], object]] = []
        self.read: list[str] = []
        self.uses: list[tuple[str, str, dict[str, Any], bool]] = []

    def __call__(self, message: dict[str, Any]) -> Awaitable[dict[str, Any] | None]:
        return self._answer(message)

    def has_read(self, path: str) -> None:
        self.read.append(path)

    def watch(self, changed: Callable[[], object]) -> Callable[[], object]:
        self.watchers.append(changed)
        return lambda: self.watchers.remove(changed)

    def allowed(self, tool: str, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        self.uses.append((tool, use, arguments, for_good))
