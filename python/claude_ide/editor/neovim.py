"""Neovim as an editor: the one way from a coroutine into it.

pynvim's requests block a greenlet, which a coroutine is not: a direct call would raise after the
request was sent. So each call runs in a greenlet of its own and settles a future.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pynvim
from greenlet import greenlet

from claude_ide.errors import EditorError

logger = logging.getLogger(__name__)


class Neovim:
    """Calls Lua functions of `lua/claude_ide/` (a `Port`)."""

    def __init__(self, nvim: "pynvim.Nvim") -> None:
        self._nvim = nvim
        # Not the running loop: what Neovim sent early is handled before the loop runs.
        self._loop: asyncio.AbstractEventLoop = nvim.loop
        self._closed = False

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Call `module.function`; while Neovim is busy (`:help api-fast`) it waits for that."""
        return self._call("attempt", function, arguments)

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Do the same at a third of the cost for a large result: pynvim looks at each value.

        Lua has one table for an empty list and an empty dict: both arrive as a dict.
        """
        return self._call("attempt_json", function, arguments, json.loads)

    def _call(
        self,
        attempt: str,
        function: str,
        arguments: tuple[Any, ...],
        decode: Callable[[Any], Any] | None = None,
    ) -> "asyncio.Future[Any]":
        done: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            done.set_exception(EditorError("Neovim has ended"))
            return done

        code = f"return require('claude_ide.say.reason').{attempt}(...)"
        module, _, name = function.rpartition(".")

        def call() -> None:
            try:
                is_done, *given = self._nvim.exec_lua(code, module, name, *arguments)
                result = given[0] if given else None
                if not is_done:
                    raise EditorError(result)
            except Exception as error:
                if not done.done():
                    done.set_exception(EditorError(_first_line(error)))
            else:
                if not done.done():
                    done.set_result(decode(result) if decode else result)

        # Not `async_call`, which takes down the whole stack each time, for a report of its own.
        self._loop.call_soon(greenlet(call).switch)
        return done

    def tell(self, function: str, *arguments: Any) -> None:
        """Call `module.function` without waiting for it; a failure is logged."""
        self.call(function, *arguments).add_done_callback(_log_failure)

    def close(self) -> None:
        """Fail every later call: Neovim is gone."""
        self._closed = True


def _log_failure(done: "asyncio.Future[Any]") -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        logger.warning("%s", error)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
