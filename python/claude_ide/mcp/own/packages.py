"""Tools in Python packages that the user has installed: entry points of the group GROUP."""

import inspect
import logging
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from claude_ide.mcp.own import WrongError
from claude_ide.mcp.own.tool import Definition, OwnTool, failure

if TYPE_CHECKING:
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

GROUP = "claude_ide.tools"


def tools(refuse: Callable[[str, str], object]) -> Iterator[OwnTool]:
    """Yield the tools; `refuse` gets the name of each other one, and why it is none."""
    for point in entry_points(group=GROUP):
        try:
            yield _tool(point)
        except WrongError as error:
            refuse(point.name, str(error))
        except Exception as error:
            # The code is not ours.
            logger.exception("the tool %s cannot be loaded", point.name)
            refuse(point.name, f"{type(error).__name__}: {error}".partition("\n")[0])


def _tool(point: EntryPoint) -> OwnTool:
    """Return the tool of a coroutine function, or of an object that has one as `run`."""
    loaded = point.load()
    run = getattr(loaded, "run", loaded)
    if not inspect.iscoroutinefunction(run):
        raise WrongError("it is no coroutine function, and has none as `run`")
    description = getattr(loaded, "description", None) or inspect.getdoc(loaded) or ""
    definition = Definition(
        getattr(loaded, "name", point.name),
        description,
        getattr(loaded, "schema", {}),
        getattr(loaded, "title", ""),
        getattr(loaded, "read_only", False),
        getattr(loaded, "timeout", None),
    )

    async def call(_client: "Client", arguments: Any) -> Any:
        try:
            return await run(arguments)
        except TimeoutError:
            raise  # may be our limit
        except Exception as error:
            raise failure(definition.name, error) from None

    return definition.tool(call)
