"""The requests of an agent that wait for the user."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from claude_ide.agents.events import (
    Asked,
    Event,
    RequestWithdrawn,
)
from claude_ide.agents.prompt import Answer
from claude_ide.errors import RpcError
from claude_ide.jsonrpc.message import Id

REQUEST_CANCELLED = -32800
"""ACP: the request was cancelled."""

T = TypeVar("T")


class Pending:
    """The requests of one agent, by our own ids: the agent's may also be ours."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[Id, asyncio.Future[Answer | None]]] = {}
        self._running: dict[asyncio.Task[Any], Id] = {}

    def new(self) -> str:
        """Return an id for a request."""
        return f"r{next(self._numbers)}"

    async def ask(self, id_: Id, asked: Asked) -> Answer | None:
        """Report a request; return the user's answer, or None once it is withdrawn."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting[asked.request] = id_, answer
        self._emit(asked)
        try:
            return await answer
        finally:
            del self._waiting[asked.request]

    async def run(self, id_: Id, work: Coroutine[Any, Any, T]) -> T:
        """Do what may wait for the user; raises `RpcError` once the request is withdrawn."""
        task = asyncio.get_running_loop().create_task(work)
        self._running[task] = id_
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            raise RpcError(REQUEST_CANCELLED, "the request was cancelled") from None
        finally:
            del self._running[task]

    def answer(self, request: str, answer: Answer) -> None:
        """Answer a request, unless it was withdrawn or answered before."""
        _, waiting = self._waiting.get(request, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def withdraw(self, id_: Id) -> None:
        """Withdraw the request with this id of the agent."""
        for request, (own, waiting) in self._waiting.items():
            if own == id_ and not waiting.done():
                self._emit(RequestWithdrawn(request))
                waiting.set_result(None)
        for task, own in list(self._running.items()):
            if own == id_:
                task.cancel()

    def withdraw_all(self) -> None:
        """Withdraw all requests: the turn, or the agent, has ended."""
        for id_, _ in list(self._waiting.values()):
            self.withdraw(id_)
        for task in list(self._running):
            task.cancel()
