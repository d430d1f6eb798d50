"""One running CLI: its process, and the control requests in both directions."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.events import (
    Asked,
    Dead,
    Event,
    Hunk,
    Notice,
    Ready,
)
from claude_ide.agents.fields import mapping, mappings, text
from claude_ide.agents.stream_json.decoding import answers, permission
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.decoding.tools import change_of, hunks_of, path_in
from claude_ide.agents.stream_json.version import UNKNOWN_OPTION, too_old
from claude_ide.agents.stream_json.wire import frames
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line, encode_line
from claude_ide.agents.stream_json.wire.launch import HOOK_EVENTS, Launch
from claude_ide.agents.traffic import Traffic
from claude_ide.agents.workbench import Edits, McpServer
from claude_ide.errors import AgentError, TransportClosed, UnknownSessionError, UnsupportedError
from claude_ide.transport.process import GRACE_SECONDS, Child

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

    def __init__(self, send: Callable[[Frame], Awaitable[None]]) -> None:
        self.unsupported: set[str] = set()
        """Requests that this CLI has rejected as unknown."""
        self._send = send
        self._numbers = itertools.count(1)
        self._pending: dict[str, tuple[str, asyncio.Future[Frame]]] = {}

    async def request(self, subtype: str, **fields: Any) -> Frame:
        """Send a request to the CLI, and return its answer.

        Raises `UnsupportedError` if the CLI does not know the request, `ControlError` if it
        refuses, `TransportClosed` if it has ended.
        """
        if subtype in self.unsupported:
            raise UnsupportedError(f"this version of Claude Code does not know {subtype}")
        id_ = f"req_{next(self._numbers)}"
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._pending[id_] = (subtype, answer)
        try:
            await self._send(frames.control_request(id_, subtype, fields))
            return await answer
        finally:
            self._pending.pop(id_, None)

    def settle(self, frame: Frame) -> None:
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


logger = logging.getLogger(__name__)

LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Announcing:
    """Watches the servers until it is closed; several changes at once are announced once."""

    def __init__(self, servers: Mapping[str, McpServer], controls: Controls) -> None:
        self._controls = controls
        self._due: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unwatch: list[Callable[[], object]] = []
        self._servers = servers

    def begin(self) -> None:
        """Announce changes from now on: the CLI has started."""
        for name, server in self._servers.items():
            self._unwatch.append(server.watch(partial(self._changed, name)))

    def close(self) -> None:
        """The CLI has ended."""
        while self._unwatch:
            self._unwatch.pop()()
        for task in self._tasks:
            task.cancel()

    def _changed(self, name: str) -> None:
        if name not in self._due:
            self._due.add(name)
            task = asyncio.get_running_loop().create_task(self._announce(name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _announce(self, name: str) -> None:
        # A change during the request is another one.
        self._due.discard(name)
        try:
            await self._controls.request("mcp_message", server_name=name, message=LIST_CHANGED)
        except (AgentError, TransportClosed) as error:
            logger.info("the CLI does not learn of changed tools: %s", error)


EDITING = "editing"
EDITED = "edited"
PROMPTED = "prompted"
EDITORS = "Edit|MultiEdit|Write|NotebookEdit"
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
        send: Callable[[Frame], Awaitable[None]],
        servers: Mapping[str, McpServer],
        edits: Edits | None,
    ) -> None:
        self._send = send
        self._servers = servers
        self._edits = edits
        self._changed: set[str] = set()
        self._restored: dict[str, None] = {}
        """The files that were restored since the last prompt."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def fields(self) -> Frame:
        """Return the fields of `initialize` that register our hooks and servers."""
        hooks = {"PostToolUse": [_hook(EDITED, EDITORS)]}
        if self._edits is not None:
            hooks["PreToolUse"] = [_hook(EDITING, EDITORS)]
            hooks["PostToolUse"] = [_hook(EDITED)]
            hooks["UserPromptSubmit"] = [_hook(PROMPTED)]
        fields: Frame = {"hooks": hooks}
        return fields | {"sdkMcpServers": [*self._servers]} if self._servers else fields

    def proposal_changed(self, tool: str) -> None:
        """Record that the user changed a tool's input: the CLI does not inform the model."""
        self._changed.add(tool)

    def allowed(self, name: str, use: str, answer: Frame, code: str = "") -> None:
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

    def accept(self, frame: Frame) -> None:
        """Start to answer a `control_request`."""
        id_ = text(frame.get("request_id"))
        asked = mapping(frame.get("request"))
        task = asyncio.get_running_loop().create_task(self._answer(id_, asked))
        self._tasks[id_] = task

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.pop(id_, None)
            if not task.cancelled() and (error := task.exception()):
                logger.error("a request of the CLI failed", exc_info=error)

        task.add_done_callback(done)

    def cancel(self, request: str) -> None:
        """Cancel a request that the CLI has withdrawn."""
        if task := self._tasks.get(request):
            task.cancel()

    async def close(self) -> None:
        """Cancel all requests: the CLI has ended."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._changed.clear()

    async def _answer(self, id_: str, asked: Frame) -> None:
        answer = frames.failure(id_, "this request failed")
        try:
            match text(asked.get("subtype")):
                case "hook_callback":
                    answer = frames.success(id_, await self._hook(asked))
                case "mcp_message":
                    answer = frames.success(id_, {"mcp_response": await self._message(asked)})
                case subtype:
                    answer = frames.failure(id_, f"{subtype} is not supported")
        except asyncio.CancelledError:
            answer = {}
            raise
        finally:
            # Without an answer the CLI would wait forever.
            if answer:
                await self._reply(answer)

    async def _reply(self, answer: Frame) -> None:
        try:
            await self._send(answer)
        except TransportClosed:
            logger.info("an answer could not be sent: the CLI has ended")

    async def _message(self, asked: Frame) -> dict[str, Any]:
        message = mapping(asked.get("message"))
        server = self._servers.get(text(asked.get("server_name")))
        if server is None:
            unknown = {"code": -32601, "message": "there is no such server"}
            return {"jsonrpc": "2.0", "id": message.get("id", 0), "error": unknown}
        answer = await server(message)
        return {"jsonrpc": "2.0", "result": {}, "id": 0} if answer is None else answer

    async def _hook(self, asked: Frame) -> Frame:
        if text(asked.get("callback_id")) == PROMPTED:
            return _context("UserPromptSubmit", await self._news())
        reported = mapping(asked.get("input"))
        tool = text(reported.get("tool_use_id"))
        path = path_in(mapping(reported.get("tool_input")))
        if text(asked.get("callback_id")) == EDITING:
            if self._edits is not None and path:
                await self._edits.before(tool, path)
            return {}
        notes = await self._notes(tool, path, mapping(reported.get("tool_response")))
        return _context("PostToolUse", notes)

    async def _news(self) -> list[str]:
        """Return notes for the model on what has happened since the last turn."""
        late = await self._edits.prompted() if self._edits is not None else ""
        restored = "\n".join([RESTORED, *self._restored]) if self._restored else ""
        self._restored.clear()
        return [*filter(None, (restored, late))]

    async def _notes(self, tool: str, path: str, result: Frame) -> list[str]:
        """Return notes for the model on a file that a tool has changed."""
        notes = []
        if tool in self._changed:
            self._changed.discard(tool)
            notes.append(f"{CHANGED}\n{_patch(hunks_of(result)) or text(result.get('content'))}")
        if self._edits is not None:
            notes.append(await self._edits.after(tool, path, change_of(result)))
        return [*filter(None, notes)]


def _hook(id_: str, tools: str = "") -> Frame:
    """Return the registration of a hook for some tools, or for all of them."""
    matcher = {"matcher": tools} if tools else {}
    return {**matcher, "hookCallbackIds": [id_], "timeout": HOOK_SECONDS}


def _context(event: str, notes: list[str]) -> Frame:
    """Return the answer to a hook that adds notes to the model's context."""
    if not notes:
        return {}
    context = {"hookEventName": event, "additionalContext": "\n\n".join(notes)}
    return {"hookSpecificOutput": context}


