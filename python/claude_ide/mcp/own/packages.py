"""Tools in Python packages that the user has installed: entry points of the group GROUP.

Their code is not ours, and runs in a thread with an event loop of its own: whatever it does there,
the host goes on, and keeps the time limit.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from importlib.metadata import EntryPoint, entry_points
from threading import Thread
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.mcp.own import WrongError
from claude_ide.mcp.own.tool import Definition, OwnTool, failure
from claude_ide.mcp.tool import describe_problem

if TYPE_CHECKING:
    from claude_ide.mcp.client import Client

logger = logging.getLogger(__name__)

GROUP = "claude_ide.tools"
IMPORT_SECONDS = 30.0
"""How long the import of one tool may take."""
REACTS_SECONDS = 1.0
"""A loop that does not react within this time is blocked."""
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


async def _tool(point: EntryPoint, thread: "ToolThread") -> OwnTool:
    """Return the tool of a coroutine function, or of an object that has one as `run`.

    Raises what its import raises.
    """

    async def load(_: object) -> Any:
        return point.load()

    try:
        async with asyncio.timeout(IMPORT_SECONDS):
            loaded, problem = await thread.attempt(point.name, load, None)
    except TimeoutError:
        raise WrongError(f"its import took longer than {IMPORT_SECONDS:g} s") from None
    if problem is not None:
        raise problem
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
