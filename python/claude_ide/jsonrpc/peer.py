"""One peer of a JSON-RPC connection: receives frames, runs requests, sends answers.

Each request runs in its own task, so that one that waits for the user does not delay others.
Cancelling the task cancels the request.

Requests beyond the limits of `Load` are queued, and no more frames are read while the queue is
full. Notifications (such as a cancellation) and answers overtake the queue.
"""

import asyncio
import contextlib
import inspect
import itertools
import logging
import math
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from claude_ide.errors import INTERNAL_ERROR, TOO_MANY, ClaudeIdeError, RpcError, TransportClosed
from claude_ide.jsonrpc.message import (
    Batch,
    ErrorResponse,
    Id,
    Invalid,
    Notification,
    Request,
    Response,
    decode,
    encode,
)

AT_ONCE = 4
"""Requests that run at the same time; one while the answers are large. More would not help, as
Neovim handles one after the other."""

PATIENCE = 2.0
"""Seconds after which a request no longer delays others: it then waits for a language server or
something similar."""
LARGE_PATIENCE = 10.0
"""The same while the answers are large: Neovim would build all of them in memory together."""
USER_PATIENCE = 0.1
"""The same for a request that waits for the user."""

MOST_STARTED = 250
MOST_STARTED_BYTES = 64 * 2**20
MOST_UNSENT = 2**18
COST = 1_000
"""Approximate bytes of memory for an answer in addition to its text."""


class Load:
    """Counts the requests of one peer that are under way, and its unsent answers."""

    def __init__(self) -> None:
        self._started: dict[object, tuple[float, bool, int]] = {}
        """By request: its start time, whether it waits for the user, and its size in bytes."""
        self._bytes = 0
        self._unsent = 0
        self._at_once = AT_ONCE
        self._eased = asyncio.Event()

    def begin(self, request: object, size: int, waits: bool) -> None:
        """Count a request that starts now; `waits` is whether the user answers it."""
        self._started[request] = asyncio.get_running_loop().time(), waits, size
        self._bytes += size

    def end(self, request: object) -> None:
        """Stop counting a request: it is answered or cancelled."""
        *_, size = self._started.pop(request, (0.0, False, 0))
        self._bytes -= size
        self._eased.set()

    def sending(self, size: int) -> None:
        """Count an answer that is being sent."""
        self._at_once = 1 if size > MOST_UNSENT else AT_ONCE
        self._unsent += size + COST

    def sent(self, size: int) -> None:
        """Stop counting an answer."""
        self._unsent -= size + COST
        self._eased.set()

    def admits(self, size: int) -> bool:
        """Return whether another request of this size may be started at all."""
        if not self._started:
            return True
        return len(self._started) < MOST_STARTED and self._bytes + size <= MOST_STARTED_BYTES

    @property
    def is_light(self) -> bool:
        """Whether another request can start now."""
        return len(self._started) < self._at_once and not self._unsent

    async def turn(self) -> None:
        """Wait until another request can start."""
        while (seconds := self._full_for()) > 0:
            self._eased.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == math.inf else seconds):
                    await self._eased.wait()

    def _full_for(self) -> float:
        """Return the seconds until another request can start, if none ends before."""
        if self._unsent > MOST_UNSENT:
            return math.inf
        patience = PATIENCE if self._at_once == AT_ONCE else LARGE_PATIENCE
        now = asyncio.get_running_loop().time()
        ends = [
            began + (USER_PATIENCE if waits else patience)
            for began, waits, _ in self._started.values()
        ]
        working = sorted(end for end in ends if end > now)
        return working[-self._at_once] - now if len(working) >= self._at_once else 0.0


logger = logging.getLogger(__name__)

LARGEST_ANSWER = 15_000_000
"""Bytes. The CLI closes the connection at about 16 MB (measured with `openDiff`)."""

MOST_QUEUED = 1_000
MOST_QUEUED_BYTES = 2**20
"""Limits of the queue of requests: the number of frames and their total size."""

TOGETHER = 2**16
"""Bytes of the answers to a batch that are kept until the others are ready."""

REFUSAL = "Too many requests are waiting; cancel some, or wait for their answers"

Answering = tuple[Request, Coroutine[Any, Any, Any], bool]
"""A request, the coroutine that returns its result, and whether the user answers it."""

T = TypeVar("T")


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

    def waits(self, request: Request) -> bool:
        """Return whether the user answers the request, which may take long."""

    def oversized(self, request: Request, size: int) -> Any:
        """Return the result that replaces one of `size` bytes, which is too large."""


