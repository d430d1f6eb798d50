"""What a tool is: a wire name, a description, the type of its arguments, and a coroutine.

A tool is written as `@tool("wireName") async def name(client, arguments: Type) -> Content`. Its
docstring is the description; the input schema comes from the type, which also validates.
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
"""The key in the `_meta` of a call that the CLI sends for the model's calls only."""

ALWAYS_LOAD = "anthropic/alwaysLoad"
"""The key in the `_meta` of a tool that the CLI offers to the model without a search."""

Content = list[dict[str, Any]]
"""The content blocks of a tool's result."""

ArgumentsT = TypeVar("ArgumentsT", bound="Arguments")


class Arguments(msgspec.Struct, frozen=True):
    """Base of all argument types. Unknown keys are ignored: a newer CLI may send more."""


class CamelCase(Arguments, frozen=True, rename="camel"):
    """Arguments whose wire names are in camelCase."""


class NoArguments(Arguments, frozen=True):
    """The type of a tool that takes nothing."""


class Caller(Enum):
    """Who calls a tool: the client calls some for its own purposes."""

    CLIENT = "client"
    MODEL = "model"

    @classmethod
    def of(cls, meta: Any) -> "Caller":
        """Return who calls, by the `_meta` of the call."""
        tool_use = meta.get(TOOL_USE) if isinstance(meta, dict) else None
        return cls.MODEL if isinstance(tool_use, str) else cls.CLIENT


class Tool(msgspec.Struct, frozen=True):
    """One entry of `tools/list`, and what runs when it is called."""

    name: str
    description: str
    arguments: type[Arguments]
    run: "Callable[..., Awaitable[Content]]"
    takes_caller: bool = False
    is_always_loaded: bool = False
    """Whether the model is to see it without searching for it."""

    def call(self, client: "Client", arguments: Arguments, caller: Caller) -> Awaitable[Content]:
        """Run it for somebody."""
        if self.takes_caller:
            return self.run(client, arguments, caller)
        return self.run(client, arguments)

    def describe(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": _input_schema(self.arguments),
            **({"_meta": {ALWAYS_LOAD: True}} if self.is_always_loaded else {}),
        }

    def decode(self, arguments: Any) -> Arguments:
        """Validate the arguments.

        Raises `RpcError` (-32602) that names the argument and what is wrong with it.
        """
        try:
            return converted({} if arguments is None else arguments, self.arguments)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(f"{self.name}: {describe_problem(error)}") from None


TOOLS: dict[str, Tool] = {}
"""All tools by their wire names; importing `mcp/tools` fills it."""

_Run = TypeVar("_Run", bound="Callable[..., Awaitable[Content]]")


def tool(name: str, *, is_always_loaded: bool = False) -> Callable[[_Run], _Run]:
    """Register a coroutine `(client, arguments) -> Content` under its wire name.

    A third parameter is the `Caller`.
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
    """Return one text block that holds the value as JSON; what is not Unicode is replaced."""
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(readable(value))
    return text(encoded.decode())


def _input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the type's JSON schema in one piece, as clients expect it."""
    schema = msgspec.json.schema(arguments)
    definition = dict(schema["$defs"][schema["$ref"].rpartition("/")[2]])
    definition.pop("title", None)
    definition.pop("description", None)  # the struct's docstring is for its readers
    return definition


def describe_problem(error: msgspec.DecodeError) -> str:
    """Turn msgspec's "Expected `str`, got `int` - at `$.filePath`" round: the name first."""
    problem, separator, path = str(error).partition(" - at `$.")
    return f"{path.rstrip('`')}: {problem}" if separator else problem
