"""The Claude CLI as an agent: each method of the port becomes a control request or a prompt."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from claude_ide.agents import agent
from claude_ide.agents.base import BaseAgent, start_child
from claude_ide.agents.editor_services import EditorServices, Edits, McpServer
from claude_ide.agents.events import EffortChanged, Event, Ready, Stopping
from claude_ide.agents.fields import integer, mapping, mappings, read, text
from claude_ide.agents.requests import Allow, Answer, Dismiss, Reject
from claude_ide.agents.stream_json import protocol, running, settings, stored
from claude_ide.agents.stream_json.connection import CliConnection, ControlError, UnknownOptionError
from claude_ide.agents.stream_json.permission import encode_answer
from claude_ide.agents.stream_json.protocol import SETTING_SOURCES, CliLaunch, Frame, command, names
from claude_ide.base import files
from claude_ide.base.errors import (
    AgentError,
    TransportClosed,
    UnknownSessionError,
    UnsupportedError,
)
from claude_ide.base.names import known_as

INVALID_MODE = "invalid_mode"
"""The code of the error for a mode that the CLI does not know."""

INTERRUPT_SECONDS = 0.5
"""How long a turn may take to end before the CLI is stopped."""

LARGEST_OUTPUT_BYTES = 8192
"""How much of a task's output is returned; as much as by 2.1.330."""

ALWAYS = agent.Capabilities(
    images=True,
    steer=True,
    redirect=True,
    resume=True,
    stored_history=True,
    fork=True,
    branch=True,
    login=True,
    settings=True,
    change_proposal=True,
    reject_with_reason=True,
    tasks=True,
    limits=True,
)

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
    "remote_control": "remote",
    "stop_task": "stop_task",
    "background_tasks": "background",
    "mcp_status": "tool_servers",
}
"""Control requests that a version may not know, and the capability that depends on each."""

OUTPUT_KEYS = {"text": "output", "size": "total_bytes", "is_cut": "truncated"}
REWIND_KEYS = {"possible": "canRewind", "files": "filesChanged", "reason": "error"}

NAME = "Claude"


