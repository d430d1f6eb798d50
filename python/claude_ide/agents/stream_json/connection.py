"""One running CLI: its child process, the frames in both directions, and pending requests."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping

from claude_ide.agents.agent import NewSession, Opening
from claude_ide.agents.events import (
    Asked,
    Dead,
    Event,
    Notice,
    Ready,
)
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.stream_json.announcing import Announcing
from claude_ide.agents.stream_json.callbacks import Callbacks
from claude_ide.agents.stream_json.decoding import answers, lasting
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.version import UNKNOWN_OPTION, too_old
from claude_ide.agents.stream_json.wire.control import Controls
from claude_ide.agents.stream_json.wire.frames import Frame, decode_line, encode_line
from claude_ide.agents.stream_json.wire.launch import HOOK_EVENTS, Launch
from claude_ide.agents.traffic import Traffic
from claude_ide.agents.workbench import Edits, McpServer
from claude_ide.errors import AgentError, TransportClosed, UnknownSessionError, UnsupportedError
from claude_ide.transport.lines import GRACE_SECONDS, Child

logger = logging.getLogger(__name__)

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
            frame = lasting.for_session(frame)
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
