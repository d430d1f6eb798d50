"""Where CLIs in terminals send their hooks: a port on loopback, with a token of its own.

Whoever answers a hook can allow the CLI to use a tool. So the editor keeps a copy of the socket,
and no other process can listen on the port while the host is dead.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from claude_ide import startup
from claude_ide.concealed import conceal
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration, status_line
from claude_ide.mcp.lock_file import new_token
from claude_ide.trust.trust import Trust

if TYPE_CHECKING:
    from claude_ide.hooks.changes import Changes
    from claude_ide.hooks.sessions import Sessions
    from claude_ide.transport.http import HttpListener

LOOPBACK = "127.0.0.1"


class Launch(NamedTuple):
    """What one CLI gets for its hooks, and the id of its terminal; all empty if it has none."""

    options: list[str]
    environment: dict[str, str]
    id: str


class Hooks:
    """The endpoint of one editor. `held` has the token and the hold of an earlier host's port.

    `run` starts a task, and shows its errors to the user.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        held: Mapping[str, str],
        run: Callable[[Awaitable[Any]], object],
        trust: Trust,
    ) -> None:
        self._editor = editor
        self._is_on = config.hooks
        self._held = held
        self._run = run
        self._trust = trust
        self._opening = asyncio.Lock()
        self._port = 0
        self._token = ""
        self._bound: socket.socket | None = None
        self._listener: HttpListener | None = None
        self._sessions: Sessions | None = None
        self._last_words: tuple[str, ...] = ()

    async def for_a_terminal(self, words: Sequence[str]) -> Launch:
        """Return what the CLI with this command line gets. Raises `OSError` if no port is free."""
        self._last_words = tuple(words)
        if await asyncio.to_thread(self._obstacle, words):
            return Launch([], {}, "")
        port, id_ = await self.open(), secrets.token_hex(4)
        folder = await self._editor.run("file.buffers.folder")
        own, version = await asyncio.gather(
            asyncio.to_thread(status_line.own, words, folder, self._trust),
            asyncio.to_thread(registration.version, words[0], os.environ.get("PATH", "")),
        )
        line = status_line.setting(port, id_, own, version)
        options = registration.options(port, id_, line)
        return Launch(
            options, {registration.TOKEN: self._token} | status_line.environment(own), id_
        )

    def state(self, words: Sequence[str]) -> str:
        """Return whether the last CLI, or else one with this command line, reports what it does."""
        obstacle = self._obstacle(self._last_words or words)
        return (
            f"none, because {obstacle}" if obstacle else "the CLI of :Claude reports what it does"
        )

    async def open(self) -> int:
        """Return the port; an earlier host's, if the editor has it.

        Raises `OSError` if none is free.

        The kernel queues connections until there is a listener.
        """
        async with self._opening:
            if not self._port:
                token, hold = self._held.get("token", ""), self._held.get("hold", "")
                held = await asyncio.to_thread(startup.fetch, hold) if token else None
                self._bound = bound = held or socket.create_server((LOOPBACK, 0))
                self._port, self._token = bound.getsockname()[1], token if held else new_token()
                conceal(self._token)
                await self._editor.run("host.hooks_bound", self._port, self._token)
                if not held:
                    startup.hold(hold, bound)
                # The user waits for the CLI, which sends its first hook much later.
                self._run(self._listen(bound))
            return self._port

    def hold(self, path: str) -> None:
        """Send a copy of our socket to the Unix socket `path`, which Vim has just opened for it."""
        if self._bound is not None:
            startup.hold(path, self._bound)

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        if self._sessions is not None:
            self._sessions.terminal_ended(launch)

    async def answer(self) -> bool:
        """Move the user to the permissions that wait for them; return False if there are none."""
        return self._sessions is not None and await self._sessions.permissions.enter()

    async def press(self, event: Mapping[str, Any]) -> None:
        """Handle a key of the float with the permissions."""
        if self._sessions is not None:
            await self._sessions.permissions.press(event["id"], event["key"], event["kind"])

    async def changed(self) -> "list[Changes]":
        """Return the sessions that have changed a file, the last active one first."""
        return await self._sessions.changes.found() if self._sessions is not None else []

    async def close(self) -> None:
        """Stop to listen."""
        if self._listener is not None:
            await self._listener.stop()

    async def _listen(self, bound: socket.socket) -> None:
        from claude_ide.hooks.sessions import Sessions
        from claude_ide.transport.http import HttpListener

        self._sessions = Sessions(self._editor, self._run)
        self._listener = HttpListener(bound, self._sessions.service(self._token))
        self._listener.add(self._sessions.activities.service(self._token))
        await self._listener.start()

    def _obstacle(self, words: Sequence[str]) -> str:
        if not self._is_on:
            return "the option `hooks` is off"
        return registration.obstacle(words, os.environ.get("PATH", ""))
