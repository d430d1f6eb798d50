"""A tool of the user's: its schema is data, and its failure concerns the user, too."""

import asyncio
import base64
import logging
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base.errors import RpcError, ToolError
from claude_ide.base.unicode import readable
from claude_ide.mcp.model.common import LARGEST
from claude_ide.mcp.own import WrongError
from claude_ide.mcp.tool import Arguments, Caller, Content, Tool, text

if TYPE_CHECKING:
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

SECONDS = 60.0
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


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user says about a tool."""

    name: str
    description: str
    schema: dict[str, Any] = {}
    title: str = ""
    read_only: bool = False
    timeout: "float | None" = None

    def tool(self, run: "Callable[[Client, Any], Awaitable[Any]]") -> "OwnTool":
        """Return the tool that `run` executes. Raises `WrongError` if it cannot be one."""
        # Only this needs the library, whose import takes long.
        from claude_ide.mcp.own.schema import check_for

        if not NAME.fullmatch(self.name):
            raise WrongError("a name has 1 to 50 letters, digits, _ and -")
        if not self.description.strip():
            raise WrongError("description is missing: the model chooses a tool by it")
        seconds = SECONDS if self.timeout is None else self.timeout
        if not 0 < seconds < float("inf"):
            raise WrongError("timeout must be a number of seconds above 0")
        try:
            # Otherwise it would make the list of all tools fail.
            msgspec.json.encode(self)
        except (TypeError, ValueError) as error:
            raise WrongError(f"it is no JSON: {error}") from None
        schema = {"type": "object", **self.schema}
        try:
            check = check_for(schema)
        except WrongError as error:
            raise WrongError(f"schema: {error}") from None
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
    """Returns arguments with the defaults of the schema; raises `WrongError`."""
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
        except WrongError as error:
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


def content_of(result: Any) -> Content:
    """Return a result as content; texts are cut to the length that a model can read.

    Raises `ToolError` if a model could not read it.
    """
    result = readable(result)
    room = LARGEST
    content: Content = []
    for block in _blocks(result):
        if block["type"] != "text":
            content.append(block)
        elif room > 0:
            whole = str(block["text"])
            short = whole if len(whole) <= room else _cut(whole, room)
            room -= len(whole)
            content.append({**block, "text": short})
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


def _cut(whole: str, room: int) -> str:
    return f"{whole[:room]}\n[cut here: {len(whole) - room:,} more characters]"
