"""The Claude CLI as an agent: each method of the port becomes a control request or a prompt."""

import asyncio
import contextlib
import signal
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

from msgspec.structs import replace

from claude_ide import own_mode
from claude_ide.agents.agent import (
    Capabilities,
    ContextUsage,
    Earlier,
    NewSession,
    Opening,
    ResumeSession,
    Rewind,
    TaskOutput,
    ToolServer,
)
from claude_ide.agents.event_queue import EventQueue
from claude_ide.agents.events import Cleared, Dead, EffortChanged, Event, Ready, Stopping, Usage
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.prompt import Allow, Answer, Dismiss, Prompt, Reject
from claude_ide.agents.session_state import SessionState
from claude_ide.agents.stream_json import history, stored, task_output
from claude_ide.agents.stream_json.connection import Connection, ControlError, UnknownOptionError
from claude_ide.agents.stream_json.decoding import answers
from claude_ide.agents.stream_json.decoding.permission import encode_answer
from claude_ide.agents.stream_json.wire import frames
from claude_ide.agents.stream_json.wire.launch import Launch
from claude_ide.agents.traffic import Traffic
from claude_ide.agents.workbench import Edits, McpServer
from claude_ide.errors import (
    AgentError,
    TransportClosed,
    UnknownSessionError,
    UnsupportedError,
)
from claude_ide.transport.process import GRACE_SECONDS


class Costs:
    """Corrects the reported costs by what killed CLIs had spent and could not store."""

    def __init__(self) -> None:
        self._reported = 0.0
        self._stored: float | None = 0.0
        """The cost with which the running CLI has begun; None if it is unknown."""
        self._lost = 0.0

    def begin(self) -> None:
        """Begin with a new session: the CLI counts from zero, and the agent goes on counting."""
        self._lost += self._reported
        self._reported = self._stored = 0.0

    def resume(self) -> None:
        """Begin with a session from before, whose cost is known only from the first report."""
        self._stored = None

    def correct(self, event: Event) -> Event:
        """Return the event, with the true cost if it has one."""
        match event:
            case Usage(cost=float() | int() as cost):
                if self._stored is None:
                    self._stored = cost
                elif cost < self._stored:
                    # This CLI has another session, which has begun at zero.
                    self._stored = self._lost = 0.0
                self._reported = cost
                return replace(event, cost=cost + self._lost)
            case Dead(code) if code == -signal.SIGKILL:
                self._lost += self._reported - (self._stored or 0.0)
                self._reported = self._stored or 0.0
            case Dead():
                self._stored = self._reported
            case Cleared():
                self._reported = self._stored = self._lost = 0.0
        return event


INVALID_MODE = "invalid_mode"
"""The code of the error for a mode that the CLI does not know."""

INTERRUPT_SECONDS = 0.5
"""How long a turn may take to end before the CLI is stopped."""

DETECTED = {
    "cancel_async_message": "withdraw",
    "set_permission_mode": "modes",
    "set_model": "models",
    "apply_flag_settings": "effort",
    "set_max_thinking_tokens": "thinking_tokens",
    "rewind_files": "rewind",
    "get_context_usage": "context_usage",
    "rename_session": "titles",
    "side_question": "side_question",
    "stop_task": "stop_task",
    "background_tasks": "background",
    "mcp_status": "tool_servers",
}
"""Control requests that a version may not know, and the capability that depends on each."""


NAME = "Claude"


