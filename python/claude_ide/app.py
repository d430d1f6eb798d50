"""The composition root: starts and stops the server, owns every task.

This is where an error in a command becomes one line for the user.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from claude_ide import config, startup
from claude_ide.base.errors import ClaudeIdeError, UserError
from claude_ide.base.log import log_to
from claude_ide.base.paths import nearest_folder
from claude_ide.base.redaction import conceal
from claude_ide.editor.diffs import words_on_edit
from claude_ide.editor.disk import DiskReport, DiskWatch
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import events
from claude_ide.editor.port import prompts as one_off
from claude_ide.editor.port.binding import Channel, handles
from claude_ide.editor.port.panel import ChatEvent
from claude_ide.hooks import Links
from claude_ide.mcp.agent_endpoint import Toolbox
from claude_ide.mcp.client import Client, Readings
from claude_ide.mcp.ide import Ide
from claude_ide.mcp.lock_file import LockFile
from claude_ide.mcp.registration import LAUNCH, TOKEN
from claude_ide.review.events import ReviewEvents
from claude_ide.startup import Bound
from claude_ide.transport.admission import PATHS, TOOLS_PATH
from claude_ide.transport.websocket import CLOSE_SECONDS, Connection, Listener, SocketEndpoint

if TYPE_CHECKING:
    from claude_ide.agents.kinds import Kinds
    from claude_ide.base.trust import Trust
    from claude_ide.chat.chats import Chats
    from claude_ide.chat.prompt_buffers import PromptBuffers
    from claude_ide.headless.questions import Questions
    from claude_ide.hooks.endpoint import Hooks
    from claude_ide.jupyter.kernels import Kernels
    from claude_ide.mcp.tool import Toolset
    from claude_ide.mcp.user_tools import UserTools
    from claude_ide.review.merging import BaseContent, Merging
    from claude_ide.review.service import ReviewService
    from claude_ide.sessions.here import SessionsHere
    from claude_ide.tool_list import ToolList
    from claude_ide.wire_view import WireView

logger = logging.getLogger(__name__)

HOOKS = "hooks"
"""Our folder with the links of the CLIs in terminals."""

END_SECONDS = 1.5
"""Neovim kills a host that is still running 2 s after its stdin was closed (measured)."""
END_SETTLE_SECONDS = 0.5
END_CLOSE_SECONDS = 0.1
"""The user waits for this when they leave Neovim: a suspended client never closes its side."""
STOP_SETTLE_SECONDS = 3.0
"""How long answers may take until the clients are disconnected. On a busy machine the rejection of
an open diff may take more than half a second, and would be lost."""
SESSIONS_SECONDS = 0.5
"""The first answers come before the watch of sessions, whose modules take their time."""
LOCAL = ("127.0.0.1", "::1", "localhost")


class RunningServer(msgspec.Struct, eq=False):
    """A running server: its address, its announcement, its listener."""

    bound: Bound
    listener: Listener
    unwritten: str = ""
    """Why the lock file does not name the current folders; empty if it does."""


class App:
    """The claude-ide of one Neovim. The remote plugin creates it for the first command."""

    running: ClassVar["App | None"] = None

    def __init__(self, loop: asyncio.AbstractEventLoop, channel: Channel) -> None:
        assert startup.options is not None
        App.running = self
        self._loop = loop
        # The token of an earlier host is only valid for the port that is already bound.
        options = startup.options._replace(token="")
        decoded, self.complaints = config.decode(options.config)
        log_to(Path(options.log), decoded.log_level)
        self._loop.set_exception_handler(_log_unhandled)
        self._channel = channel
        given = options.config if isinstance(options.config, dict) else {}
        shown = decoded.limits.show_above, decoded.attention or None
        editor = Editor(channel, options.folders, given.get("privacy"), *shown)
        self.editor, self.config, self.options = editor, decoded, options
        self.readings = Readings()
        """What the CLIs in terminals may read."""
        self.ide = Ide(self.editor, self.config, lambda: self.kernels)
        self.toolbox = Toolbox(lambda: self.tools, self._tools_client)
        self.serving: RunningServer | None = None
        self._changing = asyncio.Lock()
        self.opening_terminal = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.editor.events.register(self, self.guard)
        self._delegate()
        review = ReviewEvents(self.editor, lambda: self.review)
        self.editor.record_write = review.record
        self.editor.events.register(review, self.guard)
        review.watch(_review_home(), self.guard)
        hinted = _review_home() / "hinted"
        self._disk_report = DiskReport(self.editor.port, self.editor.events, hinted)
        changes = self.editor.file_changes
        self._disk = DiskWatch(self.editor.port, self.editor.events, self._has_agents, changes)
        self._disk.start(loop)
        changes.start(loop)
        loop.call_later(SESSIONS_SECONDS, lambda: self.sessions)
        if startup.bound is None:
            self.editor.private_files.refresh()
        if self.has_hooked_terminals:
            self.guard(self.hooks.open())
        for complaint in self.complaints:
            self.editor.notify(complaint, "warn")
        if self.options.host not in LOCAL:
            warning = f"listening on {self.options.host}: other machines can reach this server"
            self.editor.notify(warning, "warn")

    def _tools_client(self, connection: Connection) -> Client:
        reading = self.readings.of(connection.header(LAUNCH))
        return Client(self.editor, self.config, reading=reading)

    def _has_agents(self) -> bool:
        return bool(self.ide.clients) or self.begun("chats")

    def guard(self, work: Awaitable[Any]) -> "asyncio.Task[None]":
        """Await `work` in a new task; an error becomes one line for the user."""

        async def guarded() -> None:
            try:
                self._leave_removed_folder()
                await work
            except ClaudeIdeError as error:
                self.editor.notify(str(error), "error")
            except OSError as error:
                logger.exception("a command failed")
                self.editor.notify(f"{error.strerror or error}; see :ClaudeLog", "error")
            except Exception as error:
                logger.exception("a command failed")
                self.editor.notify(f"{type(error).__name__}; see :ClaudeLog", "error")

        task = self._loop.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _leave_removed_folder(self) -> None:
        """Go on in a folder that is there: the worktree we were started in may have been removed.

        Paths of an editor that stays there begin at ours.
        """
        try:
            Path.cwd()
        except FileNotFoundError:
            os.chdir(nearest_folder("".join(self.options.folders[:1])))

    async def start(self) -> bool:
        """Start to serve, on the previous port if it is free; False if already serving."""
        async with self._changing:
            if self.serving is not None:
                return False
            bound = startup.claim_bound() or await self._bind()
            listener = Listener(bound.socket, *self._endpoints(bound.lock.authToken))
            try:
                await listener.start()
                self.serving = RunningServer(bound, listener)
                bound.hold(self.options.hold)
                await self.editor.listening(bound.port, *bound.announced)
            except BaseException:
                self.serving = None
                bound.lock.remove()
                await listener.stop()
                bound.socket.close()
                # Neovim may know the server already, or only its port.
                with contextlib.suppress(ClaudeIdeError):
                    await self.editor.stopped()
                raise
            self.options = self.options._replace(port=bound.port)
            logger.info("listening on %s:%d", self.options.host, bound.port)
            self.guard(self.find_panes())
            return True

    async def find_panes(self) -> None:
        """Take over the CLIs of this project that an earlier editor has left in panes of tmux."""
        if self.config.terminal.side == "tmux":
            await self.hooks.find_panes()

    async def stop(self) -> bool:
        """Reject open diffs, close the clients, remove the lock; False if it was not serving."""
        async with self._changing:
            if self.serving is None:
                return False
            await self._stop_serving(STOP_SETTLE_SECONDS, CLOSE_SECONDS)
            await self.editor.stopped()
            return True

    def end(self) -> None:
        """Shut down cleanly, after the loop of Neovim's channel has stopped."""
        # Imported here, because only children need it and the start does not.
        from claude_ide.transport.process import guardian

        if self.begun("kernels"):
            self.kernels.end()
        guardian.end_all()
        self._disk.stop()
        self.editor.file_changes.stop()
        if self.begun("sessions"):
            self.sessions.stop()
        self._channel.close()
        if self.serving is None:
            return
        # This comes first: a CLI that starts now must not find this server.
        self.serving.bound.lock.remove()
        stopping = self._stop_serving(END_SETTLE_SECONDS, END_CLOSE_SECONDS)
        ending = self._loop.create_task(asyncio.wait_for(stopping, END_SECONDS))
        while not ending.done():
            try:
                self._loop.run_until_complete(ending)
            except RuntimeError as error:
                # On `:qa` the end of the channel stops the loop a second time, in here.
                logger.info("ending again: %s", error)
            except Exception:
                logger.exception("the end was not in order")

    async def tools_for_a_terminal(self, launch: str = "") -> tuple[list[str], dict[str, str]]:
        """Return the options and the environment with which a CLI gets the model's tools.

        `launch` is the id of its terminal.
        """
        if self.serving is None or not self.config.tools.enabled:
            return [], {}
        from claude_ide.mcp import registration

        bound = self.serving.bound
        await self.tools.complete()
        options = registration.options(self.options.host, bound.port, self.allowed, launch)
        return options, {TOKEN: bound.lock.authToken}

    async def open_terminal(
        self, given: Sequence[str], more: Mapping[str, Any] | None = None
    ) -> None:
        """Start a CLI with the user's arguments; `more` are fields of the editor's request."""
        from claude_ide.sessions.worktree import check_branch, given_to

        if given[:1] == ["attach"]:
            given = self.sessions.by_id(given)
            more = {**(more or {}), "shows": self.sessions.launch_of(" ".join(given[1:]))}
        if name := given_to(given):
            folder = Path(await self.editor.port.buffers.folder())
            await check_branch(name, folder, runs_hooks=self.trust.is_trusted(folder))
        await self.hooks.open_terminal(self.tools_for_a_terminal, given, more or {})

    @property
    def address(self) -> str:
        """The address of the server, as `host:port`."""
        assert self.serving is not None
        return f"{self.options.host}:{self.serving.bound.port}"

    async def _bind(self) -> Bound:
        folders = tuple(await self.editor.port.buffers.folders())
        try:
            return startup.bind(self.options, folders)
        except startup.CannotServe as reason:
            raise UserError(str(reason)) from None

    def _endpoints(self, token: str) -> tuple[SocketEndpoint, ...]:
        conceal(token)
        return (
            SocketEndpoint(PATHS, token, self.ide.serve),
            SocketEndpoint((TOOLS_PATH,), token, self.toolbox.serve),
        )

    async def _stop_serving(self, drain_seconds: float, close_seconds: float) -> None:
        assert self.serving is not None
        serving, self.serving = self.serving, None
        serving.bound.lock.remove()
        await asyncio.gather(self.ide.drain(drain_seconds), self.toolbox.drain(drain_seconds))
        await serving.listener.stop(close_seconds)

    def _announce(self, serving: RunningServer, lock: LockFile) -> None:
        """Rewrite the lock file; if that fails, the next change tries again."""
        try:
            lock.write()
        except OSError as error:
            reason = startup.unwritten(lock, error)
            if reason != serving.unwritten:
                self.editor.notify(reason, "warn")
            serving.unwritten = reason
        else:
            serving.unwritten = ""
            serving.bound = serving.bound._replace(lock=lock)

    # The services, which are built on their first use: it imports what they need.

    def begun(self, part: str) -> bool:
        """Whether the part of this name, such as "chats", has been used."""
        return part in self.__dict__

    @cached_property
    def hooks(self) -> "Hooks":
        """Where CLIs in terminals send their hooks; the first use imports what it needs."""
        from claude_ide.hooks.endpoint import Hooks

        links = Links(self._state_folder / HOOKS, self.options.hooks)
        given = self.editor, self.config, links, self.options.pid, self.guard, self.trust
        return Hooks(*given, lambda: self.review, self.readings)

    @property
    def has_hooked_terminals(self) -> bool:
        """Whether CLIs report to this editor, because an earlier host has let them."""
        return Links(self._state_folder / HOOKS, self.options.hooks).is_used

    @cached_property
    def sessions(self) -> "SessionsHere":
        """All sessions, which are watched from the first use on."""
        from claude_ide.sessions.here import SessionsHere

        sessions = SessionsHere(self)
        sessions.start(self._loop)
        return sessions

    @cached_property
    def chats(self) -> "Chats":
        """The chats; the first use imports what they need."""
        from claude_ide.chat.chats import Chats
        from claude_ide.chat.opening import Agents

        # As in `allowed`, but a chat can ask in its own request.
        def unasked() -> tuple[str, ...]:
            return (*self.reading, *self.tools.asking_in_chat)

        given = self.editor, self.config, self.trust, self.review
        chats = Chats(
            *(self.editor, self.config, self.guard, self.kinds),
            Agents(*given, lambda: self.tools, unasked),
            *(self.sessions.stored, self.sessions.shown.open, self.sessions.shown.release),
            self.sessions.worktree,
        )
        for event in (events.SelectionChanged, events.EditorsChanged):
            self.editor.events.subscribe(event, lambda _: chats.refresh_bars())
        return chats

    @cached_property
    def review(self) -> "ReviewService":
        """The review of what agents have written; the first use imports what it needs."""
        from claude_ide.review.service import ReviewService
        from claude_ide.sessions.here import RecipientsHere

        recipients = RecipientsHere(
            *(self.editor, self.ide),
            lambda: self.chats if self.begun("chats") else None,
            lambda launch: self.hooks.session_of(launch) if self.begun("hooks") else "",
        )
        review = ReviewService(self.editor, _review_home(), self.config.review, recipients)
        review.overwritten = lambda lost: self.guard(self.merging.bring_back(lost))
        return review

    @cached_property
    def merging(self) -> "Merging":
        """Merges what agents write with unsaved changes; the first use imports what it needs."""
        from claude_ide.review.merging import Merging

        given = self.editor, self.config, self._disk_report
        return Merging(*given, self._base_of, self.review.put_below)

    async def _base_of(self, event: events.FileKept) -> "BaseContent | None":
        from claude_ide.review.merging import BaseContent

        for each in [*self.review.recorders] if self.begun("review") else ():
            if base := await each.base_of(event.path, event.stamp):
                return base
        if not event.agent:
            return None
        befores = [client.baseline.before(event.path) for client in self.ide.clients]
        known = [each for each in befores if each is not None]
        return BaseContent(event.agent, known[0] if known else None)

    @property
    def tools(self) -> "Toolset":
        """The tools for models."""
        return self.collection.toolset

    @cached_property
    def collection(self) -> "UserTools":
        """The tools for models, and those of the user; the first use imports them."""
        from claude_ide.mcp.user_tools import UserTools

        return UserTools(self.editor, lambda: self.kernels)

    @cached_property
    def tool_list(self) -> "ToolList":
        """The list of these tools."""
        from claude_ide.tool_list import ToolList

        return ToolList(self.editor, self.collection, self.guard)

    @cached_property
    def wire_view(self) -> "WireView":
        """The traffic with clients and agents, as the user sees it."""
        from claude_ide.wire_view import WireView

        return WireView(self.editor, self.guard)

    @cached_property
    def kernels(self) -> "Kernels":
        """The Jupyter kernel; the first use imports what it needs."""
        from claude_ide.jupyter.kernels import Kernels

        return Kernels(self.editor, lambda: self.trust, self._state_folder)

    @cached_property
    def kinds(self) -> "Kinds":
        """The agents that the user can chat with; a bad entry is reported."""
        kinds, complaints = self.configured
        for complaint in complaints:
            self.editor.notify(complaint, "warn")
        return kinds

    @cached_property
    def configured(self) -> "tuple[Kinds, list[str]]":
        """The same, and what is wrong with the user's entries."""
        from claude_ide.agents.configured import configured

        return configured(self.config, os.environ, self._state_folder / "logins.json")

    @cached_property
    def questions(self) -> "Questions":
        """One-off requests; the first use imports what they need."""
        from claude_ide.headless.questions import Questions

        async def resume(
            chat: int, agent: str, folder: Path, store: Callable[[], Awaitable[str]]
        ) -> None:
            await self.chats.resume_in(chat, agent, folder, store)

        given = self.editor, self.config, self.trust, self._state_folder
        return Questions(*given, resume, lambda: self.kinds)

    @cached_property
    def prompt_buffers(self) -> "PromptBuffers":
        """What the editor asks while the user writes a prompt; the first use imports it."""
        from claude_ide.chat.prompt_buffers import PromptBuffers

        return PromptBuffers(self.editor)

    @cached_property
    def trust(self) -> "Trust":
        """The folders that the user trusts."""
        from claude_ide.base.trust import Trust

        def complain(what: str) -> None:
            self.editor.notify(what, "warn")

        return Trust(self._state_folder / "trust.json", os.environ, complain)

    @property
    def _state_folder(self) -> Path:
        return Path(self.options.state or Path(self.options.log).with_suffix(""))

    @property
    def allowed(self) -> tuple[str, ...]:
        """The names of the tools for which a CLI need not ask: some ask the user themselves."""
        return (*self.reading, *self.tools.asking)

    @property
    def reading(self) -> tuple[str, ...]:
        """The names of the tools that need no permission."""
        return self.tools.read_only if self.config.tools.allow_read else ()

    # Events of the editor.

    def _delegate(self) -> None:
        """Have features handle their events; the first event imports what its feature needs."""
        delegate, run = self.editor.events.delegate, self.guard
        delegate(ChatEvent, run, lambda: self.chats.handle)
        delegate(events.OwnToolsChanged, run, lambda: self.collection.update)
        delegate(events.PermissionPressed, run, lambda: self.hooks.press)
        delegate(events.FileKept, run, lambda: self.merging.follow)
        delegate(events.FilesAsked, run, lambda: self.prompt_buffers.complete)
        delegate(events.MentionsAsked, run, lambda: self.prompt_buffers.check)
        delegate(events.CommandsAsked, run, lambda: self.prompt_buffers.list_commands)
        delegate(events.ImageAsked, run, lambda: self.prompt_buffers.paste)
        delegate(events.FilesDropped, run, lambda: self.prompt_buffers.drop)
        delegate(one_off.HeadlessAsked, run, lambda: self.questions.answer)
        delegate(one_off.QuestionCancelled, run, lambda: self.questions.cancel)
        delegate(one_off.QuestionClosed, run, lambda: self.questions.forget)
        delegate(one_off.CommitAsked, run, lambda: self.questions.commit)

    @handles(events.EditorsChanged)
    def _editors_changed(self, _: events.EditorsChanged) -> None:
        """Announce the working folders if they have changed."""
        if self.serving is None:
            return
        lock = self.serving.bound.lock
        folders = tuple(self.editor.state.folders)
        if folders != lock.workspaceFolders:
            self._announce(self.serving, lock.with_folders(folders))

    @handles(events.ListPressed)
    def _list_pressed(self, pressed: events.ListPressed) -> Awaitable[None] | None:
        match pressed.name:
            case "tools":
                return self.tool_list.press(pressed.key, pressed.id)
            case "sessions":
                return self.sessions.shown.press(pressed)
        self.chats.on_list_event(pressed)
        return None

    @handles(events.SessionsAsked)
    def _sessions_asked(self, _: events.SessionsAsked) -> None:
        self.sessions.shown.wanted()

    @handles(events.QuitAsked)
    async def _quit_asked(self, asked: events.QuitAsked) -> None:
        await self.sessions.shown.quit(asked)

    @handles(events.TerminalEnded)
    def _terminal_ended(self, event: events.TerminalEnded) -> None:
        self.hooks.terminal_ended(event.launch)

    @handles(events.PaneWanted)
    def _pane_wanted(self, wanted: events.PaneWanted) -> Awaitable[None]:
        return self.hooks.show_pane(wanted.id)

    @handles(events.DiffEditsAccepted)
    def _edits_accepted(self, event: events.DiffEditsAccepted) -> Awaitable[None]:
        return self.editor.diffs.accept_edits(event.id)

    @handles(events.Commented)
    async def _commented(self, event: events.Commented) -> None:
        given = event.path, event.comments, [*self.editor.state.folders]
        await self.ide.say(await asyncio.to_thread(words_on_edit, *given))

    @handles(events.CheckAsked)
    def _check_asked(self, _: events.CheckAsked) -> Awaitable[None]:
        # Only this needs the client half of the library.
        from claude_ide import check

        bound = self.serving.bound if self.serving else None
        server = self.options, bound, self.hooks, self.complaints
        return check.report(self.editor, self.config, *server, lambda: self.configured)

    @handles(events.WireClosed)
    def _wire_closed(self, _: events.WireClosed) -> None:
        self.wire_view.closed()

    @handles(one_off.QuotationAsked)
    def _quotation_asked(self, asked: one_off.QuotationAsked) -> Awaitable[None]:
        from claude_ide.editor.contexts import quote

        return quote(self.editor, asked)

    @handles(one_off.QuestionContinued)
    async def _question_continued(self, event: one_off.QuestionContinued) -> None:
        # The chat learns the user's position through the server.
        self.guard(self.start())
        await self.questions.continue_(event)


def _review_home() -> Path:
    """Return where the reviews are, in the XDG specification's folder: one for all editors."""
    given = os.environ.get("XDG_STATE_HOME", "")
    state = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    return state / "claude_ide" / "review"


def _log_unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logger.error("%s", context["message"], exc_info=context.get("exception"))