class StreamJsonAgent(BaseAgent[CliConnection]):
    """Implements `Agent`. `trusts` is asked at each start whether its folder is trusted."""

    name = NAME

    def __init__(
        self,
        launch: CliLaunch,
        *,
        servers: Mapping[str, McpServer] | None = None,
        edits: Edits | None = None,
        trusts: Callable[[Path], bool] | None = None,
    ) -> None:
        super().__init__(NAME, "Claude Code")
        self._launch = launch
        self._trusts = trusts
        self._servers = servers or {}
        self._edits = edits
        self._resumed = ""
        self._restorable: tuple[str, ...] = ()
        """The files that the last dry run of a rewind has named."""

    @property
    def capabilities(self) -> agent.Capabilities:
        unknown = set(self._connection.controls.unsupported) if self._connection else set()
        if self._connection and not self._connection.offers_remote:
            unknown.add("remote_control")
        detected = {capability: request not in unknown for request, capability in DETECTED.items()}
        return replace(ALWAYS, **detected)

    @property
    def session(self) -> str:
        # The CLI reports the id of a fork only with its first turn. If a session could not be
        # resumed, this is still its id, unless the session does not exist.
        reported = self._connection.decoder.settings.session if self._connection else ""
        return reported or self._resumed

    async def start(self, opening: agent.Opening) -> Ready:
        if self._connection is not None and self._connection.alive:
            raise AgentError("Claude Code is already running")
        if isinstance(opening, agent.NewSession) and not opening.id:
            # Otherwise the CLI would report the id only with the first turn.
            opening = agent.NewSession(str(uuid.uuid4()))
        async with self._starting:
            if self._trusts is not None:
                self._launch = replace(self._launch, trusted=self._trusts(self._launch.cwd))
            connection = self._connection = await self._spawn(opening)
        resumes = isinstance(opening, agent.ResumeSession) and not opening.fork
        self._resumed = opening.id if resumes else ""
        try:
            return await connection.initialize(self._launch, opening)
        except UnknownOptionError:
            self._launch = replace(self._launch, reports_hooks=False)
            return await self.start(opening)
        except UnknownSessionError:
            self._resumed = ""
            raise

    async def _spawn(self, opening: agent.Opening) -> CliConnection:
        launch = self._launch
        environment = await launch.child_environment()
        child = await start_child(launch.arguments_for(opening), launch.cwd, environment)
        self._events.begin()
        return CliConnection(
            child,
            self._traffic,
            self._events,
            self._servers,
            self._edits,
            follows_folder=launch.follows_folder,
        )

    async def _leave(self) -> None:
        if self.state.busy:
            with contextlib.suppress(TimeoutError, TransportClosed, AgentError):
                async with asyncio.timeout(INTERRUPT_SECONDS):
                    await self.interrupt()

    async def prompt(self, prompt: agent.Prompt) -> str:
        return await self._send_prompt(prompt)

    async def steer(self, prompt: agent.Prompt) -> str:
        return await self._send_prompt(prompt, "next")

    async def redirect(self, prompt: agent.Prompt) -> str:
        return await self._send_prompt(prompt, "now")

    async def withdraw(self, prompt: str) -> bool:
        running = self._running
        answer = await self._ask("cancel_async_message", message_uuid=prompt)
        if answer.get("cancelled") is not True:
            return False
        running.report(running.decoder.stages.withdrawn(prompt))
        return True

    async def interrupt(self) -> None:
        self._running.report([Stopping()])
        await self._ask("interrupt")

    async def answer(self, request: str, answer: Answer) -> None:
        running = self._running
        asked = running.pending.get(request)
        if asked is None:
            return
        encoded = encode_answer(asked, answer)
        del running.pending[request]
        tool = text(asked.get("tool_use_id"))
        match answer:
            case Reject() | Dismiss():
                running.decoder.denials.rejected.add(tool)
            case Allow(code=code):
                given = mapping(asked.get("input"))
                if encoded.get("updatedInput", given) != given:
                    running.callbacks.proposal_changed(tool)
                running.callbacks.allowed(text(asked.get("tool_name")), tool, encoded, code)
        await running.send(protocol.success(request, encoded))

    async def set_mode(self, mode: str) -> None:
        running = self._running
        if not running.checks_modes and not _is_known(mode):
            raise _refused(mode)
        try:
            answer = await self._ask("set_permission_mode", mode=protocol.given(mode))
        except ControlError as error:
            raise _refused(mode) if error.code == INVALID_MODE else error from None
        running.report(running.decoder.settings.set_mode(text(answer.get("mode")) or mode))

    async def set_model(self, model: str) -> None:
        # An unknown name fails only with the next turn.
        running = self._running
        answer = await self._ask("set_model", model=model)
        running.report(running.decoder.settings.set_model(text(answer.get("model")) or model))

    async def set_effort(self, effort: str) -> None:
        await self._ask("apply_flag_settings", settings={"effortLevel": effort})
        self._running.report([EffortChanged(effort)])

    async def set_thinking_tokens(self, most: int | None) -> None:
        # Models with adaptive thinking ignore it.
        await self._ask("set_max_thinking_tokens", max_thinking_tokens=most)

    async def set_setting(self, setting: str, value: str) -> str:
        # An unknown style is accepted and has no effect.
        flags = self._running.decoder.flags
        await self._ask("apply_flag_settings", settings=flags.encode(setting, value))
        self._running.report(flags.set(setting, value))
        return value

    async def context_usage(self) -> agent.ContextUsage:
        answer = await self._ask("get_context_usage", detail="summary")
        categories = tuple(
            (text(category.get("name")), integer(category.get("tokens")) or 0)
            for category in mappings(answer.get("categories"))
        )
        used, size = integer(answer.get("totalTokens")), integer(answer.get("maxTokens"))
        return agent.ContextUsage(used or 0, size or 0, categories)

    async def rename(self, title: str) -> None:
        running = self._running
        await self._ask("rename_session", title=title, source="host")
        running.report(running.decoder.settings.set_title(title))

    async def rewind(self, prompt: str, *, dry_run: bool) -> agent.Rewind:
        fields = {"dry_run": True} if dry_run else {}
        callbacks = self._running.callbacks
        answer = await self._ask("rewind_files", user_message_id=prompt, **fields)
        rewind = read(agent.Rewind, answer, REWIND_KEYS)
        if dry_run:
            self._restorable = rewind.files
        elif rewind.possible:
            # This answer does not name them.
            callbacks.files_restored(rewind.files or self._restorable)
        return rewind

    async def earlier(self, prompt: str) -> agent.Earlier:
        # 2.1.197 writes a prompt to the session's file with a delay.
        folder = self._sessions_folder
        for seconds in stored.RETRIES:
            with contextlib.suppress(stored.NotWrittenError):
                return await asyncio.to_thread(stored.earlier, folder, self.session, prompt)
            await asyncio.sleep(seconds)
        return await asyncio.to_thread(stored.earlier, folder, self.session, prompt)

    async def ask_aside(self, question: str) -> str:
        return text((await self._ask("side_question", question=question)).get("response"))

    async def turn_remote(self, *, on: bool) -> str:
        answer = await self._ask("remote_control", enabled=on)
        return text(answer.get("session_url")) or text(answer.get("connect_url"))

    async def stop_task(self, task: str) -> None:
        await self._ask("stop_task", task_id=task)

    async def task_output(self, task: str) -> agent.TaskOutput:
        path = self._running.decoder.tasks.outputs.get(task, "")
        try:
            answer = await self._ask("get_task_output", task_id=task)
            return read(agent.TaskOutput, answer, OUTPUT_KEYS, path=path)
        except UnsupportedError:
            return await asyncio.to_thread(_read_output, path)

    async def background(self, tool: str) -> bool:
        # The CLI knows a command only after 3 s.
        answer = await self._ask("background_tasks", tool_use_id=tool)
        return answer.get("backgrounded") is True

    async def tool_servers(self) -> list[agent.ToolServer]:
        return settings.tool_servers(await self._ask("mcp_status"))

    async def reconnect_server(self, name: str) -> None:
        await self._ask("mcp_reconnect", serverName=name)

    async def turn_server(self, name: str, *, on: bool) -> None:
        await self._ask("mcp_toggle", serverName=name, enabled=on)

    async def history(self, session: str) -> list[Event]:
        return await asyncio.to_thread(stored.read, self._sessions_folder, session)

    @property
    def _sessions_folder(self) -> Path:
        return stored.folder(self._launch.environment, self._launch.cwd)

    async def _ask(self, request: str, **fields: object) -> Frame:
        return await self._running.controls.request(request, **fields)

    async def _send_prompt(self, prompt: agent.Prompt, priority: str = "") -> str:
        id_, running = str(uuid.uuid4()), self._running
        running.report(running.decoder.stages.sent(id_, priority))
        try:
            await running.send(protocol.prompt(id_, prompt, priority))
        except TransportClosed:
            running.report(running.decoder.stages.withdrawn(id_))
            raise
        return id_


