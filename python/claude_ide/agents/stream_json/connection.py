"""One running CLI: its process, and the control requests in both directions."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any

from claude_ide.agents import base
from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.editor_services import Edits, McpServer
from claude_ide.agents.events import Dead, DiffHunk, Event, FilesFound, LimitsTold, Notice, Ready
from claude_ide.agents.fields import mapping, mappings, strings, text
from claude_ide.agents.requests import Asked
from claude_ide.agents.session_state import EventQueue
from claude_ide.agents.stream_json import notices, permission, protocol, turn
from claude_ide.agents.stream_json.decode import FrameDecoder
from claude_ide.agents.stream_json.settings import model_ids, offered, usual_mode
from claude_ide.agents.stream_json.tools import change_of, decode_write, hunks_of, path_in
from claude_ide.base.errors import (
    AgentError,
    TransportClosed,
    UnknownSessionError,
    UnsupportedError,
)
from claude_ide.transport.process import Child
from claude_ide.transport.wire import FROM, TO, AgentTraffic

logger = logging.getLogger(__name__)

UNSUPPORTED_CODE = "unsupported_request"
UNSUPPORTED_TEXT = "Unsupported control request"
"""The error text of 2.1.197, which has no error codes."""


class ControlError(AgentError):
    """The CLI refused a control request; `code` is empty if the CLI's version has no codes."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Controls:
    """The pending control requests."""

    def __init__(self, send: Callable[[protocol.Frame], Awaitable[None]]) -> None:
        self.unsupported: set[str] = set()
        """Requests that this CLI has rejected as unknown."""
        self._send = send
        self._numbers = itertools.count(1)
        self._pending: dict[str, tuple[str, asyncio.Future[protocol.Frame]]] = {}

    async def request(self, subtype: str, **fields: Any) -> protocol.Frame:
        """Send a request to the CLI, and return its answer.

        Raises `UnsupportedError` if the CLI does not know the request, `ControlError` if it
        refuses, `TransportClosed` if it has ended.
        """
        if subtype in self.unsupported:
            raise UnsupportedError(f"this version of Claude Code does not know {subtype}")
        id_ = f"req_{next(self._numbers)}"
        answer: asyncio.Future[protocol.Frame] = asyncio.get_running_loop().create_future()
        self._pending[id_] = (subtype, answer)
        try:
            await self._send(protocol.control_request(id_, subtype, fields))
            return await answer
        finally:
            self._pending.pop(id_, None)

    def resolve(self, frame: protocol.Frame) -> None:
        """Handle a `control_response`; one without a pending request is ignored."""
        response = mapping(frame.get("response"))
        subtype, answer = self._pending.get(text(response.get("request_id")), ("", None))
        if answer is None or answer.done():
            return
        if response.get("subtype") == "success":
            answer.set_result(mapping(response.get("response")))
            return
        message, code = text(response.get("error")), text(response.get("error_code"))
        if code == UNSUPPORTED_CODE or message.startswith(UNSUPPORTED_TEXT):
            self.unsupported.add(subtype)
            answer.set_exception(UnsupportedError(message))
        else:
            answer.set_exception(ControlError(message or f"{subtype} was refused", code))

    def close(self) -> None:
        """Fail all pending requests: the CLI has ended."""
        for _, answer in self._pending.values():
            if not answer.done():
                answer.set_exception(TransportClosed("Claude Code has ended"))
                answer.exception()  # its caller may be gone: avoids "exception was never retrieved"


WANTED: protocol.Frame = {"promptSuggestions": True, "forwardSubagentText": True}
"""What the CLI sends only to those who ask for it."""
LIST_CHANGED = "notifications/tools/list_changed"
EDITING = "editing"
EDITED = "edited"
PROMPTED = "prompted"
BESIDE = "beside"
EDITORS = "Edit|MultiEdit|Write|NotebookEdit"
COMMANDS = "Bash|PowerShell|Monitor|mcp__.*"
"""Tools that may write any file."""
HOOK_SECONDS = 5
CHANGED = (
    "The user changed your proposal before accepting it, so the file does not contain what you "
    "proposed. This is what was written:"
)
RESTORED = (
    "The user has restored these files to their state before an earlier prompt, so your later "
    "edits of them are undone. Read them again before you rely on their content:"
)
LONGEST_PATCH = 20_000


