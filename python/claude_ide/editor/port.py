"""What the rest needs of an editor: to call a function of the half that runs inside it."""

import asyncio
from typing import Any, Protocol

from claude_ide.errors import EditorError


class Port(Protocol):
    """Calls functions of the editor's half by name, as `module.function`, with plain arguments.

    One call is one instant in the editor: nothing happens there between its beginning and its end.
    Calls happen in the order in which they were made. While the editor is busy a call waits, and
    then happens.
    """

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Return a future of what the function returns.

        Raises, when awaited, `EditorError` with one line.
        """

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Do the same for a large result.

        An empty list may come back as an empty dict.
        """

    def tell(self, function: str, *arguments: Any) -> None:
        """Call a function without waiting for it; a failure is logged."""

    def close(self) -> None:
        """Fail every later call: the editor is gone."""


def without_error(result: Any) -> Any:
    """Return what a function gave; raises the `EditorError` that it gave instead."""
    if isinstance(result, dict) and isinstance(result.get("error"), str):
        raise EditorError(result["error"])
    return result