def _is_known(mode: str) -> bool:
    return protocol.shown(mode) in protocol.MODES


def _refused(mode: str) -> AgentError:
    if _is_known(mode):
        return AgentError(f"{mode} mode is not available here")
    return AgentError(f"no such mode: {mode}; available: {', '.join(protocol.MODES)}")


def _read_output(path: str) -> agent.TaskOutput:
    """Return the end of a task's output from its file: 2.1.197 has no request for it."""
    if not path:
        raise AgentError("this task has no output")
    try:
        with files.open_regular(Path(path)) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - LARGEST_OUTPUT_BYTES))
            end = file.read(LARGEST_OUTPUT_BYTES)
    except OSError as error:
        raise AgentError(f"the output of this task cannot be read: {error.strerror}") from None
    return agent.TaskOutput(end.decode(errors="replace"), size, size > LARGEST_OUTPUT_BYTES, path)


class Claude(agent.AgentKind):
    """Implements `AgentKind`. `cmd` is the user's command line; the CLI chooses empty values."""

    id = "claude"
    name = NAME
    keeps_sessions = True
    deletes_sessions = True
    needs_trust = False
    reports_late = False

    def __init__(
        self,
        cmd: str | Sequence[str],
        environment: Mapping[str, str],
        *,
        model: str = "",
        mode: str = "",
    ) -> None:
        self._cmd = cmd
        self.chooses_settings = not isinstance(cmd, str) and names(cmd[1:], SETTING_SOURCES)
        self._environment = environment
        self._model = model
        self._mode = mode
        self._turns = stored.FileReadings(stored.count_turns, 0)
        self._summaries = stored.FileReadings(stored.summary, None)

    def missing(self) -> str:
        try:
            command(self._cmd)
        except AgentError as error:
            return str(error)
        return ""

    def open(self, folder: Path, services: EditorServices) -> StreamJsonAgent:
        launch = CliLaunch(
            command(self._cmd),
            folder,
            self._environment,
            model=self._model,
            mode=self._mode,
            allowed_tools=tuple(known_as(tool, server) for server, tool in services.reading),
        )
        return StreamJsonAgent(
            launch, servers=services.servers, edits=services.edits, trusts=services.trusts
        )

    async def sessions(self, folder: Path) -> list[agent.SessionSummary]:
        return await asyncio.to_thread(self._list, folder)

    def _list(self, folder: Path) -> list[agent.SessionSummary]:
        processes = running.processes(self._environment)
        return stored.listed(self._sessions_folder(folder), processes, self._summaries)

    async def count_turns(self, folder: Path, session: str) -> int:
        return await asyncio.to_thread(self._turns.of, self._file(folder, session))

    async def find_passage(self, folder: Path, session: str, words: Sequence[str]) -> str:
        return await asyncio.to_thread(stored.find_passage, self._file(folder, session), words)

    async def rename_session(self, folder: Path, session: str, title: str) -> None:
        path = self._file(folder, session)
        await asyncio.to_thread(stored.rename, self._environment, path, title)

    async def delete_session(self, folder: Path, session: str) -> None:
        await asyncio.to_thread(stored.delete, self._environment, self._file(folder, session))

    async def check_session(self, folder: Path, session: str) -> None:
        await asyncio.to_thread(stored.content, self._sessions_folder(folder), session)

    def logins(self) -> list[agent.Login]:
        # The CLI logs in in a terminal only.
        return [agent.Login("login", "Log in", (*command(self._cmd), "/login"), stays=True)]

    def login_to_servers(self) -> list[str]:
        return [*command(self._cmd), "/mcp"]

    def _sessions_folder(self, folder: Path) -> Path:
        return stored.folder(self._environment, folder)

    def _file(self, folder: Path, session: str) -> Path:
        return stored.file_of(self._sessions_folder(folder), session)
