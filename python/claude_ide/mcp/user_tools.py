"""The user's own tools: from Lua and Vimscript in Neovim, and from Python packages.

A tool's schema is data, and its failure concerns the user, too. Neovim keeps the tools that were
added there, and which tools are off (`lua/claude_ide/tools/own.lua`): they outlive a host. It
reports everything with each change, and when a host starts. Those of packages are entry points of
the group GROUP. Their code is not ours, and runs in a thread with an event loop of its own:
whatever it does there, the host goes on, and keeps the time limit.
"""

import asyncio
import base64
import inspect
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base.errors import RpcError, ToolError
from claude_ide.base.unicode import readable
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import OwnToolsChanged
from claude_ide.mcp import model
from claude_ide.mcp.model.common import ANSWER_CHARACTERS
from claude_ide.mcp.tool import Arguments, Caller, Content, Tool, describe_problem, text

if TYPE_CHECKING:
    from fastjsonschema import JsonSchemaValueException

    from claude_ide.jupyter.kernels import Kernels
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

CALL_SECONDS = 60.0
NOTHING = "(done; the tool returned no text)"

NEEDED = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
"""The types of content in MCP, and the texts that each needs."""

NAME = re.compile(r"[a-zA-Z0-9_-]{1,50}")
"""The CLI adds `mcp__neovim__`, and the model's names have at most 64 characters."""

Check = Callable[[Any], Any]
"""Returns arguments with the defaults of the schema; raises `InvalidToolError`."""

MAPS = ("properties", "patternProperties", "definitions", "$defs")
"""Keywords with schemas by name."""

CHOICES = ("allOf", "anyOf", "oneOf")
INNER = ("additionalProperties", "not", "contains")

GROUP = "claude_ide.tools"

IMPORT_SECONDS = 30.0
"""How long the import of one tool may take."""

REACTS_SECONDS = 1.0
"""A loop that does not react within this time is blocked."""

OPTIONAL = ("name", "description", "schema", "title", "read_only", "timeout")

ANOTHER = "another tool has this name"


class InvalidToolError(Exception):
    """A tool, its schema, or arguments: the text has the place and the problem."""


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user says about a tool."""

    name: str
    description: str
    schema: dict[str, Any] = {}
    title: str = ""
    read_only: bool = False
    timeout: "float | None" = None

    def tool(self, run: "Callable[[Client, Any], Awaitable[Any]]") -> "OwnTool":
        """Return the tool that `run` executes. Raises `InvalidToolError` if it cannot be one."""
        if not NAME.fullmatch(self.name):
            raise InvalidToolError("a name has 1 to 50 letters, digits, _ and -")
        if not self.description.strip():
            raise InvalidToolError("description is missing: the model chooses a tool by it")
        seconds = CALL_SECONDS if self.timeout is None else self.timeout
        if not 0 < seconds < float("inf"):
            raise InvalidToolError("timeout must be a number of seconds above 0")
        try:
            # Otherwise it would make the list of all tools fail.
            msgspec.json.encode(self)
        except (TypeError, ValueError) as error:
            raise InvalidToolError(f"it is no JSON: {error}") from None
        schema = {"type": "object", **self.schema}
        try:
            check = check_for(schema)
        except InvalidToolError as error:
            raise InvalidToolError(f"schema: {error}") from None
        return OwnTool(
            name=self.name,
            description=self.description.strip(),
            arguments=Arguments,
            run=run,
            title=self.title or self.name,
            is_read_only=self.read_only,
            is_destructive=not self.read_only,
            schema=schema,
            check=check,
            seconds=seconds,
        )


class OwnTool(Tool, frozen=True, kw_only=True):
    """A tool whose arguments follow a schema; `run` may return whatever `content_of` takes."""

    schema: dict[str, Any]
    check: Callable[[Any], Any]
    """Returns arguments with the defaults of the schema; raises `InvalidToolError`."""
    seconds: float

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return self.schema

    def decode(self, arguments: Any) -> Any:
        """Return the arguments with the defaults of the schema. Raises `RpcError` (-32602)."""
        if isinstance(arguments, msgspec.Raw):
            arguments = msgspec.json.decode(arguments)
        try:
            return self.check({} if arguments is None else arguments)
        except InvalidToolError as error:
            raise RpcError.invalid_params(f"{self.name}: {error}") from None

    async def call(self, client: "Client", arguments: Any, caller: Caller) -> Content:
        """Run the tool, and cancel it at its time limit."""
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return content_of(await self.run(client, arguments))
        except TimeoutError as error:
            if limit.expired():
                reason = f"{self.name} has not answered within {self.seconds:g} s"
                raise ToolError(reason) from None
            raise failure(self.name, error) from None


def failure(name: str, error: BaseException) -> ToolError:
    """Log an error of a tool's own code whole; return its first line for the model."""
    logger.error("the tool %s failed", name, exc_info=error)
    first = str(error).strip().partition("\n")[0]
    return ToolError(f"{name} failed: {first or type(error).__name__}")