class StreamJsonAgent:
    """Implements `Agent`. It can be restarted after it has ended."""

    name = NAME

    def __init__(
        self,
        launch: Launch,
        *,
        servers: Mapping[str, McpServer] | None = None,
        edits: Edits | None = None,
        trusts: Callable[[Path], bool] | None = None,
    ) -> None:
        """Prepare an agent; `trusts` is asked at each start whether its folder is trusted."""
        self._launch = launch
        self._trusts = trusts
        self._servers = servers or {}
        self._edits = edits
        self._traffic = Traffic(NAME)
        self._events = EventQueue()
        self._state = SessionState()
        self._connection: Connection | None = None
        self._starting = asyncio.Lock()
        self._resumed = ""
        self._costs = Costs()
        self._restorable: tuple[str, ...] = ()
        """The files that the last dry run of a rewind has named."""

    @property
    def capabilities(self) -> Capabilities:
        """What this CLI can do, without the requests that it has rejected."""
        unknown = self._connection.controls.unsupported if self._connection else set()
        detected = {capability: request not in unknown for request, capability in DETECTED.items()}
        return Capabilities(
            images=True,
            steer=True,
            redirect=True,
            resume=True,
            stored_history=True,
            fork=True,
            branch=True,
            login=True,
            change_proposal=True,
            reject_with_reason=True,
            tasks=True,
            **detected,
        )

    @property
    def state(self) -> SessionState:
        """The session's state."""
        return self._state

    @property
    def session(self) -> str:
        """The session's id; the CLI reports that of a fork only with its first turn.

        If a session could not be resumed, this is still its id, unless the session does not exist.
        """
        reported = self._connection.decoder.settings.session if self._connection else ""
        return reported or self._resumed

    async def start(self, opening: Opening) -> Ready:
        """Start the CLI and wait until it answers."""
        if self._connection is not None and self._connection.alive:
            raise AgentError("Claude Code is already running")
        was_running = self._connection is not None
        if isinstance(opening, NewSession) and not opening.id:
            # Otherwise the CLI would report the id only with the first turn.
            opening = NewSession(str(uuid.uuid4()))
        async with self._starting:
            if self._trusts is not None:
                self._launch = replace(self._launch, trusted=self._trusts(self._launch.cwd))
            child = await Connection.spawn(self._launch, opening)
            self._events.clear()
            self._state = self._state.spawned()
            connection = Connection(
                child,
                self._emit,
                self._events.room,
                self._servers,
                self._edits,
                self._traffic,
                follows_folder=self._launch.follows_folder,
            )
            self._connection = connection
        resumes = isinstance(opening, ResumeSession) and not opening.fork
        if isinstance(opening, NewSession):
            self._costs.begin()
        elif not was_running:
            self._costs.resume()
        self._resumed = opening.id if resumes else ""
        try:
            return await connection.initialize(self._launch, opening)
        except UnknownOptionError:
            self._launch = replace(self._launch, reports_hooks=False)
            return await self.start(opening)
        except UnknownSessionError:
            self._resumed = ""
            raise

    def events(self) -> AsyncIterator[Event]:
        """Yield every event up to `Dead`; call it again after a restart."""
        return self._events.until_dead()

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the CLI; each step (close, terminate, kill) gets `grace` seconds."""
        # While the process is being created, there is no handle to end it with.
        async with self._starting:
            connection = self._connection
        if connection is None:
            return
        if self._state.busy:
            with contextlib.suppress(TimeoutError, TransportClosed, AgentError):
                async with asyncio.timeout(INTERRUPT_SECONDS):
                    await self.interrupt()
        await connection.stop(grace)

    def kill(self) -> None:
        """End the CLI without waiting: SIGTERM first, then SIGKILL."""
        if self._connection is not None:
            self._connection.kill()

    async def prompt(self, prompt: Prompt) -> str:
        """Send a prompt, which runs after the current turn; return its id."""
        return await self._send_prompt(prompt)

    async def steer(self, prompt: Prompt) -> str:
        """Send a prompt that reaches the model with its next request; return its id."""
        return await self._send_prompt(prompt, "next")

    async def redirect(self, prompt: Prompt) -> str:
        """Send a prompt that ends the current turn and starts immediately; return its id."""
        return await self._send_prompt(prompt, "now")

    async def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that has not started; False if it was too late."""
        running = self._running
        answer = await running.controls.request("cancel_async_message", message_uuid=prompt)
        if answer.get("cancelled") is not True:
            return False
        running.report(running.decoder.stages.withdrawn(prompt))
        return True

    async def interrupt(self) -> None:
        """End the current turn."""
        self._running.report([Stopping()])
        await self._running.controls.request("interrupt")

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer a request, unless it was withdrawn or answered before."""
        running = self._running
        asked = running.pending.get(request)
        if asked is None:
            return
        encoded = encode_answer(asked, answer)
        del running.pending[request]
        tool = text(asked.get("tool_use_id"))
        if isinstance(answer, Reject | Dismiss):
            running.decoder.denials.rejected.add(tool)
        given = mapping(asked.get("input"))
        if isinstance(answer, Allow) and encoded.get("updatedInput", given) != given:
            running.callbacks.proposal_changed(tool)
        if isinstance(answer, Allow):
            name = text(asked.get("tool_name"))
            running.callbacks.allowed(name, tool, encoded, answer.code)
        await running.send(frames.success(request, encoded))

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode."""
        running = self._running
        if not running.checks_modes and not _is_known(mode):
            raise _refused(mode)
        try:
            answer = await running.controls.request(
                "set_permission_mode", mode=own_mode.given(mode)
            )
        except ControlError as error:
            raise _refused(mode) if error.code == INVALID_MODE else error from None
        running.report(running.decoder.settings.set_mode(text(answer.get("mode")) or mode))

    async def set_model(self, model: str) -> None:
        """Set the model; an unknown name fails only with the next turn."""
        running = self._running
        answer = await running.controls.request("set_model", model=model)
        running.report(running.decoder.settings.set_model(text(answer.get("model")) or model))

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort, from the next request on."""
        settings = {"effortLevel": effort}
        await self._running.controls.request("apply_flag_settings", settings=settings)
        self._running.report([EffortChanged(effort)])

    async def set_thinking_tokens(self, most: int | None) -> None:
        """Limit the tokens of thinking; models with adaptive thinking ignore it."""
        controls = self._running.controls
        await controls.request("set_max_thinking_tokens", max_thinking_tokens=most)

    async def set_setting(self, setting: str, value: str) -> None:
        """Raise `UnsupportedError`: mode, model and effort are all the CLI's settings."""
        raise UnsupportedError(f"{NAME} has no setting {setting}")

    async def context_usage(self) -> ContextUsage:
        """Return how full the context is."""
        answer = await self._running.controls.request("get_context_usage", detail="summary")
        return answers.context_usage(answer)

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        running = self._running
        await running.controls.request("rename_session", title=title, source="host")
        running.report(running.decoder.settings.set_title(title))

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        """Restore the files to their state before a prompt, or report what that would change."""
        fields = {"dry_run": True} if dry_run else {}
        running = self._running
        rewind = answers.rewind(
            await running.controls.request("rewind_files", user_message_id=prompt, **fields)
        )
        if dry_run:
            self._restorable = rewind.files
        elif rewind.possible:
            # This answer does not name them.
            running.callbacks.files_restored(rewind.files or self._restorable)
        return rewind

    async def earlier(self, prompt: str) -> Earlier:
        """Return an earlier prompt, which 2.1.197 writes to the session's file with a delay."""
        folder = self._sessions_folder
        for seconds in stored.RETRIES:
            with contextlib.suppress(stored.NotWrittenError):
                return await asyncio.to_thread(stored.earlier, folder, self.session, prompt)
            await asyncio.sleep(seconds)
        return await asyncio.to_thread(stored.earlier, folder, self.session, prompt)

    async def ask_aside(self, question: str) -> str:
        """Return the answer to a question that does not become part of the conversation."""
        answer = await self._running.controls.request("side_question", question=question)
        return text(answer.get("response"))

    async def stop_task(self, task: str) -> None:
        """Stop a task; the CLI ignores the id of one that has ended."""
        await self._running.controls.request("stop_task", task_id=task)

    async def task_output(self, task: str) -> TaskOutput:
        """Return the end of a command's output."""
        running = self._running
        path = running.decoder.tasks.outputs.get(task, "")
        try:
            answer = await running.controls.request("get_task_output", task_id=task)
        except UnsupportedError:
            return await asyncio.to_thread(task_output.read, path)
        return answers.task_output(answer, path)

    async def background(self, tool: str) -> bool:
        """Move a running tool use to the background; the CLI knows a command only after 3 s."""
        controls = self._running.controls
        answer = await controls.request("background_tasks", tool_use_id=tool)
        return answer.get("backgrounded") is True

    async def tool_servers(self) -> list[ToolServer]:
        """Return the MCP servers."""
        return answers.tool_servers(await self._running.controls.request("mcp_status"))

    async def reconnect_server(self, name: str) -> None:
        """Connect to an MCP server again."""
        await self._running.controls.request("mcp_reconnect", serverName=name)

    async def turn_server(self, name: str, *, on: bool) -> None:
        """Turn an MCP server on or off."""
        await self._running.controls.request("mcp_toggle", serverName=name, enabled=on)

    async def history(self, session: str) -> list[Event]:
        """Return a session's conversation."""
        return await asyncio.to_thread(history.read, self._sessions_folder, session)

    def log(self) -> str:
        """Return the recent frames in both directions, as `Traffic.text` formats them."""
        return self._traffic.text()

    @property
    def _sessions_folder(self) -> Path:
        return history.folder(self._launch.environment, self._launch.cwd)

    @property
    def _running(self) -> Connection:
        if self._connection is None:
            raise AgentError("Claude Code is not running")
        return self._connection

    async def _send_prompt(self, prompt: Prompt, priority: str = "") -> str:
        id_, running = str(uuid.uuid4()), self._running
        running.report(running.decoder.stages.sent(id_, priority))
        try:
            await running.send(frames.prompt(id_, prompt, priority))
        except TransportClosed:
            running.report(running.decoder.stages.withdrawn(id_))
            raise
        return id_

    def _emit(self, event: Event) -> None:
        self._state = self._state.after(event)
        self._events.put(self._costs.correct(event))


def _is_known(mode: str) -> bool:
    return own_mode.shown(mode) in own_mode.MODES


def _refused(mode: str) -> AgentError:
    if _is_known(mode):
        return AgentError(f"{mode} mode is not available here")
    return AgentError(f"no such mode: {mode}; available: {', '.join(own_mode.MODES)}")