class Callbacks:
    """Answers the CLI's requests with the editor's services."""

    def __init__(
        self,
        send: Callable[[protocol.Frame], Awaitable[None]],
        servers: Mapping[str, McpServer],
        edits: Edits | None,
        controls: Controls,
        report: Callable[[Iterable[Event]], None],
    ) -> None:
        self._send = send
        self._servers = servers
        self._edits = edits
        self._controls = controls
        self._report = report
        self._unwatch: list[Callable[[], object]] = []
        self._changed_servers: set[str] = set()
        """Those whose tools have changed, which the CLI does not know yet."""
        self._changed: set[str] = set()
        self._restored: dict[str, None] = {}
        """The files that were restored since the last prompt."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def fields(self) -> protocol.Frame:
        """Return the fields of `initialize` that register our hooks and servers."""
        hooks = {"PostToolUse": [_hook(EDITED, EDITORS)]}
        if self._edits is not None:
            hooks["PreToolUse"] = [_hook(EDITING, f"{EDITORS}|{COMMANDS}")]
            hooks["PostToolUse"] = [_hook(EDITED)]
            hooks["UserPromptSubmit"] = [_hook(PROMPTED)]
        hooks |= {name: [_hook(BESIDE)] for name in notices.HOOK_FIELDS}
        fields: protocol.Frame = {"hooks": hooks}
        return fields | {"sdkMcpServers": [*self._servers]} if self._servers else fields

    def announce_tools(self) -> None:
        """Announce changes of our servers' tools from now on: the CLI has started."""
        for name, server in self._servers.items():
            self._unwatch.append(server.watch(partial(self._tools_changed, name)))

    def _tools_changed(self, name: str) -> None:
        if name not in self._changed_servers:
            self._changed_servers.add(name)
            self.run(f"{LIST_CHANGED} {name}", self._announce(name))

    async def _announce(self, name: str) -> None:
        # A change during the request is another one.
        self._changed_servers.discard(name)
        message = {"jsonrpc": "2.0", "method": LIST_CHANGED}
        try:
            await self._controls.request("mcp_message", server_name=name, message=message)
        except (AgentError, TransportClosed) as error:
            logger.info("the CLI does not learn of changed tools: %s", error)

    def proposal_changed(self, tool: str) -> None:
        """Record that the user changed a tool's input: the CLI does not inform the model."""
        self._changed.add(tool)

    def allowed(self, name: str, use: str, answer: protocol.Frame, code: str = "") -> None:
        """Tell our server that the user has allowed a use of one of its tools, or other `code`."""
        _, server, tool = [*name.split("__", 2), "", ""][:3]
        if name.startswith("mcp__") and server in self._servers:
            updates = mappings(answer.get("updatedPermissions"))
            rules = [rule for each in updates for rule in mappings(each.get("rules"))]
            for_good = any(rule.get("toolName") == name for rule in rules)
            arguments = mapping(answer.get("updatedInput")) | ({"code": code} if code else {})
            self._servers[server].allowed(tool, use, arguments, for_good=for_good)

    def files_restored(self, paths: Iterable[str]) -> None:
        """Record that the user restored files: the CLI does not inform the model."""
        self._restored |= dict.fromkeys(paths)

    def accept(self, frame: protocol.Frame) -> None:
        """Start to answer a `control_request`."""
        id_ = text(frame.get("request_id"))
        asked = mapping(frame.get("request"))
        self.run(id_, self._answer(id_, asked))

    def run(self, id_: str, work: Coroutine[Any, Any, None]) -> None:
        """Start a task that ends with the CLI."""
        task = self._tasks[id_] = asyncio.get_running_loop().create_task(work)

        def done(_task: object) -> None:
            if self._tasks.get(id_) is task:
                del self._tasks[id_]

        task.add_done_callback(done)

    def cancel(self, request: str) -> None:
        """Cancel a request that the CLI has withdrawn."""
        if task := self._tasks.get(request):
            task.cancel()

    async def close(self) -> None:
        """Cancel all requests: the CLI has ended."""
        while self._unwatch:
            self._unwatch.pop()()
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._changed.clear()

    async def _answer(self, id_: str, asked: protocol.Frame) -> None:
        try:
            match text(asked.get("subtype")):
                case "hook_callback":
                    answer = protocol.success(id_, await self._hook(asked))
                case "mcp_message":
                    answer = protocol.success(id_, {"mcp_response": await self._message(asked)})
                case subtype:
                    answer = protocol.failure(id_, f"{subtype} is not supported")
        except Exception:
            # Without an answer the CLI would wait forever.
            logger.exception("a request of the CLI failed")
            answer = protocol.failure(id_, "this request failed")
        with contextlib.suppress(TransportClosed):  # the CLI has ended
            await self._send(answer)

    async def _message(self, asked: protocol.Frame) -> dict[str, Any]:
        message = mapping(asked.get("message"))
        server = self._servers.get(text(asked.get("server_name")))
        if server is None:
            unknown = {"code": -32601, "message": "there is no such server"}
            return {"jsonrpc": "2.0", "id": message.get("id", 0), "error": unknown}
        answer = await server(message)
        return {"jsonrpc": "2.0", "result": {}, "id": 0} if answer is None else answer

    async def _hook(self, asked: protocol.Frame) -> protocol.Frame:
        hook, edits = text(asked.get("callback_id")), self._edits
        if hook == PROMPTED:
            late = await edits.prompted() if edits is not None else ""
            restored = "\n".join([RESTORED, *self._restored]) if self._restored else ""
            self._restored.clear()
            return _context("UserPromptSubmit", restored, late)
        reported = mapping(asked.get("input"))
        if hook == BESIDE:
            happened = notices.happened(reported)
            self._report([happened] if happened else [])
            return {}
        tool, result = text(reported.get("tool_use_id")), mapping(reported.get("tool_response"))
        path = path_in(mapping(reported.get("tool_input")))
        if hook == EDITING:
            is_edit = text(reported.get("tool_name")) in EDITORS.split("|")
            if edits is not None:
                await edits.before(tool, path if is_edit else "")
            return {}
        changed = ""
        if tool in self._changed:
            self._changed.discard(tool)
            changed = f"{CHANGED}\n{_patch(hunks_of(result)) or text(result.get('content'))}"
        after = ""
        if edits is not None:
            written = decode_write({"tool_use_result": result}, {"tool_use_id": tool})
            found = await edits.ended(tool, path, written[0].after if written else None)
            self._report([] if found is None else [FilesFound(tool, found)])
            after = await edits.after(tool, path, change_of(result))
        return _context("PostToolUse", changed, after)