# The schema of a tool's arguments: checked once itself, then checks each call.


@cache
def _check_shape() -> Check:
    """Return what checks a schema by a schema.

    With less of it the library would fail, or say less about the place. It says more about a
    condition than about a choice.
    """
    import fastjsonschema

    shape = Path(__file__).with_name("schema.json").read_bytes()
    check: Check = fastjsonschema.compile(msgspec.json.decode(shape))
    return check


def check_for(schema: dict[str, Any]) -> Check:
    """Return a function that checks arguments. Raises `InvalidToolError` if the schema is none."""
    # It generates code, and its import takes long.
    import fastjsonschema

    try:
        _check_shape()(schema)
        check = fastjsonschema.compile(schema)
    except fastjsonschema.JsonSchemaValueException as error:
        raise InvalidToolError(_problem(error)) from None
    except Exception as error:
        # The library lets some wrong schemas fail in its own code.
        raise InvalidToolError(str(error)) from None

    def checked(arguments: Any) -> Any:
        try:
            return check(arguments)
        except fastjsonschema.JsonSchemaValueException as error:
            raise InvalidToolError(_problem(error)) from None

    return checked


def repaired(schema: Any) -> Any:
    """Return a schema from Lua, where an empty object is the same as an empty list."""
    if schema == []:
        return {}
    if not isinstance(schema, dict):
        return schema
    return {key: _repaired_part(key, part) for key, part in schema.items()}


def _repaired_part(key: str, part: Any) -> Any:
    if key in MAPS and part == []:
        return {}
    if key in MAPS and isinstance(part, dict):
        return {name: repaired(each) for name, each in part.items()}
    if key in (*CHOICES, "items") and isinstance(part, list) and part:
        return [repaired(each) for each in part]
    return repaired(part) if key in (*INNER, "items") else part


def _problem(error: "JsonSchemaValueException") -> str:
    """Return "times: must be integer" for the library's "data.times must be integer"."""
    place, problem = error.path[1:], str(error.message).removeprefix(error.name).strip()
    return f"{'.'.join(map(str, place))}: {problem}" if place else problem


# What a tool returns.


def content_of(result: Any) -> Content:
    """Return a result as content; texts are cut to the length that a model can read.

    Raises `ToolError` if a model could not read it.
    """
    result = readable(result)
    room = ANSWER_CHARACTERS
    content: Content = []
    for block in _blocks(result):
        if block["type"] != "text":
            content.append(block)
        elif room > 0:
            whole = str(block["text"])
            if len(whole) > room:
                rest = len(whole) - room
                block = {**block, "text": f"{whole[:room]}\n[cut here: {rest:,} more characters]"}
            room -= len(whole)
            content.append(block)
    return content or text(NOTHING)


def _blocks(result: Any) -> Content:
    match result:
        case None | []:
            return []
        case str():
            return text(result)
        case bool():
            return text("true" if result else "false")
        case int() | float():
            return text(str(result))
        case list():
            return [block for each in result for block in _blocks(each)]
        case {"type": str(kind)} if kind in NEEDED and _has_texts(result, NEEDED[kind]):
            return [result]
        case {"type": "resource", "resource": {"uri": str(), "text": str()}}:
            return [result]
        case {"type": "resource", "resource": {"uri": str(), "blob": str()}}:
            return [result]
        case {"text": str(said)} if "type" not in result:
            return text(said)
    raise ToolError("the tool returned neither a text nor a list of content")


