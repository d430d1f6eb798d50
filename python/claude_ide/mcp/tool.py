"""A tool: a wire name, a description, the type of its arguments, and a coroutine.

A tool is defined by `@tool("wireName") async def name(client, arguments: Type) -> Content`. Its
docstring is the description; the type gives the input schema and validates the arguments.
Source: MCP 2025-11-25, server/tools.
"""

import inspect
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from claude_ide.errors import RpcError
from claude_ide.jsonrpc.message import converted, readable

if TYPE_CHECKING:
    from claude_ide.mcp.client import Client

TOOL_USE = "claudecode/toolUseId"
"""A key in the `_meta` of a call; the CLI sets it only if the model calls."""

ALWAYS_LOAD = "anthropic/alwaysLoad"
"""A key in the `_meta` of a tool; the CLI then offers the tool to the model without a search."""

Content = list[dict[str, Any]]
"""The content blocks of a tool's result."""

ArgumentsT = TypeVar("ArgumentsT", bound="Arguments")


class Arguments(msgspec.Struct, frozen=True):
    """Base of all argument types. Unknown keys are ignored, as a newer CLI may send more."""


class CamelCase(Arguments, frozen=True, rename="camel"):
    """Arguments whose wire names are in camelCase."""


class NoArguments(Arguments, frozen=True):
    """The arguments of a tool that takes none."""


class Caller(Enum):
    """The caller of a tool: the model, or the client for its own purposes."""

    CLIENT = "client"
    MODEL = "model"

    @classmethod
    def of(cls, meta: Any) -> "Caller":
        """Return the caller according to the `_meta` of a call."""
        tool_use = meta.get(TOOL_USE) if isinstance(meta, dict) else None
        return cls.MODEL if isinstance(tool_use, str) else cls.CLIENT


class Tool(msgspec.Struct, frozen=True):
    """One entry of `tools/list`, and the coroutine function that it calls."""

    name: str
    description: str
    arguments: type[Arguments]
    run: "Callable[..., Awaitable[Content]]"
    takes_caller: bool = False
    is_always_loaded: bool = False
    """Whether the model sees it without a search."""

    def call(self, client: "Client", arguments: Arguments, caller: Caller) -> Awaitable[Content]:
        """Run the tool for a client."""
        if self.takes_caller:
            return self.run(client, arguments, caller)
        return self.run(client, arguments)

    def describe(self) -> dict[str, Any]:
        """Return the tool's entry in `tools/list`."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": _input_schema(self.arguments),
            **({"_meta": {ALWAYS_LOAD: True}} if self.is_always_loaded else {}),
        }

    def decode(self, arguments: Any) -> Arguments:
        """Validate and convert the arguments.

        Raises `RpcError` (-32602), which names the bad argument and the problem.
        """
        try:
            return converted({} if arguments is None else arguments, self.arguments)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(f"{self.name}: {describe_problem(error)}") from None


TOOLS: dict[str, Tool] = {}
"""All tools by wire name; importing `mcp/tools` fills it."""

_Run = TypeVar("_Run", bound="Callable[..., Awaitable[Content]]")


def tool(name: str, *, is_always_loaded: bool = False) -> Callable[[_Run], _Run]:
    """Register a coroutine `(client, arguments) -> Content` under its wire name.

    A third parameter gets the `Caller`.
    """

    def register(run: _Run) -> _Run:
        _client, arguments, *caller = inspect.signature(run).parameters.values()
        description = inspect.cleandoc(run.__doc__ or "")
        TOOLS[name] = Tool(
            name, description, arguments.annotation, run, bool(caller), is_always_loaded
        )
        return run

    return register


def text(*texts: str) -> Content:
    """Return one text block per argument."""
    return [{"type": "text", "text": each} for each in texts]


def json_text(value: Any) -> Content:
    """Return one text block with the value as JSON; invalid Unicode is replaced."""
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(readable(value))
    return text(encoded.decode())


def _input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a type without references, as clients expect it."""
    schema = msgspec.json.schema(arguments)
    definition = dict(schema["$defs"][schema["$ref"].rpartition("/")[2]])
    definition.pop("title", None)
    definition.pop("description", None)  # the docstring of the struct is for developers
    return definition


def describe_problem(error: msgspec.DecodeError) -> str:
    """Put the name first in msgspec's "Expected `str`, got `int` - at `$.filePath`"."""
    problem, separator, path = str(error).partition(" - at `$.")
    return f"{path.rstrip('`')}: {problem}" if separator else problem
