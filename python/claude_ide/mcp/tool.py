"""A tool: a wire name, a description, the type of its arguments, and a coroutine.

A tool is defined by `@tool("wireName") async def name(client, file: Type, limit: Type = 5) ->
Content`. Its docstring is the description; the parameters give the input schema and validate the
arguments. `@tool` is for the CLI itself, `@model_tool` for models. Source: MCP 2025-11-25,
server/tools.
"""

import asyncio
import inspect
from collections import UserDict, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import msgspec

from claude_ide.base.errors import RpcError
from claude_ide.base.names import for_this_editor
from claude_ide.base.unicode import readable
from claude_ide.transport.jsonrpc import converted

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels
    from claude_ide.mcp.client import Client

TOOL_USE = "claudecode/toolUseId"
"""A key in the `_meta` of a call; the CLI sets it only if the model calls."""

T = TypeVar("T")

ALWAYS_LOAD = "anthropic/alwaysLoad"
"""A key in the `_meta` of a tool; the CLI then offers the tool to the model without a search."""

Content = list[dict[str, Any]]
"""The content blocks of a tool's result."""


class Arguments(msgspec.Struct, frozen=True):
    """Base of all argument types. Unknown keys are ignored, as a newer CLI may send more."""


class Caller(msgspec.Struct, frozen=True):
    """The caller of a tool: the model, or the client for its own purposes."""

    tool_use: str | None = None
    """The id of the model's use of the tool; None if the client calls."""

    @property
    def is_model(self) -> bool:
        """Whether the model calls."""
        return self.tool_use is not None

    @classmethod
    def of(cls, meta: Any) -> "Caller":
        """Return the caller according to the `_meta` of a call."""
        tool_use = meta.get(TOOL_USE) if isinstance(meta, dict) else None
        return cls(tool_use if isinstance(tool_use, str) else None)


class Tool(msgspec.Struct, frozen=True):
    """One entry of `tools/list`, and the coroutine function that it calls."""

    name: str
    description: str
    arguments: type[Arguments]
    run: "Callable[..., Awaitable[Any]]"
    is_always_loaded: bool = False
    """Whether the model sees it without a search."""
    title: str = ""
    """Its name for people."""
    is_read_only: bool | None = None
    """Whether it changes nothing, for the user's permission rules; None says nothing about it."""
    is_destructive: bool = False
    """Whether it may overwrite or remove something."""
    asks_user: bool = False
    """Whether the user answers it, which may take long."""
    asks_in_request: bool = False
    """Whether a chat's permission request takes the place of its question."""

    async def call(self, client: "Client", arguments: Any, caller: Caller) -> Content:
        """Run the tool for a client, with arguments from `decode`.

        For a model it runs only if the model may read the files that these name.
        """
        if caller.is_model or self.is_for_models:
            await client.admit(arguments)
        content: Content = await self.run(client, arguments, caller)
        return content

    @property
    def is_for_models(self) -> bool:
        """Whether only models call it, also those behind clients that do not say so."""
        return self.is_read_only is not None

    def describe(self) -> dict[str, Any]:
        """Return the tool's entry in `tools/list`."""
        annotations = {
            "title": self.title,
            "readOnlyHint": bool(self.is_read_only),
            "destructiveHint": self.is_destructive,
            "openWorldHint": False,
        }
        return {
            "name": self.name,
            **({"title": self.title} if self.title else {}),
            "description": self.description,
            "inputSchema": self.input_schema,
            **({"annotations": annotations} if self.is_for_models else {}),
            **({"_meta": {ALWAYS_LOAD: True}} if self.is_always_loaded else {}),
        }

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return _input_schema(self.arguments)

    def decode(self, arguments: Any) -> Any:
        """Validate and convert the arguments.

        Raises `RpcError` (-32602), which names the bad argument and the problem.
        """
        try:
            return converted({} if arguments is None else arguments, self.arguments)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(f"{self.name}: {describe_problem(error)}") from None


