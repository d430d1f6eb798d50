"""One peer of a JSON-RPC connection: receives frames, runs requests, sends answers.

Each request runs in its own task, so that one that waits for the user does not delay others.
Cancelling the task cancels the request. Few run at a time; the others wait for a slot, in their
order, and no more frames are read while too many wait. Notifications (such as a cancellation) and
answers overtake them.
"""

import asyncio
import inspect
import itertools
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from claude_ide.base.errors import (
    INTERNAL_ERROR,
    TOO_MANY,
    ClaudeIdeError,
    RpcError,
    TransportClosed,
)
from claude_ide.jsonrpc.message import (
    ErrorResponse,
    Id,
    Invalid,
    Notification,
    Request,
    Response,
    decode,
    encode,
)

logger = logging.getLogger(__name__)

LARGEST_ANSWER = 15_000_000
"""Bytes. The CLI closes the connection at about 16 MB (measured with `openDiff`)."""

AT_ONCE = 4
"""Requests that run at the same time; Neovim handles one after the other anyway."""

SLOT_SECONDS = 0.25
"""After this time a request no longer delays others: it waits for the user, a language server or
something similar."""

MOST_STARTED = 250
MOST_STARTED_BYTES = 64 * 2**20
"""Requests that were started and are not answered yet, and their total size; more are refused."""

MOST_QUEUED = 1_000
MOST_QUEUED_BYTES = 2**20
"""Limits of the requests that wait for a slot: their number and their total size."""

REFUSAL = "Too many requests are waiting; cancel some, or wait for their answers"


class Transport(Protocol):
    """Sends the frames of a peer."""

    async def send(self, frame: bytes) -> None:
        """Send one message. Raises `TransportClosed` if the other side is gone."""


class Dialect(Protocol):
    """Handles the messages that a peer receives."""

    def on_request(self, request: Request) -> Any:
        """Return the result or a coroutine that returns it. Raises `RpcError` to refuse."""

    def on_notification(self, notification: Notification) -> None:
        """Handle a notification."""

    def oversized(self, request: Request, size: int) -> Any:
        """Return the result that replaces one of `size` bytes, which is too large."""


