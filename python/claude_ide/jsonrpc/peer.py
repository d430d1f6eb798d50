"""One side of a JSON-RPC conversation: frames come in, calls are made, answers leave.

A request runs in a task of its own, so that one that waits for the user holds up no other; the
waiting is that task's stack, and cancelling the task is how a request is given up.
"""

import asyncio
import inspect
import itertools
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from claude_ide.errors import INTERNAL_ERROR, ClaudeIdeError, RpcError, TransportClosed
from claude_ide.jsonrpc.message import (
    ErrorResponse,
    Id,
    Invalid,
    Message,
    Notification,
    Request,
    Response,
    decode,
    encode,
)

logger = logging.getLogger(__name__)

LARGEST_ANSWER = 15_000_000
"""Bytes. The CLI closes the connection at about 16 MB (`openDiff`, measured)."""


Answering = tuple[Request, Coroutine[Any, Any, Any]]
"""A request, and the coroutine whose result will be its answer."""

T = TypeVar("T")


class Transport(Protocol):
    """Where a peer's frames go; raises `TransportClosed` when the other side is gone."""

    async def send(self, frame: bytes) -> None:
        """Send one message."""


class Dialect(Protocol):
    """What the messages mean to this side."""

    def on_request(self, request: Request) -> Any:
        """Return the result, or a coroutine of it; raise `RpcError` to refuse."""

    def on_notification(self, notification: Notification) -> None:
        """Take note of something that needs no answer."""

    def oversized(self, request: Request, size: int) -> Any:
        """Return the result to send instead of one of `size` bytes."""


class Peer:
    """Answers what comes in through `receive`, and calls the other side through `request`."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect
        self._answering: dict[Id, asyncio.Task[Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pending: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    async def receive(self, frame: str | bytes) -> None:
        """Take one frame. Returns before its requests are answered, unless at once."""
        decoded = decode(frame)
        if isinstance(decoded, list):
            taken = [self._take(message) for message in decoded]
            answers = [
                answer if isinstance(answer, bytes) else self._start(self._answer, *answer)
                for answer in taken
                if answer is not None
            ]
            self._track(self._send_batch(answers))
        elif isinstance(answer := self._take(decoded), bytes):
            await self._send(answer)
        elif answer is not None:
            self._start(self._answer_alone, *answer)

    async def request(self, method: str, params: Any = None) -> Any:
        """Call the other side and await its result.

        Raises `RpcError` with its error, `TransportClosed` when it leaves before it answers.
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
        """Tell the other side something that it does not answer."""
        await self._transport.send(encode(Notification(method, params)))

    def cancel(self, id_: Id) -> bool:
        """Give up the request with this id: its task is cancelled, no answer is sent."""
        task = self._answering.get(id_)
        return task is not None and task.cancel()

    async def settled(self, seconds: float) -> None:
        """Wait until what is being answered now has been, `seconds` at most."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def close(self) -> None:
        """Give up everything that is under way, on either side."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        for reply in self._pending.values():
            if not reply.done():
                reply.set_exception(TransportClosed("the other side has left"))
                reply.exception()  # whoever awaited it may be gone too
        await asyncio.gather(*tasks, return_exceptions=True)

    def _take(self, message: Message | Invalid) -> bytes | Answering | None:
        """Act on one message; the answer, if there is one, has to be sent."""
        match message:
            case Request():
                return self._call(message)
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

    def _call(self, request: Request) -> bytes | Answering:
        try:
            result = self._dialect.on_request(request)
        except Exception as error:
            return self._encoded(request, self._failed(request, error))
        if inspect.iscoroutine(result):
            return request, result
        return self._encoded(request, Response(request.id, result))

    def _settle(self, id_: Id, result: Any, error: RpcError | None) -> None:
        reply = self._pending.get(id_)
        if reply is None or reply.done():
            return
        if error is None:
            reply.set_result(result)
        else:
            reply.set_exception(error)

    def _start(
        self,
        answer: Callable[[Request, Coroutine[Any, Any, Any]], Coroutine[Any, Any, T]],
        request: Request,
        result: Coroutine[Any, Any, Any],
    ) -> asyncio.Task[T]:
        """Answer a request in a task of its own, which `cancel` finds by the request's id."""
        task = self._track(answer(request, result))
        self._answering[request.id] = task
        # A task that is cancelled before its first step leaves it unawaited.
        task.add_done_callback(lambda _task: result.close())
        return task

    async def _answer(self, request: Request, result: Coroutine[Any, Any, Any]) -> bytes | None:
        """Return the encoded answer when it is there; None if the request was cancelled."""
        answer: Response | ErrorResponse
        try:
            answer = Response(request.id, await result)
        except asyncio.CancelledError:
            return None
        except Exception as error:
            answer = self._failed(request, error)
        finally:
            # From here on it cannot be cancelled any more: its frame leaves whole.
            if self._answering.get(request.id) is asyncio.current_task():
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

    async def _send_batch(self, answers: Sequence[bytes | asyncio.Task[bytes | None]]) -> None:
        tasks = [answer for answer in answers if isinstance(answer, asyncio.Task)]
        if tasks:
            await asyncio.wait(tasks)
        finished = [
            answer if isinstance(answer, bytes) else not answer.cancelled() and answer.result()
            for answer in answers
        ]
        frames = [frame for frame in finished if frame]
        while frames:
            # Together they may be more than a client takes at once.
            sizes = itertools.accumulate(len(frame) + 1 for frame in frames)
            fitting = sum(size < LARGEST_ANSWER for size in sizes) or 1
            await self._send(b"[" + b",".join(frames[:fitting]) + b"]")
            del frames[:fitting]

    async def _send(self, frame: bytes) -> None:
        try:
            await self._transport.send(frame)
        except TransportClosed:
            logger.info("an answer could not be sent: the other side has left")

    def _failed(self, request: Request, error: BaseException) -> ErrorResponse:
        if isinstance(error, RpcError):
            return ErrorResponse(request.id, error)
        if isinstance(error, ClaudeIdeError):
            return ErrorResponse(request.id, RpcError(INTERNAL_ERROR, str(error)))
        # The traceback may hold file contents; the peer gets none of it.
        logger.error("%s failed", request.method, exc_info=error)
        return ErrorResponse(request.id, RpcError.internal())

    def _track(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