class ToolUsage(msgspec.Struct):
    """How often a tool was called."""

    calls: int = 0
    """Without those that were refused."""
    refused: int = 0
    """Calls with arguments that the tool does not take."""
    failed: int = 0
    seconds: float = 0.0
    """The time that all calls took."""


class Toolset(UserDict[str, Tool]):
    """Tools by wire name. `instructions` tell a model what they are for.

    `kernels` returns the kernel in which they run code, if there is one. `lacking` has the reason
    for each tool that this editor cannot answer.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool] | None = None,
        instructions: str = "",
        kernels: "Callable[[], Kernels] | None" = None,
        lacking: Mapping[str, str] | None = None,
    ) -> None:
        self._listed: msgspec.Raw | None = None
        self._on_change: dict[object, Callable[[], object]] = {}
        self.instructions = instructions
        self.off: frozenset[str] = frozenset()
        """The names of tools that the user has turned off."""
        self.usage: defaultdict[str, ToolUsage] = defaultdict(ToolUsage)
        self.kernels = kernels
        self.importing: asyncio.Future[None] | None = None
        """Adds tools whose import takes a while; None if there are none."""
        self._lacking = lacking or {}
        super().__init__(tools)

    def __setitem__(self, name: str, tool: Tool) -> None:
        super().__setitem__(name, tool)
        self._changed()

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._changed()

    def turn_off(self, names: frozenset[str]) -> None:
        """Offer all tools except these."""
        if names != self.off:
            self.off = names
            self._changed()

    @property
    def is_complete(self) -> bool:
        """Whether all tools are there."""
        return self.importing is None or self.importing.done()

    async def complete(self) -> None:
        """Wait until all tools are there."""
        if self.importing is not None:
            await asyncio.wait([self.importing])

    def offered(self, name: str) -> Tool:
        """Return a tool that can be called. Raises `RpcError` (-32602) if there is none."""
        tool = self.get(name)
        if tool is None:
            raise RpcError.invalid_params(self._lacking.get(name) or f"Unknown tool: {name}")
        if name in self.off:
            raise RpcError.invalid_params(f"The user has turned off the tool {name}")
        return tool

    @property
    def read_only(self) -> tuple[str, ...]:
        """The names of the tools that change nothing and therefore need no permission."""
        return tuple(name for name, tool in self.items() if tool.is_read_only)

    @property
    def asking(self) -> tuple[str, ...]:
        """The names of the tools that ask the user themselves, in Neovim."""
        return tuple(name for name, tool in self.items() if tool.asks_user)

    @property
    def asking_in_chat(self) -> tuple[str, ...]:
        """Those of them that ask in a chat, too, instead of by its permission request."""
        return tuple(name for name in self.asking if not self[name].asks_in_request)

    def listed(self) -> msgspec.Raw:
        """Return the encoded result of `tools/list`."""
        if self._listed is None:
            tools = [tool.describe() for name, tool in self.items() if name not in self.off]
            listed = msgspec.json.encode({"tools": tools}).decode()
            self._listed = msgspec.Raw(for_this_editor(listed).encode())
        return self._listed

    def subscribe(self, on_change: Callable[[], object]) -> Callable[[], object]:
        """Have `on_change` called when a tool comes or goes; return what ends this."""
        key = object()
        self._on_change[key] = on_change
        return lambda: self._on_change.pop(key, None)

    def _changed(self) -> None:
        self._listed = None
        if not self.is_complete:
            # Whoever asks for the list waits until it is complete.
            return
        for on_change in [*self._on_change.values()]:
            on_change()


LIST_CHANGED = "notifications/tools/list_changed"
"""The client then asks for the list again."""

IDE_TOOLS = Toolset()
"""The tools that the CLI calls itself; importing `mcp/ide_tools` fills it."""

INSTRUCTIONS = """\
These tools ask the user's Neovim: its language servers and syntax trees, and texts that are not \
saved yet, which no file tool sees. Prefer them to a text search for definitions, references, \
symbols, types and renames. Lines and columns count from 1, columns in characters; instead of a \
column you may name a symbol in the line. The user is asked before a file outside the working \
folders is read."""

