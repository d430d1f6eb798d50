"""The one implementation of the port: encodes calls for either editor, and decodes results."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import ChangedError, Guard, Step, StepError
from claude_ide.editor.port.binding import (
    ATTRIBUTE,
    Binding,
    CallKind,
    Channel,
    convert,
    without_error,
)

if TYPE_CHECKING:
    from claude_ide.editor.port.panel import PanelPort

KEYWORDS = ("token", "step")
"""They are not sent, but those of `Operations.run`."""


def implement(noun: type, channel: Channel, operations: Operations, *bound: Any) -> Any:
    """Return an implementation of a noun. `bound` are the first arguments of each call."""
    return _implementation(noun)(channel, operations, bound)


def noun(name: str) -> Any:
    """Return a noun of the port."""
    module, _, class_name = Port.__annotations__[name].removeprefix("_").partition(".")
    return getattr(import_module(f"claude_ide.editor.port.{module}"), class_name)


def bindings(noun: type) -> dict[str, Binding]:
    """Return the bindings of a noun, by method."""
    found = {name: getattr(member, ATTRIBUTE, None) for name, member in vars(noun).items()}
    return {name: binding for name, binding in found.items() if binding is not None}


@cache
def _implementation(noun: type) -> type:
    def begin(self: Any, channel: Channel, operations: Operations, bound: tuple[Any, ...]) -> None:
        self._channel, self._operations, self._bound = channel, operations, bound

    methods = {name: _method(getattr(noun, name), each) for name, each in bindings(noun).items()}
    return type(noun.__name__, (noun,), {"__init__": begin, **methods})


def _method(declared: Callable[..., Any], binding: Binding) -> Callable[..., Any]:
    """Return a method that sends the call at once, in the order of the calls."""

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        is_operation = binding.kind is CallKind.OPERATION
        more = {name: named.pop(name) for name in KEYWORDS if is_operation and name in named}
        given = *self._bound, *_encoded(declared, arguments, named)
        sent = _sent(self._channel, self._operations, binding, given, more)
        return None if sent is None else _decoded(sent, declared, binding)

    return method


def _sent(
    channel: Channel,
    operations: Operations,
    binding: Binding,
    given: tuple[Any, ...],
    more: dict[str, Any],
) -> Awaitable[Any] | None:
    function = binding.function
    match binding.kind:
        case CallKind.REQUEST:
            return channel.call(function, *given)
        case CallKind.LARGE_REQUEST:
            return channel.json(function, *given)
        case CallKind.OPERATION:
            return operations.run(function, *given, cancel=binding.cancel, **more)
        case CallKind.TOOL:
            return operations.use(function, *given)
        case CallKind.TOOL_AS_JSON:
            return operations.use_as_json(function, *given)
    channel.notify(function, *given)
    return None


def _encoded(
    declared: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    if named:
        arguments = inspect.signature(declared).bind(None, *arguments, **named).args[1:]
    return [*map(msgspec.to_builtins, arguments)]


async def _decoded(sent: Awaitable[Any], declared: Callable[..., Any], binding: Binding) -> Any:
    return _as_declared(without_error(await sent), declared, binding)


def _as_declared(result: Any, declared: Callable[..., Any], binding: Binding) -> Any:
    expected = _result_type(declared)
    if expected is Any or expected is type(None):
        return result
    try:
        return convert(result, expected)
    except msgspec.ValidationError as error:
        raise EditorError(f"{binding.function} returned something unexpected: {error}") from error


@cache
def _result_type(declared: Callable[..., Any]) -> Any:
    return get_type_hints(declared)["return"]


class Remote:
    """The editor behind a channel (implements `Port`). A noun is built on its first use."""

    def __init__(self, channel: Channel, operations: Operations) -> None:
        self._channel, self._operations = channel, operations

    def __getattr__(self, name: str) -> Any:
        if name not in Port.__annotations__:
            raise AttributeError(name)
        built = self.__dict__[name] = self._implement(noun(name))
        return built

    def _implement(self, noun: type, *bound: Any) -> Any:
        return implement(noun, self._channel, self._operations, *bound)

    def panel(self, chat: int) -> "PanelPort":
        """Return the panel of a chat."""
        from claude_ide.editor.port.panel import PanelPort

        panel: PanelPort = self._implement(PanelPort, chat)
        return panel

    async def batch(self, steps: Sequence[Step[Any]], guard: Guard) -> Any:
        """Run steps in one instant, and return their results; raises as `Port.batch`."""
        bound: list[Binding] = [getattr(step.method, ATTRIBUTE) for step in steps]
        calls = [
            (binding.function, _encoded(step.method, step.arguments, step.named))
            for step, binding in zip(steps, bound, strict=True)
        ]
        facts = guard.facts
        outcome = await self.batches.run(guard.gate, facts, calls)
        if outcome.failed:
            raise ChangedError([(facts[index], value) for index, value in outcome.failed])
        done = zip(outcome.results, steps, bound, strict=False)
        results = [_as_declared(result, step.method, binding) for result, step, binding in done]
        if outcome.failure is not None:
            raise StepError(outcome.failure, results)
        return tuple(results)
