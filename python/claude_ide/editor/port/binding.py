"""Binds methods: those of the port to functions of the editor, handlers to events of the editor.

`remote.py` reads the former. `file.buffers.text` is `M.text` of `lua/claude_ide/file/buffers.lua`
in Neovim, and `claude_ide#file#buffers#Text` in Vim.
"""

from collections.abc import Callable, Iterator
from enum import Enum, auto
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