def _has_texts(block: dict[str, Any], fields: tuple[str, ...]) -> bool:
    if not all(isinstance(block.get(field), str) for field in fields):
        return False
    if "data" in fields and not _is_base64(block["data"]):
        # A conversation with such an image could not go on: the model's API refuses it.
        raise ToolError(f"the {block['type']} that the tool returned is not in base64")
    return True


def _is_base64(data: str) -> bool:
    try:
        return bool(base64.b64decode(data, validate=True))
    except ValueError:
        return False


# Tools in Python packages.


def installed() -> tuple[EntryPoint, ...]:
    """Return the tools of all packages, without importing anything."""
    return tuple(entry_points(group=GROUP))


async def package_tools(
    points: Sequence[EntryPoint],
    refuse: Callable[[str, str], object],
    complain: Callable[[str], object],
) -> AsyncIterator[OwnTool]:
    """Import and yield the tools; `refuse` gets the name of each other one, and why it is none.

    `complain` gets what the user should know about their imports and calls.
    """
    thread = ToolThread(complain)
    for point in points:
        try:
            yield await _package_tool(point, thread)
        except InvalidToolError as error:
            refuse(point.name, str(error))
        except msgspec.DecodeError as error:
            refuse(point.name, describe_problem(error))
        except (Exception, SystemExit) as error:
            # The code is not ours.
            logger.exception("the tool %s cannot be loaded", point.name)
            refuse(point.name, f"{type(error).__name__}: {error}".partition("\n")[0])


async def _package_tool(point: EntryPoint, thread: "ToolThread") -> OwnTool:
    """Return the tool of a coroutine function, or of an object that has one as `run`.

    Raises what its import raises.
    """

    async def load(_: object) -> Any:
        return point.load()

    try:
        async with asyncio.timeout(IMPORT_SECONDS):
            loaded, problem = await thread.attempt(point.name, load, None)
    except TimeoutError:
        raise InvalidToolError(f"its import took longer than {IMPORT_SECONDS:g} s") from None
    if problem is not None:
        raise problem
    if inspect.isclass(loaded):
        raise InvalidToolError("it is a class, not an object")
    run = getattr(loaded, "run", loaded)
    if not inspect.iscoroutinefunction(run):
        raise InvalidToolError("it is no coroutine function, and has none as `run`")
    given = {field: getattr(loaded, field) for field in OPTIONAL if hasattr(loaded, field)}
    description = given.get("description") or inspect.getdoc(loaded) or ""
    fields = {"name": point.name, **given, "description": description}
    definition = msgspec.convert(fields, Definition)

    async def call(_client: "Client", arguments: Any) -> Any:
        result, error = await thread.attempt(definition.name, run, arguments)
        if error is not None:
            raise failure(definition.name, error) from None
        return result

    return definition.tool(call)


class ToolThread:
    """Runs coroutines. One that blocks its thread is reported; later ones run in another thread."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self._complain = complain
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: list[str] = []
        """The tools that are running in this loop, by name."""

    async def attempt(
        self, name: str, function: Callable[[Any], Coroutine[Any, Any, Any]], arguments: Any
    ) -> tuple[Any, BaseException | None]:
        """Return the result of a tool, or what it has raised."""
        loop = self._loop = self._loop or _started_loop()
        running = self._running
        running.append(name)
        try:
            return await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(_attempted(function, arguments), loop)
            )
        except asyncio.CancelledError:
            if not await _reacts(loop):
                self._give_up(loop)
            raise
        finally:
            running.remove(name)

    def _give_up(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave a blocked loop, which cannot be ended, to itself."""
        if self._loop is not loop:
            return
        names = [*dict.fromkeys(self._running)]
        what = f"the tool {names[0]}" if len(names) == 1 else f"one of {', '.join(names)}"
        self._complain(f"{what} blocks its thread and cannot be ended")
        self._loop, self._running = None, []


