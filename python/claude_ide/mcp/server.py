"""The MCP server for one client: its methods, and how messages reach it.

A tool's failure becomes a result here. Methods and errors are the same over a socket and over the
pipe of an agent that runs as our child: that one needs no port and no token, and ends with the
child. Source: MCP 2025-11-25 (lifecycle, tools, utilities); doc/protocol.md for the methods
specific to Claude Code.
"""

import asyncio
import contextlib
import itertools
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from claude_ide import __version__
from claude_ide.base.errors import EditorError, RpcError, ToolError, TransportClosed
from claude_ide.base.names import EXECUTE_CODE, editor_name
from claude_ide.mcp import ide_tools as _ide_tools  # noqa: F401  importing it registers its tools
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import IDE_TOOLS, Caller, Content, Tool, Toolset, describe_problem, text
from claude_ide.transport.jsonrpc import ANSWER_BYTES, Notification, Peer, Request, converted
from claude_ide.transport.websocket import Connection
from claude_ide.transport.wire import FROM, TO, Party

logger = logging.getLogger(__name__)

PROTOCOL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LOG_LEVELS = frozenset(
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
)

CANCELLED = "notifications/cancelled"
GIVEN_UP = {"code": -32800, "message": "the request was cancelled"}

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
        reason = f"the answer has {size:,} bytes, more than the {ANSWER_BYTES:,} a client accepts"
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

    async def _list_tools(self, _params: dict[str, Any]) -> Any:
        self.client.listed_tools.set()
        await self._tools.complete()
        return self._tools.listed()

    async def _call_tool(self, params: Any) -> Any:
        try:
            call = converted(params, _Call)
        except msgspec.DecodeError as error:
            raise RpcError.invalid_params(f"tools/call: {describe_problem(error)}") from None
        if call.name not in self._tools:
            await self._tools.complete()
        tool = self._tools.offered(call.name)
        meta = call.meta if isinstance(call.meta, dict) else {}
        try:
            arguments = tool.decode(call.arguments)
        except RpcError:
            self._tools.usage[call.name].refused += 1
            raise
        # While the tool runs, only the arguments of the message stay in memory.
        del params, call
        return await self._run(tool, arguments, Caller.of(meta), meta.get(PROGRESS_TOKEN))

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
        return {**result, "content": [*text(*late), *result["content"]]}

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


def _bare(method: str, server: Server, params: Any) -> Any:
    # Few clients call one.
    from claude_ide.mcp import workspace

    type_, run = workspace.METHODS[method]
    try:
        decoded: Any = converted(params, type_)
    except msgspec.DecodeError as error:
        raise RpcError.invalid_params(describe_problem(error)) from None
    return run(server.client, decoded, Caller())


WORKSPACE = {
    method: partial(_bare, method)
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


class ClientConnection:
    """The connection of one client, whose messages the user can watch under a name.

    Its own task sends the notifications in order, so that a slow client delays no other. Of those
    with the same key only the latest is kept.
    """

    def __init__(self, connection: Connection, server: Server, name: Callable[[], str]) -> None:
        self._connection = connection
        self._party = Party(name)
        self.peer = server.peer = Peer(self, server)
        self._waiting: OrderedDict[object, tuple[str, Any]] = OrderedDict()
        self._filled = asyncio.Event()

    async def serve(self) -> None:
        """Serve the client until it leaves; then cancel its requests."""
        sending = asyncio.get_running_loop().create_task(self._send_notifications())
        try:
            async for frame in self._connection.frames():
                self._party.note(FROM, frame)
                await self.peer.receive(frame)
        finally:
            sending.cancel()
            await self.peer.close()

    def notify(self, method: str, params: Any, key: object | None = None) -> None:
        """Queue a notification; it is sent as soon as the client reads."""
        self._waiting[key if key is not None else object()] = (method, params)
        self._filled.set()

    async def send(self, frame: bytes) -> None:
        """Send one message. Raises `TransportClosed` if the client is gone."""
        self._party.note(TO, frame)
        await self._connection.send(frame)

    async def close(self) -> None:
        """Disconnect the client."""
        await self._connection.close()

    async def _send_notifications(self) -> None:
        with contextlib.suppress(TransportClosed):
            while True:
                await self._filled.wait()
                while self._waiting:
                    _, (method, params) = self._waiting.popitem(last=False)
                    await self.peer.notify(method, params)
                self._filled.clear()


class InProcessServer:
    """Serves tools to one client; call it with each message."""

    def __init__(self, client: Client, tools: Toolset) -> None:
        self._tools = tools
        self._client = client
        server = Server(client, tools=tools)
        self._peer = server.peer = Peer(self, server)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[Any, asyncio.Future[dict[str, Any]]]] = {}
        """By our own request ids: the agent's id, and the future of the answer."""

    async def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a JSON-RPC message; None if it is a notification.

        Cancelling this cancels the request, which then closes anything it has opened.
        """
        if message.get("method") == CANCELLED:
            self._cancel(message.get("params"))
            return None
        if "id" not in message:
            await self._peer.receive(msgspec.json.encode(message))
            return None
        # Two messages may have the same id if one of them was cancelled.
        number = next(self._numbers)
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = message["id"], waiting
        try:
            await self._peer.receive(msgspec.json.encode(message | {"id": number}))
            answer = await waiting
            return {**answer, "id": message["id"]}
        except asyncio.CancelledError:
            self._peer.cancel(number)
            raise
        finally:
            del self._waiting[number]

    def allowed(self, tool: str, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        """Note that the user has allowed a use of a tool, and perhaps all further ones."""
        if tool == EXECUTE_CODE:
            self._client.allowed_code.allow_use(use, arguments, for_good=for_good)

    def has_read(self, path: str) -> None:
        """Note that the agent has read a file by its own tools."""
        self._client.reading.add(path)

    def watch(self, changed: Callable[[], object]) -> Callable[[], object]:
        """Have `changed` called when there are other tools; return what ends this."""
        return self._tools.subscribe(changed)

    async def close(self) -> None:
        """Cancel all requests, and take no more."""
        self.cancel_all()
        await self._peer.close()

    def cancel_all(self) -> None:
        """Cancel all requests."""
        for number in self._waiting:
            self._give_up(number)

    async def send(self, frame: bytes) -> None:
        """Settle a request with the peer's answer; over this pipe there are no notifications."""
        answer = msgspec.json.decode(frame)
        _, waiting = self._waiting.get(answer.get("id"), (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _cancel(self, params: Any) -> None:
        """Cancel a request, which the agent names by its own id.

        Over a pipe a cancelled request is answered, too.
        """
        unwanted = params.get("requestId") if isinstance(params, dict) else None
        for number, (id_, _) in self._waiting.items():
            if id_ == unwanted:
                self._give_up(number)

    def _give_up(self, number: int) -> None:
        _, waiting = self._waiting[number]
        if not waiting.done():
            self._peer.cancel(number)
            waiting.set_result({"jsonrpc": "2.0", "error": GIVEN_UP})
