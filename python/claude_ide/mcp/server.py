"""The MCP server for one client: its methods; a tool's failure becomes a result here.

Source: MCP 2025-11-25 (lifecycle, tools, utilities); doc/protocol.md for the methods specific to
Claude Code.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from claude_ide import __version__
from claude_ide.base.errors import EditorError, RpcError, ToolError, TransportClosed
from claude_ide.base.names import editor_name
from claude_ide.jsonrpc.message import Notification, Request, converted
from claude_ide.jsonrpc.peer import LARGEST_ANSWER, Peer
from claude_ide.mcp import ide_tools as _ide_tools  # noqa: F401  importing it registers its tools
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import (
    IDE_TOOLS,
    Caller,
    Content,
    Tool,
    Toolset,
    describe_problem,
    signature,
    text,
)

logger = logging.getLogger(__name__)

PROTOCOL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LOG_LEVELS = frozenset(
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
)

LONGEST_LABEL = 100
LONGEST_REASON = 4_000
"""Characters of the reason for which a tool failed; a model needs no more."""

PROGRESS_TOKEN = "progressToken"
"""A key in the `_meta` of a call whose client wants to know that the tool is still running."""
PROGRESS_SECONDS = 5


class Server:
    """Answers one client (the `Dialect` of its peer)."""

    peer: Peer

    def __init__(
        self,
        client: Client,
        on_initialized: Callable[[], object] = lambda: None,
        on_pid: Callable[[], object] = lambda: None,
        tools: Toolset = IDE_TOOLS,
    ) -> None:
        self.client = client
        client.kernels = client.kernels or tools.kernels
        self._tools = tools
        self._on_initialized = on_initialized
        self._on_pid = on_pid

    def on_request(self, request: Request) -> Any:
        """Return the result of a method, or a coroutine that returns it."""
        self.client.mark_active()
        method = METHODS.get(request.method)
        if method is None:
            raise RpcError.method_not_found(request.method)
        params = {} if request.params is None else request.params
        is_large = isinstance(params, msgspec.Raw)
        if is_large and request.method not in TAKES_LARGE:
            raise RpcError.invalid_params(f"{request.method}: params are too large, or no object")
        if not is_large and not isinstance(params, dict):
            raise RpcError.invalid_params(f"{request.method}: params must be an object")
        return method(self, params)

    def on_notification(self, notification: Notification) -> None:
        """Handle a notification; unknown ones are ignored, as the protocol requires."""
        self.client.mark_active()
        params = notification.params if isinstance(notification.params, dict) else {}
        match notification.method:
            case "notifications/initialized":
                if not self.client.initialized:
                    self.client.initialized = True
                    self._on_initialized()
            case "notifications/cancelled":
                id_ = params.get("requestId")
                if isinstance(id_, int | str):
                    self.peer.cancel(id_)
            case "ide_connected":
                pid = params.get("pid")
                is_pid = isinstance(pid, int) and not isinstance(pid, bool) and 0 < pid < 2**31
                known, self.client.pid = self.client.pid, pid if is_pid else None
                if self.client.pid != known:
                    self._on_pid()

    def oversized(self, request: Request, size: int) -> Any:
        """Return the result that replaces one of `size` bytes, at which the client would leave."""
        reason = f"the answer has {size:,} bytes, more than the {LARGEST_ANSWER:,} a client accepts"
        return failed(f"{request.method}: {reason}")

    def _initialize(self, params: dict[str, Any]) -> Any:
        asked = params.get("protocolVersion")
        information = params.get("clientInfo")
        if isinstance(information, dict):
            self.client.name = _label(information.get("name")) or "unknown"
            self.client.title = _label(information.get("title"))
            self.client.version = _label(information.get("version"))
        return {
            "protocolVersion": asked if asked in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[-1],
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "serverInfo": {"name": "claude-ide", "title": editor_name(), "version": __version__},
            **(
                {"instructions": instructions} if (instructions := self._tools.instructions) else {}
            ),
        }

    def _set_level(self, params: dict[str, Any]) -> Any:
        level = params.get("level")
        if not isinstance(level, str) or level not in LOG_LEVELS:
            known = ", ".join(sorted(LOG_LEVELS))
            raise RpcError.invalid_params(f"logging/setLevel: level must be one of {known}")
        return {}

    def _list_tools(self, _params: dict[str, Any]) -> Any:
        self.client.listed_tools.set()
        return self._tools.listed() if self._tools.is_complete else self._list_all_tools()

    async def _list_all_tools(self) -> Any:
        await self._tools.complete()
        return self._tools.listed()

    def _call_tool(self, params: Any) -> Any:
        try:
            call = converted(params, _Call)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(f"tools/call: {describe_problem(error)}") from None
        if call.name not in self._tools and not self._tools.is_complete:
            return self._call_later(params)
        tool = self._tools.offered(call.name)
        # While the tool runs, only the arguments of the message stay in memory.
        meta = call.meta if isinstance(call.meta, dict) else {}
        try:
            arguments = tool.decode(call.arguments)
        except RpcError:
            self._tools.usage[call.name].refused += 1
            raise
        return self._run(tool, arguments, Caller.of(meta), meta.get(PROGRESS_TOKEN))

    async def _call_later(self, params: Any) -> Any:
        """Call a tool that may still be imported."""
        await self._tools.complete()
        return await self._call_tool(params)

    async def _run(self, tool: Tool, arguments: Any, caller: Caller, token: Any) -> Any:
        """Run a tool; a failure becomes a result that the model can read."""
        wants_progress = self._tools.instructions and isinstance(token, str | int)
        report = self._report(tool, token, asyncio.current_task()) if wants_progress else None
        progress = asyncio.ensure_future(report) if report else None
        usage, begun = self._tools.usage[tool.name], time.monotonic()
        usage.calls += 1
        try:
            return self._complete({"content": await tool.call(self.client, arguments, caller)})
        except (ToolError, EditorError) as error:
            usage.failed += 1
            logger.info("%s: %s", tool.name, error)
            return self._complete(failed(str(error)))
        finally:
            usage.seconds += time.monotonic() - begun
            if progress is not None:
                progress.cancel()

    def _complete(self, result: dict[str, Any]) -> dict[str, Any]:
        """Add what earlier calls have done that had no answer."""
        late, self.client.late = self.client.late, []
        return {
            **result,
            "content": [*text(*late), *result["content"]],
        }

    async def _report(self, tool: Tool, token: str | int, task: object) -> None:
        """Report again and again that a slow tool, which runs in this task, is still running."""
        for seconds in itertools.count(PROGRESS_SECONDS, PROGRESS_SECONDS):
            await asyncio.sleep(PROGRESS_SECONDS)
            what = self._state(tool, task)
            progress = {"progressToken": token, "progress": seconds, "message": what}
            try:
                await self.peer.notify("notifications/progress", progress)
            except TransportClosed:
                return

    def _state(self, tool: Tool, task: object) -> str:
        if task in self.client.running_code:
            return "running the code"
        is_asking = tool.asks_user and not self.client.editor.is_using(task)
        if is_asking or self.client.reading.is_asking(task):
            return "waiting for the user"
        return f"waiting for {editor_name()}"


class _Name(msgspec.Struct):
    name: str = ""


class _Call(msgspec.Struct):
    name: str
    arguments: Any = None
    meta: Any = msgspec.field(name="_meta", default=None)


def failed(reason: str) -> dict[str, Any]:
    """Return the result of a tool that failed."""
    shown = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
    content: Content = text(shown)
    return {"content": content, "isError": True}


def _label(value: Any) -> str:
    """Make a name that a client gives itself fit into one line on the screen."""
    said = value if isinstance(value, str) else ""
    printable = "".join(letter if letter.isprintable() else " " for letter in said)
    return " ".join(printable.split())[:LONGEST_LABEL]


@cache
def _workspace(method: str) -> tuple[type, Callable[..., Any]]:
    """Return the type of the parameters of a bare method, and the method."""
    # Few clients call one.
    from claude_ide.mcp import workspace

    return signature(workspace.METHODS[method])


def _bare(method: str) -> "Callable[[Server, Any], Any]":
    def call(server: Server, params: Any) -> Any:
        type_, run = _workspace(method)
        try:
            decoded: Any = converted(params, type_)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(describe_problem(error)) from None
        return run(server.client, decoded, Caller())

    return call


WORKSPACE = {
    method: _bare(method)
    for method in (
        *("readFile", "writeFile", "listFiles"),
        *("getWorkspaceInfo", "getOpenFiles", "getCurrentFile"),
    )
}

METHODS: dict[str, Callable[[Server, dict[str, Any]], Any]] = {
    "initialize": Server._initialize,
    "ping": lambda _server, _params: {},
    "tools/list": Server._list_tools,
    "tools/call": Server._call_tool,
    "prompts/list": lambda _server, _params: {"prompts": []},
    "resources/list": lambda _server, _params: {"resources": []},
    "resources/templates/list": lambda _server, _params: {"resourceTemplates": []},
    "logging/setLevel": Server._set_level,
    **WORKSPACE,
}
TAKES_LARGE = {"tools/call", *WORKSPACE}
