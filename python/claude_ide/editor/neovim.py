"""The channel to Neovim: calls Lua functions from coroutines, through pynvim.

A pynvim request blocks its greenlet. A coroutine is not a greenlet, so a direct call would raise
after the request was sent. Each call therefore runs in a new greenlet, which settles a future.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pynvim
from greenlet import greenlet

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.binding import log_failure


class Neovim:
    """Calls Lua functions of `lua/claude_ide/` (a `Channel`)."""

    def __init__(self, nvim: "pynvim.Nvim") -> None:
        self._nvim = nvim
        # Not the running loop: early messages from Neovim are handled before the loop runs.
        self._loop: asyncio.AbstractEventLoop = nvim.loop
        self._closed = False

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Call `module.function`; the call waits while Neovim is busy (`:help api-fast`)."""
        return self._call("attempt", function, arguments)

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Call `module.function`, with a third of the cost for a large result.

        pynvim visits each value of a normal result. An empty list arrives as an empty dict, because
        both are the same table in Lua.
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

        code = f"return require('claude_ide.messages.reason').{attempt}(...)"
        module, _, name = function.rpartition(".")

        def call() -> None:
            try:
                is_done, *given = self._nvim.exec_lua(code, module, name, *arguments)
                result = given[0] if given else None
                if not is_done:
                    raise EditorError(result)
            except Exception as error:
                if not done.done():
                    done.set_exception(EditorError(str(error).strip().partition("\n")[0]))
            else:
                if not done.done():
                    done.set_result(decode(result) if decode else result)

        # Not `async_call`, which records the whole stack in each call, for its error messages.
        self._loop.call_soon(greenlet(call).switch)
        return done

    def notify(self, function: str, *arguments: Any) -> None:
        """Call `module.function` without waiting for it; a failure is logged."""
        self.call(function, *arguments).add_done_callback(log_failure)

    def close(self) -> None:
        """Fail every later call: Neovim is gone."""
        self._closed = True
