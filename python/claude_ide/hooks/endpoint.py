"""Where CLIs in terminals report what they do: a Unix socket that only the user can reach.

Whoever answers a report can allow the CLI to use a tool. Links lead the CLIs to the socket
(`links.py`), also those that an earlier host or another editor has started.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import PermissionPressed
from claude_ide.editor.port.terminals import TmuxPane
from claude_ide.hooks import listener, panes, registration, report, status_line
from claude_ide.hooks.links import Links
from claude_ide.mcp.reading import Readings
from claude_ide.trust.trust import Trust

if TYPE_CHECKING:
    import socket

    from claude_ide.hooks.changes import Changes
    from claude_ide.hooks.panes import Pane
    from claude_ide.hooks.sessions import Sessions


logger = logging.getLogger(__name__)


class Launch(NamedTuple):
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
        run: Callable[[Awaitable[Any]], object],
        trust: Trust,
        readings: Readings | None = None,
    ) -> None:
        self._editor = editor
        self._is_on = config.hooks
        self._size = config.terminal.size
        self._links = links
        self._pid = pid
        self._run = run
        self._trust = trust
        self._readings = readings or Readings()
        self._opening = asyncio.Lock()
        self._finding = asyncio.Lock()
        self._is_open = False
        self._listener: listener.Listener | None = None
        self._sessions: Sessions | None = None
        self._last_words: tuple[str, ...] = ()

    async def for_a_terminal(self, words: Sequence[str]) -> Launch:
        """Return what the CLI with this command line gets; nothing, after a message, on failure."""
        self._last_words = tuple(words)
        folder = await self._editor.port.buffers.folder()
        if not await asyncio.to_thread(self._obstacle, words):
            try:
                return await self._launch(words, folder)
            except OSError as error:
                logger.exception("no hooks")
                reason = error.strerror or error
                self._editor.notify(f"this CLI cannot report what it does: {reason}", "warn")
        return Launch([], {}, "", panes.mark(self._pid, None, folder))

    async def _launch(self, words: Sequence[str], folder: str) -> Launch:
        """Return the same, of a CLI that starts in a folder. Raises `OSError`."""
        id_ = secrets.token_hex(4)
        link = self._links.path(id_)
        own, version, _ = await asyncio.gather(
            asyncio.to_thread(status_line.own, words, folder, self._trust),
            asyncio.to_thread(registration.version, words[0], os.environ.get("PATH", "")),
            self.serve(link),
        )
        self._readings.of(id_, folder)
        options = registration.options(link, status_line.setting(link, own, version))
        mark = panes.mark(self._pid, link, folder)
        return Launch(options, status_line.environment(own), id_, mark)

    async def serve(self, link: Path) -> None:
        """Have the CLI with this link report to us, whoever has started it. Raises `OSError`."""
        await self.open()
        await asyncio.to_thread(self._links.serve, link)

    def obstacle_to_panes(self, environment: Mapping[str, str]) -> str:
        """Return why no pane of tmux can be opened; an empty string if one can."""
        return panes.refusal(environment)

    async def open_pane(
        self, launch: Launch, command: Sequence[str], environment: Mapping[str, str], name: str
    ) -> None:
        """Run a command in a pane of tmux, which gets a name, or a number if that is empty.

        `environment` is that of the editor, and what is added to it. Raises `UserError`.
        """
        folder = await self._editor.port.buffers.folder()
        opening = (command, environment, folder, self._size, launch.mark)
        id_, pid = await asyncio.to_thread(panes.open_pane, *opening)
        opened = TmuxPane(id_, pid, launch.id, self._size, name)
        await self._editor.terminals.adopt(opened)

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
                bound = await asyncio.to_thread(listener.bind, self._links.socket)
                self._is_open = True
                # The user waits for the CLI, which sends its first hook much later.
                self._run(self._listen(bound))

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        self._links.remove(launch)
        if self._sessions is not None:
            self._sessions.terminal_ended(launch)

    async def answer(self) -> bool:
        """Move the user to the permissions that wait for them; return False if there are none."""
        return self._sessions is not None and await self._sessions.permissions.enter()

    async def press(self, event: PermissionPressed) -> None:
        """Handle a key of the float with the permissions."""
        if self._sessions is not None:
            press = self._sessions.permissions.press
            await press(event.id, event.key, event.kind, event.reason)

    async def changed(self) -> "list[Changes]":
        """Return the sessions that have changed a file, the last active one first."""
        return await self._sessions.changes.found() if self._sessions is not None else []

    async def close(self) -> None:
        """Stop to listen."""
        if self._listener is not None:
            await self._listener.stop()

    async def _listen(self, bound: "socket.socket") -> None:
        from claude_ide.hooks.sessions import Sessions

        self._sessions = Sessions(self._editor, self._run, self._readings)
        self._listener = listener.Listener(bound, self._answer)
        await self._listener.start()

    async def _answer(self, launch: str, kind: str, body: bytes) -> bytes:
        assert self._sessions is not None
        if kind == report.STATUS:
            self._sessions.activities.report(launch, body)
            return b""
        return await self._sessions.answer(launch, body)

    def _obstacle(self, words: Sequence[str]) -> str:
        if not self._is_on:
            return "the option `hooks` is off"
        if not self._links.socket:
            return "this system has no Unix sockets"
        return registration.obstacle(words, os.environ.get("PATH", ""))