async def _attempted(
    function: Callable[[Any], Coroutine[Any, Any, Any]], arguments: Any
) -> tuple[Any, BaseException | None]:
    try:
        return await function(arguments), None
    except BaseException as error:
        # Also `SystemExit`, which would end the thread.
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        return None, error


async def _reacts(loop: asyncio.AbstractEventLoop) -> bool:
    here, reacted = asyncio.get_running_loop(), asyncio.Event()
    loop.call_soon_threadsafe(here.call_soon_threadsafe, reacted.set)
    try:
        async with asyncio.timeout(REACTS_SECONDS):
            await reacted.wait()
    except TimeoutError:
        return False
    return True


def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="tools of packages", daemon=True).start()
    return loop


# All tools of one Neovim.


class UserTools:
    """All tools of one Neovim: a toolset, and those that are not in it, as something is wrong."""

    def __init__(self, editor: Editor, kernels: "Callable[[], Kernels]") -> None:
        self._editor = editor
        self.toolset = model.toolset(kernels)
        self.refused: dict[str, str] = {}
        """By name, what is wrong."""
        self._reported: dict[str, dict[str, Any]] = {}
        """The tools that Neovim has reported last, by name."""
        self._built_in = self._fixed = frozenset(self.toolset)
        self.toolset.subscribe(self._report)
        self._report()
        if points := installed():
            self.toolset.importing = asyncio.ensure_future(self._import(points))

    async def _import(self, points: Sequence[EntryPoint]) -> None:
        """Add the tools of packages, which win over those of Neovim with their names."""
        async for tool in package_tools(points, self._refuse, self._complain):
            if tool.name in self._fixed:
                self._refuse(tool.name, ANOTHER)
                continue
            self._fixed |= {tool.name}
            if tool.name in self._reported:
                self._refuse(tool.name, ANOTHER)
            self.toolset[tool.name] = tool
        self._report()

    def source(self, name: str) -> str:
        """Return where a tool is from, for the user; empty for a built-in one."""
        if name in self._built_in:
            return ""
        return "package" if name in self._fixed else "yours"

    def update(self, changed: OwnToolsChanged) -> None:
        """Take over the tools that Neovim has, and the names of those that are off."""
        reported = readable(json.loads(changed.json))
        tools = {each["name"]: each for each in reported["tools"]}
        for name in self._reported.keys() - tools.keys():
            self._remove(name)
        for name, definition in tools.items():
            if definition != self._reported.get(name):
                self._remove(name)
                self._add(name, definition)
        self._reported = tools
        self.toolset.turn_off(frozenset(reported["off"]))

    def _report(self) -> None:
        self._editor.tools_are([*self.toolset], [*self._fixed])

    def _remove(self, name: str) -> None:
        self.refused.pop(name, None)
        if name not in self._fixed:
            self.toolset.pop(name, None)

    def _add(self, name: str, definition: dict[str, Any]) -> None:
        if name in self._fixed:
            return self._refuse(name, ANOTHER)
        try:
            self.toolset[name] = _tool(definition)
        except msgspec.DecodeError as error:
            self._refuse(name, describe_problem(error))
        except InvalidToolError as error:
            self._refuse(name, str(error))

    def _refuse(self, name: str, reason: str) -> None:
        self.refused[name] = reason
        self._complain(f"the tool {name} was not added: {reason}")

    def _complain(self, what: str) -> None:
        self._editor.notify(what, "warn")


def _tool(definition: dict[str, Any]) -> OwnTool:
    """Return the tool that a function in Neovim executes."""
    name = definition["name"]

    async def call(client: "Client", arguments: Any) -> Any:
        answer = await client.tools.call_own({"name": name, "arguments": arguments})
        if "failure" in answer:
            # Whole, with the traceback; the model needs only the beginning.
            logger.error("the tool %s failed: %s", name, answer["whole"])
            raise ToolError(f"{name} failed: {answer['failure']}")
        return answer.get("result")

    schema = repaired(definition.get("schema", {}))
    return msgspec.convert({**definition, "schema": schema}, Definition).tool(call)
