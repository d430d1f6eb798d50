"""The channel to an editor, which may be busy: carries calls of functions that run inside it."""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar

from claude_ide.base.errors import EditorError

logger = logging.getLogger(__name__)

BUSY_SECONDS = 0.25
"""How long a read waits while the editor is busy."""

LOOKS = 5
"""In how many parts it waits. If this process itself stands still, only one of them is lost."""

T = TypeVar("T")


class Channel(Protocol):
    """Calls functions inside the editor by name, as `module.function`, with plain arguments.

    A call is one instant in the editor: nothing else happens there while it runs. Calls run in the
    order in which they were made. A call waits while the editor is busy.
    """

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Return a future of the function's result.

        The future raises `EditorError` with one line.
        """

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Return a future of the function's result, at less cost for a large one.

        An empty list may arrive as an empty dict.
        """

    def notify(self, function: str, *arguments: Any) -> None:
        """Call a function without waiting for it; a failure is logged."""

    def close(self) -> None:
        """Fail every later call: the editor is gone."""


def log_failure(done: "asyncio.Future[Any]") -> None:
    """Log the failure of a call for whose result nobody waits."""
    if not done.cancelled() and (error := done.exception()) is not None:
        logger.warning("%s", error)


def without_error(result: Any) -> Any:
    """Return the result of a function; raises `EditorError` if it is `{error = "…"}`."""
    if isinstance(result, dict) and isinstance(result.get("error"), str):
        raise EditorError(result["error"])
    return result


async def soon(sent: Awaitable[T], seconds: float = BUSY_SECONDS) -> T:
    """Return the answer. Raises `TimeoutError` if the editor is too busy, and cancels the call.

    An answer that arrives while this process itself stands still is not late.
    """
    answer = asyncio.ensure_future(sent)
    try:
        for _ in range(LOOKS):
            await asyncio.wait([answer], timeout=seconds / LOOKS)
            if answer.done():
                return answer.result()
        raise TimeoutError
    finally:
        answer.cancel()
