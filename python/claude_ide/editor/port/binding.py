"""How calls and events cross: methods name functions of the editor, handlers name its events.

`remote.py` reads the former. `file.buffers.text` is `M.text` of `lua/claude_ide/file/buffers.lua`
in Neovim, and `claude_ide#file#buffers#Text` in Vim.
"""

from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import cache
from typing import Any, TypeVar

import msgspec

ATTRIBUTE = "__editor_function__"
HANDLED = "__editor_events__"

Method = TypeVar("Method", bound=Callable[..., Any])


class Kind(Enum):
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
    kind: Kind
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
    return _bind(Binding(function, Kind.LARGE_REQUEST if large else Kind.REQUEST))


def notification(function: str) -> Callable[[Method], Method]:
    """Bind a method that returns at once; the function may run later."""
    return _bind(Binding(function, Kind.NOTIFICATION))


def operation(function: str, cancel: str = "") -> Callable[[Method], Method]:
    """Bind an `async` method to a function whose result an event brings.

    A method may take two keywords: `token` for an operation that is begun again, and `step`, which
    is called with the payload of each event before the last one.
    """
    return _bind(Binding(function, Kind.OPERATION, cancel))


def tool(function: str, *, as_json: bool = False) -> Callable[[Method], Method]:
    """Bind an `async` method to one of the model's tools, which takes one table."""
    return _bind(Binding(function, Kind.TOOL_AS_JSON if as_json else Kind.TOOL))


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
