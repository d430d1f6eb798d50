"""Calls into Neovim that end later, such as questions: an event reports each end."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from claude_ide.editor.channel import Channel, without_error
from claude_ide.editor.events import Events
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import Answered, FormPressed


class Finishing:
    """The calls that have not ended, by token."""

    def __init__(self, channel: Channel, events: Events) -> None:
        self._channel = channel
        self._tokens = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._steps: dict[int, Callable[[FormPressed], None]] = {}
        events.register(self)

    def new_token(self) -> int:
        """Return a token for a call."""
        return next(self._tokens)

    async def finish(
        self,
        function: str,
        *arguments: Any,
        token: int = 0,
        close: str = "",
        step: Callable[[FormPressed], None] | None = None,
    ) -> dict[str, Any]:
        """Call a function and return the table of the event that reports its end.

        Until then `step` is called with the payload of each key. Cancelling this calls the function
        `close`, if there is one.
        """
        token = token or self.new_token()
        if step is not None:
            self._steps[token] = step
        waiting = self._waiting[token] = asyncio.get_running_loop().create_future()
        try:
            without_error(await self._channel.call(function, token, *arguments))
            table: dict[str, Any] = without_error(await waiting)
            return table
        except asyncio.CancelledError:
            if close:
                self._channel.notify(close, token)
            raise
        finally:
            del self._waiting[token]
            self._steps.pop(token, None)

    @handles(FormPressed)
    def _step(self, pressed: FormPressed) -> None:
        """Pass on a key to the call that is waiting under this token."""
        if step := self._steps.get(pressed.token):
            step(pressed)

    @handles(Answered)
    def _finished(self, event: Answered) -> None:
        """Settle the call that is waiting under this token."""
        waiting = self._waiting.get(event.token)
        if waiting is not None and not waiting.done():
            waiting.set_result(event.table)