class Peer:
    """Answers the requests passed to `receive`, and calls the other side through `request`."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect
        self._answering: dict[Id, asyncio.Task[Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pending: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._load = Load()
        self._queue: deque[tuple[Request | Batch, int]] = deque()
        self._queued_bytes = 0
        self._room = asyncio.Event()
        self._working: asyncio.Task[None] | None = None
        self._left = False

    async def receive(self, frame: str | bytes) -> None:
        """Handle one frame. Does not wait for requests that take time to answer.

        Waits while the queue of requests is full.
        """
        decoded = decode(frame)
        if not isinstance(decoded, Request | Batch):
            if (answer := self._note(decoded)) is not None:
                await self._send(answer)
        elif isinstance(decoded, Request) and self._working is None and self._load.is_light:
            await self._begin(decoded, len(frame))
        else:
            await self._enqueue(decoded, len(frame))

    async def request(self, method: str, params: Any = None) -> Any:
        """Call the other side and return its result.

        Raises `RpcError` with its error, or `TransportClosed` if it leaves before it answers.
        """
        number = next(self._numbers)
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[number] = reply
        try:
            await self._transport.send(encode(Request(number, method, params)))
            return await reply
        finally:
            self._pending.pop(number, None)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        await self._transport.send(encode(Notification(method, params)))

    def cancel(self, id_: Id) -> bool:
        """Cancel the request with this id, without an answer; False if there is none."""
        task = self._answering.get(id_)
        return task.cancel() if task is not None else self._drop(id_)

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

    def _drop(self, id_: Id) -> bool:
        """Remove a request from the queue."""
        for queued in self._queue:
            work, size = queued
            if isinstance(work, Request) and work.id == id_:
                self._queue.remove(queued)
                self._queued_bytes -= size
                self._room.set()
                return True
        return False

    async def _enqueue(self, work: Request | Batch, size: int) -> None:
        """Queue a request or a batch; wait while the queue is full."""
        self._queue.append((work, size))
        self._queued_bytes += size
        if self._working is None:
            self._working = self._track(self._run_queue())
            await asyncio.sleep(0)
        while len(self._queue) > MOST_QUEUED or self._queued_bytes > MOST_QUEUED_BYTES:
            self._room.clear()
            await self._room.wait()

    async def _run_queue(self) -> None:
        """Start the queued requests in order, as the load allows."""
        try:
            while self._queue:
                await self._load.turn()
                if not self._queue:
                    return  # the last one was cancelled
                work, size = self._queue.popleft()
                self._queued_bytes -= size
                self._room.set()
                if isinstance(work, Request):
                    await self._begin(work, size)
                else:
                    await self._begin_batch(work)
        finally:
            self._working = None

    def _leave(self) -> None:
        """Clear the queue: the other side has disconnected."""
        self._left = True
        self._queue.clear()
        self._queued_bytes = 0
        self._room.set()

    async def _begin(self, request: Request, size: int) -> None:
        answer = self._call(request, size)
        if isinstance(answer, bytes):
            await self._send(answer)
        else:
            self._start(self._answer_alone, answer, size)
        # Let it run its first step, which is enough for many requests, before the next starts.
        await asyncio.sleep(0)

    async def _begin_batch(self, batch: Batch) -> None:
        answers = BatchAnswers(self._send)
        for message in batch:
            await self._load.turn()
            if self._left:
                return
            called = self._call(message, 0) if isinstance(message, Request) else self._note(message)
            if isinstance(called, tuple):
                await answers.add(self._start(self._answer, called, 0))
            elif called is not None:
                await answers.add(called)
            await asyncio.sleep(0)
        self._track(answers.finish())

    def _note(self, message: Notification | Response | ErrorResponse | Invalid) -> bytes | None:
        """Handle a message other than a request; return the answer to send, if any."""
        match message:
            case Notification():
                try:
                    self._dialect.on_notification(message)
                except Exception:
                    logger.exception("notification %s failed", message.method)
            case Response(id_, result):
                self._settle(id_, result, None)
            case ErrorResponse(id_, error):
                self._settle(id_, None, error)
            case Invalid(answer):
                return encode(answer)
        return None

    def _call(self, request: Request, size: int) -> bytes | Answering:
        if not self._load.admits(size):
            return encode(ErrorResponse(request.id, RpcError(TOO_MANY, REFUSAL)))
        try:
            result = self._dialect.on_request(request)
        except Exception as error:
            return self._encoded(request, self._failed(request, error))
        if inspect.iscoroutine(result):
            # Do not keep the params in memory while the request runs.
            return replace(request, params=None), result, self._dialect.waits(request)
        return self._encoded(request, Response(request.id, result))

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

    def _start(
        self,
        answer: Callable[[Request, Coroutine[Any, Any, Any]], Coroutine[Any, Any, T]],
        answering: Answering,
        size: int,
    ) -> asyncio.Task[T]:
        """Answer a request in a new task, which `cancel` finds by the id of the request."""
        request, result, waits = answering
        task = self._track(answer(request, result))
        self._answering[request.id] = task
        self._load.begin(task, size, waits)

        def ended(_task: object) -> None:
            self._load.end(task)
            # A task that is cancelled before its first step never awaits the coroutine.
            result.close()

        task.add_done_callback(ended)
        return task

    async def _answer(self, request: Request, result: Coroutine[Any, Any, Any]) -> bytes | None:
        """Await the result and return the encoded answer; None if the request is cancelled."""
        answer: Response | ErrorResponse
        try:
            answer = Response(request.id, await result)
        except asyncio.CancelledError:
            return None
        except Exception as error:
            answer = self._failed(request, error)
        finally:
            # It can no longer be cancelled, so that its frame is sent whole.
            task = asyncio.current_task()
            self._load.end(task)
            if self._answering.get(request.id) is task:
                del self._answering[request.id]
        return self._encoded(request, answer)

    async def _answer_alone(self, request: Request, result: Coroutine[Any, Any, Any]) -> None:
        frame = await self._answer(request, result)
        if frame is not None:
            await self._send(frame)

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
        self._load.sending(len(frame))
        try:
            await self._transport.send(frame)
        except TransportClosed:
            logger.info("an answer could not be sent: the other side has disconnected")
            self._leave()
        finally:
            self._load.sent(len(frame))

    def _failed(self, request: Request, error: BaseException) -> ErrorResponse:
        if isinstance(error, RpcError):
            return ErrorResponse(request.id, error)
        if isinstance(error, ClaudeIdeError):
            return ErrorResponse(request.id, RpcError(INTERNAL_ERROR, str(error)))
        # The traceback may contain text of files; it is not sent.
        logger.error("%s failed", request.method, exc_info=error)
        return ErrorResponse(request.id, RpcError.internal())

    def _track(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class BatchAnswers:
    """The answers to a batch, sent together up to a size."""

    def __init__(self, send: Callable[[bytes], Coroutine[Any, Any, None]]) -> None:
        self._send = send
        self._answers: list[bytes | asyncio.Task[bytes | None]] = []
        self._size = 0

    async def add(self, answer: bytes | asyncio.Task[bytes | None]) -> None:
        """Add an answer, or the task that returns it; answers are sent in this order."""
        self._answers.append(answer)
        if isinstance(answer, bytes):
            self._size += len(answer)
        else:
            answer.add_done_callback(self._finished)
        if self._size > TOGETHER:
            await self.send()

    async def finish(self) -> None:
        """Send the remaining answers as they become ready."""
        while self._answers:
            tasks = [answer for answer in self._answers if not isinstance(answer, bytes)]
            if unfinished := [task for task in tasks if not task.done()]:
                when = asyncio.FIRST_COMPLETED if self._size > TOGETHER else asyncio.ALL_COMPLETED
                await asyncio.wait(unfinished, return_when=when)
            await self.send()

    async def send(self) -> None:
        """Send the answers that are ready, in frames that are not too large."""
        frames = [frame for answer in self._answers if (frame := _frame(answer))]
        self._answers = [
            answer
            for answer in self._answers
            if isinstance(answer, asyncio.Task) and not answer.done()
        ]
        self._size = 0
        while frames:
            # All of them together may exceed the limit for a frame.
            sizes = itertools.accumulate(len(frame) + 1 for frame in frames)
            fitting = sum(size < LARGEST_ANSWER for size in sizes) or 1
            await self._send(b"[" + b",".join(frames[:fitting]) + b"]")
            del frames[:fitting]

    def _finished(self, task: asyncio.Task[bytes | None]) -> None:
        self._size += len(_frame(task) or b"")


def _frame(answer: bytes | asyncio.Task[bytes | None]) -> bytes | None:
    """Return an answer if it is ready; None if it is not, or was cancelled."""
    if isinstance(answer, bytes):
        return answer
    return answer.result() if answer.done() and not answer.cancelled() else None
