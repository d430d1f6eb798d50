"""JSON-RPC 2.0 messages: decodes frames into requests, notifications and responses, and encodes.

Source: the JSON-RPC 2.0 specification, sections 4 to 6.
"""

import json
from typing import Any, TypeVar

import msgspec

from claude_ide.base.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, RpcError
from claude_ide.base.unicode import readable

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