def _hook(id_: str, tools: str = "") -> protocol.Frame:
    """Return the registration of a hook for some tools, or for all of them."""
    matcher = {"matcher": tools} if tools else {}
    return {**matcher, "hookCallbackIds": [id_], "timeout": HOOK_SECONDS}


def _context(event: str, *notes: str) -> protocol.Frame:
    """Return the answer to a hook that adds notes to the model's context."""
    context = "\n\n".join(filter(None, notes))
    output = {"hookEventName": event, "additionalContext": context}
    return {"hookSpecificOutput": output} if context else {}


def _patch(hunks: Iterable[DiffHunk]) -> str:
    """Return a change as a unified diff, cut to `LONGEST_PATCH` characters."""
    patch = "\n".join(map(str, hunks))
    return patch if len(patch) <= LONGEST_PATCH else f"{patch[:LONGEST_PATCH]}\n[…]"


NO_CONVERSATION = "No conversation found"

UNKNOWN_OPTION = "unknown option"
"""The CLI's message on stderr, followed by the option, when it does not know one of ours."""

UNTRUSTED = "has not been trusted"
"""2.1.197 writes this to stderr, and nowhere else, when it ignores a folder's permission rules."""

ABOUT_FILES = ", or set "
"""From here on, that warning is about the CLI's own files, which does not concern the user."""


class UnknownOptionError(AgentError):
    """The CLI does not know an option that is not essential."""


