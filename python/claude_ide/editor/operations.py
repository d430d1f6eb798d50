"""Calls into the editor that end later, such as dialogues and the model's tools."""

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from claude_ide.base.errors import EditorError
from claude_ide.base.names import for_this_editor
from claude_ide.editor.events import Events
from claude_ide.editor.port.binding import Channel, handles, soon, without_error
from claude_ide.editor.port.events import Answered, FormPressed
from claude_ide.editor.private_files import ToolGate

BEGIN_SECONDS, REFUSED_SECONDS = 5, 3.5
"""How long a tool may wait to begin; the editor itself refuses to begin it after the second time.

It is shorter because Vim's clock only has whole seconds.
"""

CANNOT_BEGIN = (
    "Neovim is busy, perhaps with a prompt that waits for the user; nothing was done. Try again "
    "later, or ask the user to look at Neovim"
)

T = TypeVar("T")
Step = Callable[[FormPressed], None]


async def unless_busy(sent: Awaitable[T]) -> T:
    """Return what the editor answers. Raises `EditorError` if it is too busy to begin."""
    try:
        return await soon(sent, BEGIN_SECONDS)
    except TimeoutError:
        raise EditorError(for_this_editor(CANNOT_BEGIN)) from None


class Operations:
    """The calls that have not ended, by token."""

    gate: ToolGate
    """Keeps private files from the model."""

    def __init__(self, channel: Channel, events: Events) -> None:
        self._channel = channel
        self._tokens = itertools.count(1)
        self._running: dict[int, tuple[asyncio.Future[dict[str, Any]], Step | None]] = {}
        self._waiting: Counter[object] = Counter()
        """How many waits of each task for a tool have not ended."""
        events.register(self)

    def new_token(self) -> int:
        """Return a token for a call."""
        return next(self._tokens)

    async def run(
        self,
        function: str,
        *arguments: Any,
        token: int = 0,
        cancel: str = "",
        step: Step | None = None,
    ) -> dict[str, Any]:
        """Call a function and return the table of the event that reports its end.

        Until then `step` is called with the payload of each key. Cancelling this calls the function
        `cancel`, if there is one.
        """
        token = token or self.new_token()
        with self._until_end(token, cancel, step) as end:
            without_error(await self._channel.call(function, token, *arguments))
            table: dict[str, Any] = without_error(await end)
            return table

    async def use(self, function: str, fields: Mapping[str, Any] = {}) -> Any:
        """Run a tool and return its answer. Cancelling this cancels the tool."""
        # Lua does not tell an empty table from an empty list.
        answer = json.loads(await self._answer(function, fields)) or {}
        return await self.gate.cleaned(function, answer)

    async def use_as_json(self, function: str, fields: Mapping[str, Any]) -> str:
        """Do the same, but return the JSON that has crossed, with private files."""
        answer = await self._answer(function, fields)
        if answer.startswith('{"error":'):
            await self.gate.cleaned(function, json.loads(answer))
        return answer

    async def _answer(self, function: str, fields: Mapping[str, Any]) -> str:
        await self.gate.check(function, fields)
        token = self.new_token()
        with self._until_end(token, "tools.running.cancel") as end, self.waiting():
            await self._begin(token, function, fields)
            return str((await end)["json"])

    async def _begin(self, token: int, function: str, fields: Mapping[str, Any]) -> None:
        """Begin a tool; after this has raised, the tool never begins."""
        given = token, time.time() + REFUSED_SECONDS, function, fields
        if not await unless_busy(self._channel.call("tools.running.begin", *given)):
            raise EditorError(for_this_editor(CANNOT_BEGIN))

    @contextmanager
    def _until_end(
        self, token: int, cancel: str, step: Step | None = None
    ) -> Iterator[asyncio.Future[dict[str, Any]]]:
        """Wait for the end of a call under a token; if that is cancelled, call `cancel` with it."""
        end = asyncio.get_running_loop().create_future()
        self._running[token] = end, step
        try:
            yield end
        except asyncio.CancelledError:
            if cancel:
                self._channel.notify(cancel, token)
            raise
        finally:
            del self._running[token]

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

    @handles(FormPressed)
    def _pressed(self, pressed: FormPressed) -> None:
        _, step = self._running.get(pressed.token, (None, None))
        if step:
            step(pressed)

    @handles(Answered)
    def _ended(self, event: Answered) -> None:
        end, _ = self._running.get(event.token, (None, None))
        if end is not None and not end.done():
            end.set_result(event.table)