class Peer:
    """Answers the requests passed to `receive`, and calls the other side through `request`."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect
        self._answering: dict[Id, asyncio.Task[None]] = {}
        """The requests that can be cancelled."""
        self._tasks: dict[asyncio.Task[None], int] = {}
        """All requests, with their sizes in bytes."""
        self._queued: dict[asyncio.Task[None], int] = {}
        """Those that wait for a slot."""
        self._room = asyncio.Event()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._pending: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    async def receive(self, frame: str | bytes) -> None:
        """Handle one frame. Does not wait for requests that take time to answer.

        Waits while too many requests wait for a slot.
        """
        match decode(frame):
            case Request() as request:
                self._start(request, len(frame))
                # Let it run its first step, which is enough for many requests.
                await asyncio.sleep(0)
                while _exceeds(self._queued, MOST_QUEUED, MOST_QUEUED_BYTES):
                    self._room.clear()
                    await self._room.wait()
            case Notification() as notification:
                try:
                    self._dialect.on_notification(notification)
                except Exception:
                    logger.exception("notification %s failed", notification.method)
            case Response(id_, result):
                self._settle(id_, result, None)
            case ErrorResponse(id_, error):
                self._settle(id_, None, error)
            case Invalid(answer):
                await self._send(encode(answer))

    async def request(
        self, method: str, params: Any = None, given_up: Callable[[int], object] | None = None
    ) -> Any:
        """Call the other side and return its result.

        `given_up` gets the id of the request if the caller no longer waits for the answer.

        Raises `RpcError` with its error, or `TransportClosed` if it leaves before it answers.
        """
        number = next(self._numbers)
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[number] = reply
        try:
            await self._transport.send(encode(Request(number, method, params)))
            return await reply
        except asyncio.CancelledError:
            if given_up is not None:
                given_up(number)
            raise
        finally:
            self._pending.pop(number, None)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        await self._transport.send(encode(Notification(method, params)))

    def cancel(self, id_: Id) -> bool:
        """Cancel the request with this id, without an answer; False if there is none."""
        task = self._answering.pop(id_, None)
        return task is not None and task.cancel()

    def cancel_all(self) -> None:
        """Cancel all requests of the other side, without answers."""
        for id_ in [*self._answering]:
            self.cancel(id_)

    async def settled(self, seconds: float) -> None:
        """Wait until the current requests are answered, at most `seconds`."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def close(self) -> None:
        """Cancel all requests, in both directions."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        for reply in self._pending.values():
            if not reply.done():
                reply.set_exception(TransportClosed("the other side has disconnected"))
                reply.exception()  # marks it as retrieved, in case no caller awaits it
        await asyncio.gather(*tasks, return_exceptions=True)

    def _settle(self, id_: Id, result: Any, error: RpcError | None) -> None:
        reply = self._pending.get(id_)
        if reply is None or reply.done():
            return
        if isinstance(result, msgspec.Raw):
            result = msgspec.json.decode(result)
        if error is None:
            reply.set_result(result)
        else:
            reply.set_exception(error)

    def _start(self, request: Request, size: int) -> None:
        """Answer a request in a new task, which `cancel` finds by the id of the request."""
        task = asyncio.get_running_loop().create_task(self._run(request))
        self._answering[request.id] = task
        self._tasks[task] = self._queued[task] = size

        def ended(task: asyncio.Task[None]) -> None:
            del self._tasks[task]
            self._dequeue(task)

        task.add_done_callback(ended)

    def _dequeue(self, task: "asyncio.Task[Any] | None") -> None:
        if task is not None and self._queued.pop(task, None) is not None:
            self._room.set()

    async def _run(self, request: Request) -> None:
        await self._slots.acquire()
        self._dequeue(asyncio.current_task())
        is_held = True

        def release() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                self._slots.release()

        timer = asyncio.get_running_loop().call_later(SLOT_SECONDS, release)
        try:
            answer = await self._answer(request)
            # While the other side does not read, no more of its requests start.
            timer.cancel()
            await self._send(answer)
        finally:
            timer.cancel()
            release()

    async def _answer(self, request: Request) -> bytes:
        """Return the encoded answer to a request."""
        task = asyncio.current_task()
        answer: Response | ErrorResponse
        try:
            started = {each: size for each, size in self._tasks.items() if each not in self._queued}
            if len(started) > 1 and _exceeds(started, MOST_STARTED, MOST_STARTED_BYTES):
                raise RpcError(TOO_MANY, REFUSAL)
            result = self._dialect.on_request(request)
            # Do not keep the params in memory while the request runs.
            request = replace(request, params=None)
            answer = Response(request.id, await result if inspect.iscoroutine(result) else result)
        except Exception as error:
            answer = self._failed(request, error)
        finally:
            # It can no longer be cancelled, so that its frame is sent whole.
            if self._answering.get(request.id) is task:
                del self._answering[request.id]
        return self._encoded(request, answer)

    def _encoded(self, request: Request, answer: Response | ErrorResponse) -> bytes:
        try:
            frame = encode(answer)
        except (TypeError, ValueError):
            logger.exception("the answer to %s cannot be encoded", request.method)
            error = RpcError(INTERNAL_ERROR, "The answer holds text that is not valid UTF-8")
            frame = encode(ErrorResponse(request.id, error))
        if len(frame) > LARGEST_ANSWER:
            frame = encode(Response(request.id, self._dialect.oversized(request, len(frame))))
        return frame

    async def _send(self, frame: bytes) -> None:
        try:
            await self._transport.send(frame)
        except TransportClosed:
            logger.info("an answer could not be sent: the other side has disconnected")
            self.cancel_all()

    def _failed(self, request: Request, error: BaseException) -> ErrorResponse:
        if isinstance(error, RpcError):
            return ErrorResponse(request.id, error)
        if isinstance(error, ClaudeIdeError):
            return ErrorResponse(request.id, RpcError(INTERNAL_ERROR, str(error)))
        # The traceback may contain text of files; it is not sent.
        logger.error("%s failed", request.method, exc_info=error)
        return ErrorResponse(request.id, RpcError.internal())


def _exceeds(requests: Mapping[Any, int], most: int, most_bytes: int) -> bool:
    return len(requests) > most or sum(requests.values()) > most_bytes
