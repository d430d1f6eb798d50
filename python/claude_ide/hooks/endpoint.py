"""Where CLIs in terminals report: what each is started with, then the socket for `report.py`."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from claude_ide.agents.stream_json.protocol import given_words, terminal_options
from claude_ide.base import program
from claude_ide.base.names import VIM, editor_name
from claude_ide.base.trust import Trust
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.port.events import PermissionPressed
from claude_ide.editor.port.terminals import TmuxPane
from claude_ide.hooks import Links, panes, registration, report
from claude_ide.hooks.report import ANSWERED
from claude_ide.mcp.client import Readings

logger = logging.getLogger(__name__)

Handle = Callable[[str, str, bytes], Coroutine[Any, Any, bytes]]
"""Returns the answer to a report: the id of the launch, the kind, and the body.

It is cancelled if the CLI no longer waits for the answer.
"""

LARGEST_BYTES = 64_000_000
RECEIVE_SECONDS = 30.0
MOST_CONNECTIONS = 200
SHORT = "/tmp"
"""A folder with a short path, unlike `TMPDIR` on some systems."""


def bind(path: str) -> socket.socket:
    """Return a socket that listens at a path; it replaces that of an earlier host.

    Raises `OSError`.
    """
    draft = Path(path + ".new")
    draft.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX)
    try:
        with tempfile.TemporaryDirectory(dir=SHORT) as folder:
            # The path that is bound has at most about 100 bytes.
            short = Path(folder, "s")
            short.symlink_to(draft.parent)
            bound.bind(str(short / draft.name))
        # Who connects from now on waits until `start`.
        bound.listen(MOST_CONNECTIONS)
        draft.replace(path)
    except BaseException:
        bound.close()
        raise
    return bound


class ReportListener:
    """Answers the reports that arrive on a bound socket."""

    def __init__(self, bound: socket.socket, handle: Handle) -> None:
        self._bound = bound
        self._handle = handle
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start to answer."""
        self._server = await asyncio.start_unix_server(self._serve, sock=self._bound)

    async def stop(self) -> None:
        """Disconnect all clients."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        clients = [*self._clients]
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            if self._server is not None and len(self._clients) <= MOST_CONNECTIONS:
                await self._answer(reader, writer)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.CancelledError):
            pass  # It has left, or is no CLI. Python 3.11 would report a cancelled task.
        finally:
            self._clients.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one report. Raises `ValueError` or `EOFError` if it is malformed."""
        async with asyncio.timeout(RECEIVE_SECONDS):
            launch, kind, given = (await reader.readline()).decode().split()
            size = int(given)
            if not 0 <= size <= LARGEST_BYTES:
                raise ValueError(given)
            body = await reader.readexactly(size)
        loop = asyncio.get_running_loop()
        answering = loop.create_task(self._decide(launch, kind, body))
        leaving = loop.create_task(reader.read(1))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                writer.write(ANSWERED + answering.result())
                async with asyncio.timeout(RECEIVE_SECONDS):
                    await writer.drain()
        finally:
            answering.cancel()
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _decide(self, launch: str, kind: str, body: bytes) -> bytes:
        try:
            return await self._handle(launch, kind, body)
        except Exception:
            # Without an answer the hook would ask again and again, as after the end of an editor.
            logger.exception("a report could not be handled")
            return b""


if TYPE_CHECKING:
    from claude_ide.editor.port.events import Activity
    from claude_ide.hooks.panes import Pane
    from claude_ide.hooks.sessions import HookedSessions
    from claude_ide.review.service import ReviewService
    from claude_ide.ui.request import RequestView


Tools = Callable[[str], Awaitable[tuple[list[str], dict[str, str]]]]
"""Returns the options and the environment with which the CLI of a launch gets the model's tools."""

ATTACH = "attach"


class HookLaunch(NamedTuple):
    """What one CLI gets for its hooks, and the id of its terminal; all empty if it has none."""

    options: list[str]
    environment: dict[str, str]
    id: str
    mark: str
    """That of its pane, if it runs in tmux."""


