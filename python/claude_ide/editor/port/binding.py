"""How calls and events cross a channel: methods name functions of the editor, handlers its events.

`remote.py` reads the former. `file.buffers.text` is `M.text` of `lua/claude_ide/file/buffers.lua`
in Neovim, and `claude_ide#file#buffers#Text` in Vim. A name without a dot is that of a function of
Vim script, which both editors run.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from enum import Enum, auto
from functools import cache
from typing import Any, Protocol, TypeVar

import msgspec

from claude_ide.base.errors import EditorError

logger = logging.getLogger(__name__)

ATTRIBUTE = "__editor_function__"
HANDLED = "__editor_events__"

Method = TypeVar("Method", bound=Callable[..., Any])


class CallKind(Enum):
    """How a function of the editor is called, and when its result arrives."""

    REQUEST = auto()
    """The function returns the result."""
    LARGE_REQUEST = auto()
    """The same, at less cost for a large result: it crosses as JSON."""
    NOTIFICATION = auto()
    """There is no result; a failure is logged."""
    OPERATION = auto()
    """The function gets a token first; an event with this token brings the result later."""
    TOOL = auto()
    """Like an operation, for the model: it may be refused while the editor is busy."""
    TOOL_AS_JSON = auto()
    """The same; the result is the JSON that has crossed."""


class Binding(msgspec.Struct, frozen=True):
    """The function behind a method. Cancelling an operation calls `cancel` with its token."""

    function: str
    kind: CallKind
    cancel: str = ""


class Payload(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table that crosses the port. Absent keys have their default; there is no null in Lua."""


def _bind(binding: Binding) -> Callable[[Method], Method]:
    def bound(method: Method) -> Method:
        setattr(method, ATTRIBUTE, binding)
        return method

    return bound


def request(function: str, *, large: bool = False) -> Callable[[Method], Method]:
    """Bind an `async` method to a function that returns the result."""
    return _bind(Binding(function, CallKind.LARGE_REQUEST if large else CallKind.REQUEST))


def notification(function: str) -> Callable[[Method], Method]:
    """Bind a method that returns at once; the function may run later."""
    return _bind(Binding(function, CallKind.NOTIFICATION))


def operation(function: str, cancel: str = "") -> Callable[[Method], Method]:
    """Bind an `async` method to a function whose result an event brings.

    A method may take two keywords: `token` for an operation that is begun again, and `step`, which
    is called with the payload of each event before the last one.
    """
    return _bind(Binding(function, CallKind.OPERATION, cancel))


def tool(function: str, *, as_json: bool = False) -> Callable[[Method], Method]:
    """Bind an `async` method to one of the model's tools, which takes one table."""
    return _bind(Binding(function, CallKind.TOOL_AS_JSON if as_json else CallKind.TOOL))


def handles(*events: type[Payload]) -> Callable[[Method], Method]:
    """Bind a method to events, of which each is its last argument (`Events.register`)."""

    def bound(method: Method) -> Method:
        setattr(method, HANDLED, events)
        return method

    return bound


def handlers(owner: object) -> Iterator[tuple[type[Payload], Callable[..., Any]]]:
    """Yield the events that methods of an object handle, each with the method."""
    for name in dir(type(owner)):
        for event in getattr(getattr(type(owner), name), HANDLED, ()):
            yield event, getattr(owner, name)


def convert(value: Any, expected: Any) -> Any:
    """Return a value from an editor as the expected type. Raises `msgspec.ValidationError`."""
    return msgspec.convert(_fitted(value, _shape(expected)), expected)


@cache
def _shape(expected: Any) -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(expected)


@cache
def _fields(struct: type) -> dict[str, msgspec.inspect.Type]:
    shape = _shape(struct)
    assert isinstance(shape, msgspec.inspect.StructType)
    return {field.encode_name: field.type for field in shape.fields}


def _fitted(value: Any, shape: msgspec.inspect.Type) -> Any:
    """Return a value with the expected types, which the editors do not tell apart.

    In Lua an empty list and an empty dict are the same; in Vim a truth value may be a number.
    """
    match shape:
        case msgspec.inspect.UnionType(types):
            shapes = [each for each in types if not isinstance(each, msgspec.inspect.NoneType)]
            return value if value is None or len(shapes) > 1 else _fitted(value, shapes[0])
        case msgspec.inspect.BoolType():
            return bool(value) if isinstance(value, int) else value
        case (
            msgspec.inspect.ListType() | msgspec.inspect.SetType() | msgspec.inspect.VarTupleType()
        ):
            if value == {}:
                return []
            inner = shape.item_type
            if isinstance(value, list) and not isinstance(inner, _LEAVES):
                return [_fitted(each, inner) for each in value]
        case msgspec.inspect.DictType():
            if value == []:
                return {}
            inner = shape.value_type
            if isinstance(value, dict) and not isinstance(inner, _LEAVES):
                return {key: _fitted(each, inner) for key, each in value.items()}
        case msgspec.inspect.StructType(cls=struct):
            if value == []:
                return {}
            if isinstance(value, dict):
                known = _fields(struct)
                return {
                    key: _fitted(each, known[key]) if key in known else each
                    for key, each in value.items()
                }
    return value


_LEAVES = (
    msgspec.inspect.AnyType,
    msgspec.inspect.FloatType,
    msgspec.inspect.IntType,
    msgspec.inspect.StrType,
)


BUSY_SECONDS = 0.25
"""How long a read waits while the editor is busy."""

LOOKS = 5
"""In how many parts it waits. If this process itself stands still, only one of them is lost."""

T = TypeVar("T")


class Channel(Protocol):
    """Calls functions inside the editor by name, as `module.function`, with plain arguments.

    A call is one instant in the editor: nothing else happens there while it runs. Calls run in the
    order in which they were made. A call waits while the editor is busy.
    """

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Return a future of the function's result.

        The future raises `EditorError` with one line.
        """

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        """Return a future of the function's result, at less cost for a large one.

        An empty list may arrive as an empty dict.
        """

    def notify(self, function: str, *arguments: Any) -> None:
        """Call a function without waiting for it; a failure is logged."""

    def close(self) -> None:
        """Fail every later call: the editor is gone."""


def log_failure(done: "asyncio.Future[Any]") -> None:
    """Log the failure of a call for whose result nobody waits."""
    if not done.cancelled() and (error := done.exception()) is not None:
        logger.warning("%s", error)


def without_error(result: Any) -> Any:
    """Return the result of a function; raises `EditorError` if it is `{error = "…"}`."""
    if isinstance(result, dict) and isinstance(result.get("error"), str):
        raise EditorError(result["error"])
    return result


async def soon(sent: Awaitable[T], seconds: float = BUSY_SECONDS) -> T:
    """Return the answer. Raises `TimeoutError` if the editor is too busy, and cancels the call.

    An answer that arrives while this process itself stands still is not late.
    """
    answer = asyncio.ensure_future(sent)
    try:
        for _ in range(LOOKS):
            await asyncio.wait([answer], timeout=seconds / LOOKS)
            if answer.done():
                return answer.result()
        raise TimeoutError
    finally:
        answer.cancel()
