"""Tools in Python packages that the user has installed: entry points of the group GROUP."""

import inspect
import logging
from collections.abc import Callable, Iterator
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
OPTIONAL = ("name", "description", "schema", "title", "read_only", "timeout")


def tools(
    refuse: Callable[[str, str], object], complain: Callable[[str], object]
) -> Iterator[OwnTool]:
    """Yield the tools; `refuse` gets the name of each other one, and why it is none.

    `complain` gets what the user should know about their calls.
    """
    thread = ToolThread(complain)
    for point in entry_points(group=GROUP):
        try:
            yield _tool(point, thread)
        except WrongError as error:
            refuse(point.name, str(error))
        except msgspec.DecodeError as error:
            refuse(point.name, describe_problem(error))
        except (Exception, SystemExit) as error:
            # The code is not ours.
            logger.exception("the tool %s cannot be loaded", point.name)
            refuse(point.name, f"{type(error).__name__}: {error}".partition("\n")[0])


def _tool(point: EntryPoint, thread: ToolThread) -> OwnTool:
    """Return the tool of a coroutine function, or of an object that has one as `run`."""
    loaded = point.load()
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
