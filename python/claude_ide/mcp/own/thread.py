"""The event loop of the tools in packages, in a thread of its own.

Their code is not ours: whatever it does there, the host goes on, and keeps the time limit.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

from claude_ide.mcp.own.tool import failure

logger = logging.getLogger(__name__)

REACTS_SECONDS = 1.0
"""A loop that does not react within this time is blocked."""

T = TypeVar("T")


class ToolThread:
    """Runs coroutines. One that blocks its thread is reported; later ones run in another thread."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain = complain
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: list[str] = []
        """The tools that are running in this loop, by name."""

    async def run(
        self, name: str, function: Callable[[Any], Coroutine[Any, Any, T]], arguments: Any
    ) -> T:
        """Return the result of a tool. Raises `ToolError`."""
        loop = self._loop = self._loop or _started_loop()
        running = self._running
        running.append(name)
        try:
            return await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(_guarded(name, function, arguments), loop)
            )
        except asyncio.CancelledError:
            if not await _reacts(loop):
                self._give_up(loop)
            raise
        finally:
            running.remove(name)

    def _give_up(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave a blocked loop, which cannot be ended, to itself."""
        if self._loop is not loop:
            return
        names = [*dict.fromkeys(self._running)]
        what = f"the tool {names[0]}" if len(names) == 1 else f"one of {', '.join(names)}"
        self._complain(f"{what} blocks its thread and cannot be ended")
        self._loop, self._running = None, []


async def _guarded(
    name: str, function: Callable[[Any], Coroutine[Any, Any, T]], arguments: Any
) -> T:
    try:
        return await function(arguments)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise failure(name, error) from None
    except BaseException as error:
        # Also `SystemExit`, which would end the thread.
        raise failure(name, error) from None


async def _reacts(loop: asyncio.AbstractEventLoop) -> bool:
    here, reacted = asyncio.get_running_loop(), asyncio.Event()
    loop.call_soon_threadsafe(here.call_soon_threadsafe, reacted.set)
    try:
        async with asyncio.timeout(REACTS_SECONDS):
            await reacted.wait()
    except TimeoutError:
        return False
    return True


def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="tools of packages", daemon=True).start()
    return loop
