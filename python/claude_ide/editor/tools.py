"""Runs the model's tools in Neovim: those of `lua/claude_ide/tools/`."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from claude_ide.base.errors import EditorError
from claude_ide.base.names import for_this_editor
from claude_ide.editor.busy import soon
from claude_ide.editor.channel import Channel
from claude_ide.editor.events import Events
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import Answered
from claude_ide.editor.tool_gate import ToolGate

BEGIN_SECONDS, REFUSED_SECONDS = 5, 3.5
"""How long a tool may wait to begin; the editor itself refuses to begin it after the second time.

It is shorter because Vim's clock only has whole seconds.
"""

CANNOT_BEGIN = (
    "Neovim is busy, perhaps with a prompt that waits for the user; nothing was done. Try again "
    "later, or ask the user to look at Neovim"
)

T = TypeVar("T")


async def unless_busy(sent: Awaitable[T]) -> T:
    """Return what the editor answers. Raises `EditorError` if it is too busy to begin."""
    try:
        return await soon(sent, BEGIN_SECONDS)
    except TimeoutError:
        raise EditorError(for_this_editor(CANNOT_BEGIN)) from None


class Tools:
    """The tools that are running, by token."""

    gate: ToolGate
    """Keeps private files from the model."""

    def __init__(self, channel: Channel, events: Events, new_token: Callable[[], int]) -> None:
        self._channel = channel
        self._new_token = new_token
        self._running: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._waiting: Counter[object] = Counter()
        """How many waits of each task for a tool have not ended."""
        events.register(self)

    async def use(self, function: str, arguments: dict[str, Any]) -> Any:
        """Run a tool and return its answer. Cancelling this cancels the tool."""
        # Lua does not tell an empty table from an empty list.
        answer = json.loads(await self.answer(function, arguments)) or {}
        return await self.gate.cleaned(function, answer)

    async def answer(self, function: str, arguments: dict[str, Any]) -> str:
        """Run a tool and return its answer as JSON, with private files, and also an error."""
        await self.gate.check(function, arguments)
        token = self._new_token()
        answer = self._running[token] = asyncio.get_running_loop().create_future()
        try:
            with self.waiting():
                await self._begin(token, function, arguments)
                finished = await answer
        except asyncio.CancelledError:
            self._channel.notify("tools.running.cancel", token)
            raise
        finally:
            del self._running[token]
        return str(finished["json"])

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the current task as one that waits for a tool."""
        task = asyncio.current_task()
        self._waiting[task] += 1
        try:
            yield
        finally:
            self._waiting[task] -= 1
            if not self._waiting[task]:
                del self._waiting[task]

    def is_waiting(self, task: object) -> bool:
        """Return whether a task waits for a tool."""
        return task in self._waiting

    async def _begin(self, token: int, function: str, arguments: dict[str, Any]) -> None:
        """Begin a tool; after this has raised, the tool never begins."""
        deadline = time.time() + REFUSED_SECONDS
        given = token, deadline, function, arguments
        if not await unless_busy(self._channel.call("tools.running.begin", *given)):
            raise EditorError(for_this_editor(CANNOT_BEGIN))

    @handles(Answered)
    def _answered(self, event: Answered) -> None:
        answer = self._running.get(event.token)
        if answer is not None and not answer.done():
            answer.set_result(event.table)