class Hooks:
    """The endpoint of one editor, whose process has the id `pid`.

    `run` starts a task, and shows its errors to the user. `readings` get the files that the CLIs
    have read.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        links: Links,
        pid: int,
        run: Run,
        trust: Trust,
        review: "Callable[[], ReviewService]",
        readings: Readings,
    ) -> None:
        self._editor = editor
        self._cmd = config.cmd
        self._is_on = config.hooks
        self._terminal = config.terminal
        self._size = config.terminal.size
        self._links = links
        self._pid = pid
        self._run = run
        self._trust = trust
        self._review = review
        self._readings = readings
        self._opening = asyncio.Lock()
        self._finding = asyncio.Lock()
        self._is_open = False
        self._listener: ReportListener | None = None
        self._sessions: HookedSessions | None = None
        self._last_words: tuple[str, ...] = ()

    async def open_terminal(
        self, tools: Tools, given: Sequence[str], more: Mapping[str, Any]
    ) -> None:
        """Start a CLI with the user's arguments; `more` are fields of the editor's request."""
        terminal, environment = self._terminal, await self._editor.port.terminals.environment()
        first, *words = program.words(self._cmd)
        path = program.required(first, environment.get("PATH", ""))
        arguments = list(given_words(given))
        request = {"side": terminal.side, "size": terminal.size, "keys": terminal.keys, **more}
        problem = _not_there(terminal.side, environment)
        if problem:
            request["note"] = f"{problem}, so Claude opens in a split"
        if arguments[:1] == [ATTACH]:
            # The options of a session in the background are those with which it was begun.
            attached = " ".join(arguments[1:])
            if not self._editor.terminals.has_attached:
                self._editor.terminals.has_attached = True
                request.setdefault("note", f"/ide connects it to {editor_name()}")
            command = [path, *words, ATTACH, *filter(None, [attached])]
            opened = {"cmd": command, "env": {}, "attached": attached, **request}
            await self._editor.port.terminals.start(opened)
            return
        named = (*words, *arguments)
        options = await asyncio.to_thread(terminal_options, os.environ, named, terminal.mode)
        name, programs = str(more.get("name", "")), os.environ.get("PATH", "")
        options += await asyncio.to_thread(registration.naming, name, (first, *named), programs)
        launch = await self.for_a_terminal((first, *named))
        for_tools, variables = await tools(launch.id)
        variables |= launch.environment
        command = [path, *words, *options, *for_tools, *launch.options, *arguments]
        if terminal.side == "tmux" and not problem:
            await self._open_pane(launch, command, environment | variables, name)
            return
        opened = {"cmd": command, "env": variables, "launch": launch.id, **request}
        await self._editor.port.terminals.start(opened)

    async def for_a_terminal(
        self, words: Sequence[str], *, has_environment: bool = True
    ) -> HookLaunch:
        """Return what the CLI with this command line gets; nothing, after a message, on failure.

        One in the background has the environment of the CLI's service, in place of ours.
        """
        self._last_words = tuple(words)
        folder = await self._editor.port.buffers.folder()
        if not await asyncio.to_thread(self._obstacle, words):
            try:
                return await self._launch(words, folder, has_environment)
            except OSError as error:
                logger.exception("no hooks")
                reason = error.strerror or error
                self._editor.notify(f"this CLI cannot report what it does: {reason}", "warn")
        return HookLaunch([], {}, "", panes.mark(self._pid, None, folder))

    async def _launch(self, words: Sequence[str], folder: str, has_environment: bool) -> HookLaunch:
        """Return the same, of a CLI that starts in a folder. Raises `OSError`."""
        id_ = secrets.token_hex(4)
        link = self._links.path(id_)
        own, _ = await asyncio.gather(
            asyncio.to_thread(registration.own_status_line, words, folder, self._trust),
            self.serve(link),
        )
        self._readings.of(id_, folder)
        # The user's own command comes with the environment.
        own = own if has_environment or not own else None
        status_line = registration.status_line(link, own, has_row=self._terminal.status_line)
        options = registration.options(link, status_line)
        mark = panes.mark(self._pid, link, folder)
        return HookLaunch(options, registration.status_line_environment(own), id_, mark)

    async def serve(self, link: Path) -> None:
        """Have the CLI with this link report to us, whoever has started it. Raises `OSError`."""
        await self.open()
        await asyncio.to_thread(self._links.serve, link)

    async def adopt(self, link: Path) -> None:
        """Have the CLI with this link report to us, unless it does to an editor that is alive."""
        is_served = await asyncio.to_thread(self._links.is_served, link)
        if self._is_on and self._links.socket and not is_served:
            await self.serve(link)

    async def _open_pane(
        self, launch: HookLaunch, command: Sequence[str], environment: Mapping[str, str], name: str
    ) -> None:
        """Run a command in a pane of tmux, which gets a name, or a number if that is empty.

        `environment` is that of the editor, and what is added to it. Raises `UserError`.
        """
        folder = await self._editor.port.buffers.folder()
        opening = (command, environment, folder, self._size, launch.mark)
        id_, pid = await asyncio.to_thread(panes.open_pane, *opening)
        opened = TmuxPane(id_, pid, launch.id, self._size, name)
        await self._editor.terminals.adopt(opened)

    async def show_pane(self, pane: str) -> None:
        """Bring a pane of tmux beside the editor, and go there. Raises `UserError`."""
        environment = await self._editor.port.terminals.environment()
        await asyncio.to_thread(panes.show, environment, pane, self._size)

    async def hide_pane(self, pane: str) -> bool:
        """Hide a pane of tmux; return False if it was hidden. Raises `UserError`."""
        environment = await self._editor.port.terminals.environment()
        return await asyncio.to_thread(panes.hide, environment, pane)

    async def find_panes(self) -> None:
        """Take over the CLIs of this project that an earlier editor has left in panes of tmux."""
        async with self._finding:
            folder = await self._editor.port.buffers.folder()
            for pane in await asyncio.to_thread(panes.left, folder):
                await self._take_over(pane)

    async def _take_over(self, pane: "Pane") -> None:
        link = pane.mark.link if self._is_on and self._links.socket else ""
        if link:
            await self.serve(Path(link))
        mark = panes.encoded(msgspec.structs.replace(pane.mark, editor=self._pid))
        await asyncio.to_thread(panes.set_mark, os.environ, pane.id, mark)
        left = TmuxPane(pane.id, pane.pid, Path(link).name, self._size, is_found=True)
        await self._editor.terminals.adopt(left)
        # Beside the pane the screen may be narrow.
        self._editor.notify(f"Claude found: type /ide in pane {pane.id}")

    def state(self, words: Sequence[str]) -> str:
        """Return whether the last CLI, or else one with this command line, reports what it does."""
        obstacle = self._obstacle(self._last_words or words)
        return (
            f"none, because {obstacle}" if obstacle else "the CLI of :Claude reports what it does"
        )

    async def open(self) -> None:
        """Listen, unless we do. Raises `OSError`."""
        async with self._opening:
            if not self._is_open:
                await asyncio.to_thread(self._links.prepare)
                bound = await asyncio.to_thread(bind, self._links.socket)
                self._is_open = True
                # The user waits for the CLI, which sends its first hook much later.
                self._run(self._listen(bound))

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        self._links.remove(launch)
        if self._sessions is not None:
            self._sessions.terminal_ended(launch)

    def session_of(self, launch: str) -> str:
        """Return the session of a terminal; empty if it has reported none."""
        return self._sessions.of(launch) if self._sessions is not None else ""

    async def answer(self) -> bool:
        """Move the user to the permissions that wait for them; return False if there are none."""
        return self._sessions is not None and await self._sessions.permissions.enter()

    async def names_changed(self) -> None:
        """Name the CLIs that wait for a permission as they are called now."""
        if self._sessions is not None:
            await self._sessions.permissions.draw()

    def permission(self, launch: str) -> "RequestView | None":
        """Return the permission for which the CLI in a terminal asks, if it is answered here."""
        return self._sessions.permissions.of(launch) if self._sessions else None

    async def answer_permission(self, asked: "RequestView", key: str) -> None:
        """Answer a permission with a key of its float, all of which the user has seen."""
        if self._sessions is not None:
            await self._sessions.permissions.press(asked.part.id, key, asked.kind)

    def activity(self, launch: str) -> "Activity | None":
        """Return what the CLI in a terminal does and costs, as far as it has reported it."""
        return self._sessions.activities.of(launch) if self._sessions else None

    async def press(self, event: PermissionPressed) -> None:
        """Handle a key of the float with the permissions."""
        if self._sessions is not None:
            press = self._sessions.permissions.press
            await press(event.id, event.key, event.kind, event.reason)

    async def close(self) -> None:
        """Stop to listen."""
        if self._listener is not None:
            await self._listener.stop()

    async def _listen(self, bound: socket.socket) -> None:
        from claude_ide.hooks.sessions import HookedSessions

        self._sessions = HookedSessions(self._editor, self._run, self._review(), self._readings)
        self._listener = ReportListener(bound, self._answer)
        await self._listener.start()

    async def _answer(self, launch: str, kind: str, body: bytes) -> bytes:
        assert self._sessions is not None
        if kind in (report.STATUS, report.ROW):
            row = self._sessions.activities.report(launch, body)
            return row.encode(errors="replace") if kind == report.ROW else b""
        return await self._sessions.answer(launch, body)

    def _obstacle(self, words: Sequence[str]) -> str:
        if not self._is_on:
            return "the option `hooks` is off"
        if not self._links.socket:
            return "this system has no Unix sockets"
        return registration.obstacle(words, os.environ.get("PATH", ""))


def _not_there(side: str, environment: Mapping[str, str]) -> str:
    """Return why a CLI cannot open at a side; an empty string if it can."""
    if side == "float" and editor_name() == VIM:
        return "a terminal in a popup cannot be left"
    return panes.refusal(environment) if side == "tmux" else ""
