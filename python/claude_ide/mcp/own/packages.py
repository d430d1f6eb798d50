"""Tools in Python packages that the user has installed: entry points of the group GROUP."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.mcp.own import WrongError
from claude_ide.mcp.own.thread import ToolThread
from claude_ide.mcp.own.tool import Definition, OwnTool
from claude_ide.mcp.tool import describe_problem

if TYPE_CHECKING:
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

GROUP = "claude_ide.tools"
IMPORT_SECONDS = 30.0
"""How long the import of one tool may take."""
OPTIONAL = ("name", "description", "schema", "title", "read_only", "timeout")


def found() -> tuple[EntryPoint, ...]:
    """Return the tools of all packages, without importing anything."""
    return tuple(entry_points(group=GROUP))


async def tools(
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
            yield await _tool(point, thread)
        except WrongError as error:
            refuse(point.name, str(error))
        except msgspec.DecodeError as error:
            refuse(point.name, describe_problem(error))
        except (Exception, SystemExit) as error:
            # The code is not ours.
            logger.exception("the tool %s cannot be loaded", point.name)
            refuse(point.name, f"{type(error).__name__}: {error}".partition("\n")[0])


async def _tool(point: EntryPoint, thread: ToolThread) -> OwnTool:
    """Return the tool of a coroutine function, or of an object that has one as `run`."""
    loaded = await _imported(point, thread)
    if inspect.isclass(loaded):
        raise WrongError("it is a class, not an object")
    run = getattr(loaded, "run", loaded)
    if not inspect.iscoroutinefunction(run):
        raise WrongError("it is no coroutine function, and has none as `run`")
    given = {field: getattr(loaded, field) for field in OPTIONAL if hasattr(loaded, field)}
    description = given.get("description") or inspect.getdoc(loaded) or ""
    fields = {"name": point.name, **given, "description": description}
    definition = msgspec.convert(fields, Definition)

    async def call(_client: "Client", arguments: Any) -> Any:
        return await thread.run(definition.name, run, arguments)

    return definition.tool(call)


async def _imported(point: EntryPoint, thread: ToolThread) -> Any:
    """Return the object of an entry point; an import may take long. Raises what it raises."""

    async def load(_: object) -> tuple[Any, BaseException | None]:
        try:
            return point.load(), None
        except BaseException as error:
            return None, error

    try:
        async with asyncio.timeout(IMPORT_SECONDS):
            loaded, error = await thread.run(point.name, load, None)
    except TimeoutError:
        raise WrongError(f"its import took longer than {IMPORT_SECONDS:g} s") from None
    if error is not None:
        raise error
    return loaded
