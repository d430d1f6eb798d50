"""Waits for an editor that may be busy, such as at a prompt or in `system()`."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

BUSY_SECONDS = 0.25
"""How long a read waits while the editor is busy."""

LOOKS = 5
"""In how many parts it waits. If this process itself stands still, only one of them is lost."""

T = TypeVar("T")


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
