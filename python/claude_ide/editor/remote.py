"""The one implementation of the port: encodes calls for either editor, and decodes results."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.channel import Channel, without_error
from claude_ide.editor.finishing import Finishing
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import ChangedError, Guard, Step, StepError, Unguarded
from claude_ide.editor.port.binding import ATTRIBUTE, Binding, Kind
from claude_ide.editor.port.conversion import convert
from claude_ide.editor.tools import Tools

if TYPE_CHECKING:
    from claude_ide.editor.port.panel import Panel

KEYWORDS = ("token", "step")
"""They are not sent, but those of `Finishing.finish`."""


class Caller(msgspec.Struct, eq=False):
    """What calls the editor's functions, in the ways of `Kind`."""

    channel: Channel
    finishing: Finishing
    tools: Tools


def implement(noun: type, caller: Caller, *bound: Any) -> Any:
    """Return an implementation of a noun. `bound` are the first arguments of each call."""
    return _implementation(noun)(caller, bound)


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
    def begin(self: Any, caller: Caller, bound: tuple[Any, ...]) -> None:
        self._caller, self._bound = caller, bound

    methods = {name: _method(getattr(noun, name), each) for name, each in bindings(noun).items()}
    return type(noun.__name__, (noun,), {"__init__": begin, **methods})


def _method(declared: Callable[..., Any], binding: Binding) -> Callable[..., Any]:
    """Return a method that sends the call at once, in the order of the calls."""
    call = _CALLS[binding.kind]

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        is_operation = binding.kind is Kind.OPERATION
        more = {name: named.pop(name) for name in KEYWORDS if is_operation and name in named}
        given = *self._bound, *_encoded(declared, arguments, named)
        sent = call(self._caller, binding, *given, **more)
        return None if sent is None else _decoded(sent, declared, binding)

    return method


def _encoded(
    declared: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    if named:
        arguments = inspect.signature(declared).bind(None, *arguments, **named).args[1:]
    return [*map(msgspec.to_builtins, arguments)]


def _request(caller: Caller, binding: Binding, *arguments: Any) -> Awaitable[Any]:
    return caller.channel.call(binding.function, *arguments)


def _large_request(caller: Caller, binding: Binding, *arguments: Any) -> Awaitable[Any]:
    return caller.channel.json(binding.function, *arguments)


def _notification(caller: Caller, binding: Binding, *arguments: Any) -> None:
    caller.channel.notify(binding.function, *arguments)


def _operation(caller: Caller, binding: Binding, *arguments: Any, **more: Any) -> Awaitable[Any]:
    return caller.finishing.finish(binding.function, *arguments, close=binding.cancel, **more)


def _tool(caller: Caller, binding: Binding, *arguments: Any) -> Awaitable[Any]:
    (fields,) = arguments or ({},)
    return caller.tools.use(binding.function, fields)


async def _tool_as_json(caller: Caller, binding: Binding, *arguments: Any) -> str:
    (fields,) = arguments or ({},)
    answer = await caller.tools.answer(binding.function, fields)
    if answer.startswith('{"error":'):
        await caller.tools.gate.cleaned(binding.function, msgspec.json.decode(answer))
    return answer


_CALLS: dict[Kind, Callable[..., Any]] = {
    Kind.REQUEST: _request,
    Kind.LARGE_REQUEST: _large_request,
    Kind.NOTIFICATION: _notification,
    Kind.OPERATION: _operation,
    Kind.TOOL: _tool,
    Kind.TOOL_AS_JSON: _tool_as_json,
}


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

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def __getattr__(self, name: str) -> Any:
        if name not in Port.__annotations__:
            raise AttributeError(name)
        built = self.__dict__[name] = implement(noun(name), self._caller)
        return built

    def panel(self, chat: int) -> "Panel":
        """Return the panel of a chat."""
        from claude_ide.editor.port.panel import Panel

        panel: Panel = implement(Panel, self._caller, chat)
        return panel

    async def batch(self, steps: Sequence[Step[Any]], guard: Guard | Unguarded) -> Any:
        """Run steps in one instant, and return their results; raises as `Port.batch`."""
        bound: list[Binding] = [getattr(step.method, ATTRIBUTE) for step in steps]
        calls = [
            (binding.function, _encoded(step.method, step.arguments, step.named))
            for step, binding in zip(steps, bound, strict=True)
        ]
        facts = guard.facts if isinstance(guard, Guard) else ()
        gate = guard.gate if isinstance(guard, Guard) else False
        outcome = await self.batches.run(gate, facts, calls)
        if outcome.failed:
            raise ChangedError([(facts[index], value) for index, value in outcome.failed])
        done = zip(outcome.results, steps, bound, strict=False)
        results = [_as_declared(result, step.method, binding) for result, step, binding in done]
        if outcome.failure is not None:
            raise StepError(outcome.failure, results)
        return tuple(results)
