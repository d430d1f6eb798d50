"""The one way from a coroutine into Neovim.

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


class Bridge:
    """Calls Lua functions of `lua/claude_ide/`; one call is one instant in the editor."""

    def __init__(self, nvim: "pynvim.Nvim") -> None:
        self._nvim = nvim
        # Not the running loop: what Neovim sent early is handled before the loop runs.
        self._loop: asyncio.AbstractEventLoop = nvim.loop
        self._closed = False

    def lua(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Call `module.function` with plain arguments, and return a future of its result.

        While Neovim is busy (`:help api-fast`) the call waits and then happens. Raises, when
        awaited, `EditorError` with one line.
        """
        return self._call("attempt", function, arguments)

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Do the same for a large result, at a third of the cost: pynvim looks at each value.

        An empty list comes back as an empty dict, since Lua has one table for both.
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
        """Call `module.function` and go on; a failure is logged."""
        self.lua(function, *arguments).add_done_callback(_log_failure)

    def close(self) -> None:
        """Fail every later call: Neovim is gone."""
        self._closed = True


def without_error(result: Any) -> Any:
    """Return what a function gave; raises the `EditorError` that it gave instead."""
    if isinstance(result, dict) and isinstance(result.get("error"), str):
        raise EditorError(result["error"])
    return result


def _log_failure(done: "asyncio.Future[Any]") -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        logger.warning("%s", error)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