MODEL_TOOLS = Toolset(instructions=INSTRUCTIONS)
"""The tools that a model calls; importing `mcp/model` fills it."""

_Run = TypeVar("_Run", bound="Callable[..., Awaitable[Content]]")


def tool(name: str, **properties: Any) -> Callable[[_Run], _Run]:
    """Register a coroutine function in `IDE_TOOLS` under its wire name; see `Tool`.

    Its first parameter gets the client, one of the type `Caller` the caller, and one whose type is
    `Arguments` all arguments that the type names. Each other one is an argument.
    """
    return _registering(IDE_TOOLS, name, properties)


def model_tool(
    name: str, title: str, *, is_read_only: bool = True, **properties: Any
) -> Callable[[_Run], _Run]:
    """Register a coroutine function like `tool`, in `MODEL_TOOLS`."""
    properties |= {"title": title, "is_read_only": is_read_only}
    return _registering(MODEL_TOOLS, name, properties)


def _registering(tools: Toolset, name: str, properties: dict[str, Any]) -> Callable[[_Run], _Run]:
    rename = properties.pop("rename", None)

    def register(run: _Run) -> _Run:
        arguments, call = signature(run, rename)
        description = inspect.cleandoc(run.__doc__ or "")
        tools[name] = Tool(name, description, arguments, call, **properties)
        return run

    return register


def signature(
    run: Callable[..., Awaitable[T]], rename: Literal["camel"] | None = None
) -> tuple[type[Arguments], "Callable[[Client, Any, Caller], Awaitable[T]]"]:
    """Return the type of a function's arguments, and a function that calls it with them."""
    _client, *parameters = inspect.signature(run).parameters.values()
    bases = tuple(each.annotation for each in parameters if _is_whole(each)) or (Arguments,)
    fields = [
        (each.name.rstrip("_"), each.annotation, *_default(each))
        for each in parameters
        if each.annotation is not Caller and not _is_whole(each)
    ]
    arguments = msgspec.defstruct(
        run.__name__, fields, bases=bases, frozen=True, kw_only=True, rename=rename
    )

    @wraps(run)
    def call(client: "Client", given: Any, caller: Caller) -> Awaitable[T]:
        return run(client, *(_value(each, given, caller) for each in parameters))

    return cast(type[Arguments], arguments), call


def _is_whole(parameter: inspect.Parameter) -> bool:
    type_ = parameter.annotation
    return isinstance(type_, type) and issubclass(type_, Arguments)


def _default(parameter: inspect.Parameter) -> tuple[Any, ...]:
    return () if parameter.default is parameter.empty else (parameter.default,)


def _value(parameter: inspect.Parameter, given: Any, caller: Caller) -> Any:
    if parameter.annotation is Caller:
        return caller
    return given if _is_whole(parameter) else getattr(given, parameter.name.rstrip("_"))


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
    whole: dict[str, Any] = _without_references(schema, schema["$defs"])
    return whole


def _without_references(schema: Any, definitions: dict[str, Any]) -> Any:
    """Put each definition in the place of its references."""
    if isinstance(schema, list):
        return [_without_references(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        definition = dict(definitions[schema["$ref"].rpartition("/")[2]])
        definition.pop("title", None)
        definition.pop("description", None)  # the docstring of the struct is for developers
        return _without_references(definition, definitions)
    # Some models insist on the type of each value.
    typed = {"type": "string"} if "enum" in schema else {}
    inner = {key: _without_references(each, definitions) for key, each in schema.items()}
    return typed | {key: each for key, each in inner.items() if key != "$defs"}


def describe_problem(error: msgspec.DecodeError) -> str:
    """Put the name first in msgspec's "Expected `str`, got `int` - at `$.filePath`"."""
    problem, separator, path = str(error).partition(" - at `$.")
    return f"{path.rstrip('`')}: {problem}" if separator else problem