class CliConnection(base.AgentConnection):
    """A CLI from its start to its end."""

    def __init__(
        self,
        child: Child,
        traffic: AgentTraffic,
        events: EventQueue,
        servers: Mapping[str, McpServer],
        edits: Edits | None,
        *,
        follows_folder: bool = True,
    ) -> None:
        self.decoder = FrameDecoder()
        self.controls = Controls(self.send)
        self.callbacks = Callbacks(self.send, servers, edits, self.controls, self.report)
        self.pending: dict[str, protocol.Frame] = {}
        """The CLI's requests that wait for the user, by their ids."""
        self.checks_modes = True
        """Whether the CLI refuses unknown modes; 2.1.197 accepts any name, and reports no mode."""
        self.offers_remote = True
        """Whether the CLI may grant remote control; 2.1.197 does not say that it cannot."""
        self._warned: set[str] = set()
        self._follows_folder = follows_folder
        super().__init__(child, traffic, events)

    async def initialize(self, launch: protocol.CliLaunch, opening: Opening) -> Ready:
        """Wait until the CLI answers; report and return what it offers.

        Raises `UnknownSessionError`; `UnknownOptionError` if the CLI should be started without the
        option; `AgentError` with its last error output if it ended.
        """
        fields = self.callbacks.fields() | WANTED
        try:
            answer = await self.controls.request("initialize", **fields)
        except UnsupportedError:
            answer = {}
        except TransportClosed:
            # A CLI that cannot continue ends without an answer.
            await self._reading
            raise self._early_end() from None
        except BaseException:
            self.kill()
            raise
        self.callbacks.announce_tools()
        settings = self.decoder.settings
        settings.models = model_ids(answer)
        if isinstance(opening, NewSession) or not opening.fork:
            self.report(settings.set_session(opening.id))
        commands = self.decoder.commands.offered(answer)
        ready = offered(answer, commands, bypasses=launch.allows_bypass)
        self.report([ready, *self.decoder.flags.offer(answer)])
        self.offers_remote = answer.get("remote_control_available") is not False
        self.checks_modes = "current_permission_mode" in answer
        mode = text(answer.get("current_permission_mode")) or await self._first_mode(launch)
        if not settings.mode:
            self.report(settings.set_mode(mode))
        if turn.LIMITS_CAPABILITY in strings(answer.get("capabilities")):
            self.callbacks.run("limits", self._ask_limits())
        return ready

    async def _ask_limits(self) -> None:
        """Report the limits of the user's plan, which otherwise only a turn tells."""
        try:
            answer = await self.controls.request(turn.LIMITS_REQUEST, **turn.LIMITS_FIELDS)
        except (AgentError, TransportClosed) as error:
            logger.info("the CLI does not tell the limits: %s", error)
        else:
            self.report([LimitsTold(turn.limits_of_usage(answer))])

    async def _first_mode(self, launch: protocol.CliLaunch) -> str:
        """Infer the mode from options and settings, since an old CLI does not report it."""
        if launch.mode:
            return launch.first_mode("")
        try:
            usual = usual_mode(await self.controls.request("get_settings"))
        except (AgentError, TransportClosed):
            return ""
        return launch.first_mode(usual)

    async def send(self, frame: protocol.Frame) -> None:
        """Send a frame to the CLI."""
        self._traffic.note(TO, frame)
        await self._child.send(protocol.encode_line(frame))

    def report(self, events: Iterable[Event]) -> None:
        """Emit events of our own making, or decoded ones."""
        for event in events:
            self._events.put(event)

    @property
    def _lacks_hook_events(self) -> bool:
        """Whether the CLI has refused to start with the option that reports hooks."""
        return f"{UNKNOWN_OPTION} '{protocol.HOOK_EVENTS}'" in self._child.stderr

    async def _handle_line(self, line: bytes) -> bool:
        frame = protocol.decode_line(line)
        try:
            if frame is not None:
                self._handle(frame)
        except Exception:
            # The frames after it may still be valid.
            logger.exception("a frame could not be handled: %.200r", line)
        return False

    async def _close(self) -> None:
        self.pending.clear()
        self.controls.close()
        await self.callbacks.close()

    async def _ended(self, code: int) -> None:
        if not self._lacks_hook_events:
            self._events.put(Dead(code, self._child.stderr, self.decoder.settings.session))

    def _handle(self, frame: protocol.Frame) -> None:
        self._traffic.note(FROM, frame)
        if not self._follows_folder:
            frame = permission.for_session(frame)
        events = self.decoder.decode(frame)
        match text(frame.get("type")):
            case "control_response":
                self.controls.resolve(frame)
            case "control_request" if not events:
                self.callbacks.accept(frame)
            case "control_request":
                self._warn()
                for event in events:
                    assert isinstance(event, Asked)
                    self.pending[event.request] = mapping(frame.get("request"))
            case "result":
                self._warn()
            case "control_cancel_request":
                self.callbacks.cancel(text(frame.get("request_id")))
                self.pending.pop(text(frame.get("request_id")), None)
        self.report(events)

    def _warn(self) -> None:
        """Report the lines of stderr that the user needs during a turn, each once."""
        for line in self._child.stderr.splitlines():
            if UNTRUSTED in line and line not in self._warned:
                self._warned.add(line)
                self._events.put(Notice(line.partition(ABOUT_FILES)[0], "warning"))

    def _early_end(self) -> AgentError:
        if self._lacks_hook_events:
            return UnknownOptionError(protocol.HOOK_EVENTS)
        stderr = self._child.stderr.strip()
        if NO_CONVERSATION in stderr:
            return UnknownSessionError(stderr.splitlines()[-1])
        last = stderr.splitlines()[-1] if stderr else f"exit code {self._child.code}"
        if UNKNOWN_OPTION in stderr:
            complaint = last.removeprefix("error: ")
            last = f"this version is too old: {complaint}; update it"
        return AgentError(f"Claude Code could not start: {last}")
