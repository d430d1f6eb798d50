"""JSON-RPC 2.0: decodes and encodes messages, runs requests, sends answers; knows no methods.

Each request runs in its own task, so that one that waits for the user does not delay others.
Cancelling the task cancels the request. Few run at a time; the others wait for a slot, in their
order, and no more frames are read while too many wait. Notifications (such as a cancellation) and
answers overtake them. Source: the JSON-RPC 2.0 specification, sections 4 to 6.
"""

import asyncio
import inspect
import itertools
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from claude_ide.base.errors import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    TOO_MANY,
    ClaudeIdeError,
    RpcError,
    TransportClosed,
)
from claude_ide.base.unicode import readable

logger = logging.getLogger(__name__)

ANSWER_BYTES = 15_000_000
"""The CLI closes the connection at about 16 MB (measured with `openDiff`)."""

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

Id = int | str | float | None
"""An `id`: 0 and the empty string are valid ids."""

LARGE = 2**16
"""Bytes of a frame above which only the parts that a method reads are decoded. Objects in memory
need up to 45 times as much as their JSON (measured)."""

T = TypeVar("T")


class Request(msgspec.Struct, frozen=True):
    """A call that is answered.

    `params` is an object, an array, or None if absent; in a large frame it is a `msgspec.Raw`.
    """

    id: Id
    method: str
    params: Any = None


class Notification(msgspec.Struct, frozen=True):
    """A call that is never answered, not even with an error for bad `params`."""

    method: str
    params: Any = None


class Response(msgspec.Struct, frozen=True):
    """A successful answer to the request with the same id.

    `result` is a `msgspec.Raw` in a large frame: it is decoded only if the answer is expected.
    """

    id: Id
    result: Any


class ErrorResponse(msgspec.Struct, frozen=True):
    """An error answer; `id` is None if that of the request could not be read."""

    id: Id
    error: RpcError


class Invalid(msgspec.Struct, frozen=True):
    """An invalid message; `answer` is the error to send back."""

    answer: ErrorResponse


Message = Request | Notification | Response | ErrorResponse


class _Envelope(msgspec.Struct):
    """The fields of a large message that are needed; the decoder skips the others."""

    jsonrpc: str = ""
    id: int | str | float | msgspec.UnsetType | None = msgspec.UNSET
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: "_LargeError | None" = None


class _LargeError(msgspec.Struct):
    """The fields of an error in a large answer."""

    code: int = INTERNAL_ERROR
    message: str = ""


def decode(text: str | bytes) -> Message | Invalid:
    """Decode one frame. A batch, which MCP and ACP do not have, is invalid."""
    try:
        return _large(text) if len(text) > LARGE else _message(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        unreadable = RpcError(PARSE_ERROR, f"Parse error: {error}")
        return _repaired(text) or Invalid(ErrorResponse(None, unreadable))


def converted(params: Any, type_: type[T]) -> T:
    """Convert the params of a message, or a part of them, to the type that a method takes.

    Raises `msgspec.DecodeError`, also as its subclass `ValidationError`.
    """
    if isinstance(params, msgspec.Raw):
        return msgspec.json.decode(params, type=type_)
    return msgspec.convert(params, type_)


def _large(text: str | bytes) -> Message | Invalid:
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
    except msgspec.ValidationError as error:
        return _invalid(None, str(error))
    plain: dict[str, Any] = {"jsonrpc": envelope.jsonrpc}
    if envelope.id is not msgspec.UNSET:
        plain["id"] = envelope.id
    if envelope.method is None:
        return _large_answer(plain, envelope)
    params = envelope.params
    is_structured = bytes(memoryview(params)[:1]) in (b"{", b"[")
    plain["params"] = params if is_structured else msgspec.json.decode(params)
    return _message({**plain, "method": envelope.method})


def _large_answer(plain: dict[str, Any], envelope: _Envelope) -> Message | Invalid:
    if envelope.result is not msgspec.UNSET:
        plain["result"] = envelope.result
    elif envelope.error is not None:
        plain["error"] = msgspec.structs.asdict(envelope.error)
    return _message(plain)


def _repaired(text: str | bytes) -> Message | Invalid | None:
    """Decode JSON that is invalid only for lone surrogates; None for anything else.

    JavaScript sends them for file names that are not UTF-8. A request that has one is refused by
    its id. Those in a large message are found when its params are decoded.
    """
    if len(text) > LARGE:
        return None
    try:
        # `NaN` is not JSON; `int` refuses it with a ValueError.
        decoded = json.loads(text if isinstance(text, str) else text.decode(), parse_constant=int)
        plain = readable(decoded)
        if not isinstance(decoded, dict) or plain == decoded:
            return None
    except (ValueError, RecursionError):
        return None
    if "method" in decoded and "id" in decoded:
        return _invalid(decoded, "a text holds a lone surrogate, which is not Unicode")
    return _message(plain)


def _message(decoded: Any) -> Message | Invalid:
    match decoded:
        case {"jsonrpc": "2.0", "method": str(method), **rest}:
            params = rest.get("params")
            if "id" not in rest:
                return Notification(method, params)
            if params is not None and not isinstance(params, dict | list | msgspec.Raw):
                return _invalid(decoded, "params must be an object or an array")
            id_ = decoded["id"]
            if not _is_id(id_):
                return _invalid(decoded, "id must be a string, a number or null")
            return Request(id_, method, params)
        case {"jsonrpc": "2.0", "id": id_, "result": result} if _is_id(id_):
            return Response(id_, result)
        case {"jsonrpc": "2.0", "id": id_, "error": {"code": int(code), **error}} if _is_id(id_):
            text = str(error.get("message", ""))
            return ErrorResponse(id_, RpcError(code, text, error.get("data")))
        case dict() if decoded.get("jsonrpc") != "2.0":
            return _invalid(decoded, 'jsonrpc must be "2.0"')
        case dict():
            return _invalid(decoded, "neither a method nor a result nor an error")
        case _:
            return _invalid(decoded, "not an object: batches are not supported")


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return bool(readable(value) == value)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _invalid(decoded: Any, reason: str) -> Invalid:
    id_ = decoded.get("id") if isinstance(decoded, dict) else None
    error = RpcError(INVALID_REQUEST, f"Invalid request: {reason}")
    return Invalid(ErrorResponse(id_ if _is_id(id_) else None, error))


def encode(message: Message) -> bytes:
    """Encode a message as one line of JSON in UTF-8.

    A `msgspec.Raw` inside it is copied, as it is already encoded. Raises `ValueError` for text
    that is not Unicode in a response, such as a latin-1 byte in a buffer read as UTF-8: the other
    side may write it to a file. In what we send unasked U+FFFD replaces it.
    """
    plain = _plain(message)
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        if isinstance(message, Response | ErrorResponse):
            raise
        return msgspec.json.encode(readable(plain))


def _plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"jsonrpc": "2.0"}
    match message:
        case Request(id_, method, params):
            plain |= {"id": id_, "method": method}
        case Notification(method, params):
            plain |= {"method": method}
        case Response(id_, result):
            return plain | {"id": id_, "result": result}
        case ErrorResponse(id_, error):
            described = {"code": error.code, "message": error.message}
            if error.data is not None:
                described["data"] = error.data
            return plain | {"id": id_, "error": described}
    return plain if params is None else plain | {"params": params}


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
                self._resolve(id_, result, None)
            case ErrorResponse(id_, error):
                self._resolve(id_, None, error)
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

    async def drain(self, seconds: float) -> None:
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

    def _resolve(self, id_: Id, result: Any, error: RpcError | None) -> None:
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
        if len(frame) > ANSWER_BYTES:
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