def _patch(hunks: Iterable[Hunk]) -> str:
    """Return a change as a unified diff, cut to `LONGEST_PATCH` characters."""
    patch = "\n".join(map(str, hunks))
    return patch if len(patch) <= LONGEST_PATCH else f"{patch[:LONGEST_PATCH]}\n[…]"


FRAMES_AT_ONCE = 200
"""How many frames are decoded before other tasks run."""

EXIT_SECONDS = 2.0
"""How long a CLI that has closed its stdout may take to end."""

NO_CONVERSATION = "No conversation found"

UNTRUSTED = "has not been trusted"
"""2.1.197 writes this to stderr, and nowhere else, when it ignores a folder's permission rules."""

ABOUT_FILES = ", or set "
"""From here on, that warning is about the CLI's own files, which does not concern the user."""


class UnknownOptionError(AgentError):
    """The CLI does not know an option that is not essential."""


class Connection:
    """A CLI from its start to its end; its output is read on when `room` returns."""

    def __init__(
        self,
        child: Child,
        emit: Callable[[Event], None],
        room: Callable[[], Awaitable[None]],
        servers: Mapping[str, McpServer],
        edits: Edits | None,
        traffic: Traffic,
        *,
        follows_folder: bool = True,
    ) -> None:
        self.decoder = Decoder()
        self.controls = Controls(self.send)
        self.callbacks = Callbacks(self.send, servers, edits)
        self._announcing = Announcing(servers, self.controls)
        self.pending: dict[str, Frame] = {}
        """The CLI's requests that wait for the user, by their ids."""
        self.checks_modes = True
        """Whether the CLI refuses unknown modes; 2.1.197 accepts any name, and reports no mode."""
        self._warned: set[str] = set()
        self._child = child
        self._emit = emit
        self._room = room
        self._traffic = traffic
        self._follows_folder = follows_folder
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._reading.add_done_callback(_log_failure)

    @staticmethod
    async def spawn(launch: Launch, opening: Opening) -> Child:
        """Start the CLI.

        Raises `AgentError` if it cannot be started.
        """
        try:
            return await Child.spawn(
                launch.arguments_for(opening),
                cwd=launch.cwd,
                environment=await launch.child_environment(),
            )
        except OSError as error:
            raise AgentError(f"{launch.command[0]} cannot be started: {error.strerror}") from None

    @property
    def alive(self) -> bool:
        """Whether the CLI is still running."""
        return not self._reading.done()

    async def initialize(self, launch: Launch, opening: Opening) -> Ready:
        """Wait until the CLI answers; report and return what it offers.

        Raises `UnknownSessionError`; `UnknownOptionError` if the CLI should be started without the
        option; `AgentError` with its last error output if it ended.
        """
        fields = self.callbacks.fields()
        try:
            answer = await self.controls.request("initialize", **fields)
        except UnsupportedError:
            answer = {}
        except TransportClosed:
            # A CLI that cannot continue ends without an answer.
            await self._reading
            raise await self._early_end(launch) from None
        except BaseException:
            self.kill()
            raise
        self._announcing.begin()
        settings = self.decoder.settings
        settings.models = answers.model_ids(answer)
        if isinstance(opening, NewSession) or not opening.fork:
            self.report(settings.set_session(opening.id))
        offered = answers.ready(answer, bypasses=launch.allows_bypass)
        ready = self.decoder.commands.ready(offered)
        self.report([ready])
        self.checks_modes = "current_permission_mode" in answer
        mode = text(answer.get("current_permission_mode")) or await self._first_mode(launch)
        if not settings.mode:
            self.report(settings.set_mode(mode))
        return ready

    async def _first_mode(self, launch: Launch) -> str:
        """Infer the mode from options and settings, since an old CLI does not report it."""
        if launch.mode:
            return launch.first_mode("")
        try:
            usual = answers.usual_mode(await self.controls.request("get_settings"))
        except (AgentError, TransportClosed):
            return ""
        return launch.first_mode(usual)

    async def send(self, frame: Frame) -> None:
        """Send a frame to the CLI."""
        self._traffic.record("in", frame)
        await self._child.send(encode_line(frame))

    def report(self, events: Iterable[Event]) -> None:
        """Emit events of our own making, or decoded ones."""
        for event in events:
            self._emit(event)

    @property
    def _lacks_hook_events(self) -> bool:
        """Whether the CLI has refused to start with the option that reports hooks."""
        return f"{UNKNOWN_OPTION} '{HOOK_EVENTS}'" in self._child.stderr

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the CLI; each step (close, terminate, kill) gets `grace` seconds."""
        await self._child.stop(grace)
        await asyncio.wait([self._reading])

    def kill(self) -> None:
        """End the CLI without waiting: SIGTERM first, then SIGKILL."""
        self._child.kill()

    async def _read(self) -> None:
        try:
            number = 0
            async for line in self._child.lines():
                frame = decode_line(line)
                if frame is not None:
                    self._handle_or_log(frame)
                number += 1
                await self._room()
                if number % FRAMES_AT_ONCE == 0:
                    await asyncio.sleep(0)
        finally:
            self.pending.clear()
            self._announcing.close()
            self.controls.close()
            await self.callbacks.close()
            code = await self._child.stop(EXIT_SECONDS)
            if self._child.stderr:
                self._traffic.record("stderr", self._child.stderr)
            if not self._lacks_hook_events:
                self._emit(Dead(code, self._child.stderr, self.decoder.settings.session))

    def _handle_or_log(self, frame: Frame) -> None:
        try:
            self._handle(frame)
        except Exception:
            # The frames after it may still be valid.
            logger.exception("a frame of type %r could not be handled", frame.get("type"))

    def _handle(self, frame: Frame) -> None:
        self._traffic.record("out", frame)
        if not self._follows_folder:
            frame = permission.for_session(frame)
        events = self.decoder.decode(frame)
        match text(frame.get("type")):
            case "control_response":
                self.controls.settle(frame)
            case "control_request" if not events:
                self.callbacks.accept(frame)
            case "control_request":
                self._warn()
                self._keep_requests(events, frame)
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
                self._emit(Notice(line.partition(ABOUT_FILES)[0], "warning"))

    def _keep_requests(self, events: list[Event], frame: Frame) -> None:
        for event in events:
            assert isinstance(event, Asked)
            self.pending[event.request] = mapping(frame.get("request"))

    async def _early_end(self, launch: Launch) -> AgentError:
        if self._lacks_hook_events:
            return UnknownOptionError(HOOK_EVENTS)
        stderr = self._child.stderr.strip()
        if NO_CONVERSATION in stderr:
            return UnknownSessionError(stderr.splitlines()[-1])
        last = stderr.splitlines()[-1] if stderr else f"exit code {self._child.code}"
        if UNKNOWN_OPTION in stderr:
            return AgentError(await too_old(launch, last))
        return AgentError(f"Claude Code could not start: {last}")


def _log_failure(reading: asyncio.Task[None]) -> None:
    if not reading.cancelled() and (error := reading.exception()):
        logger.error("the CLI's output could not be read on", exc_info=error)
