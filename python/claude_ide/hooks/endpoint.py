"""Where CLIs in terminals send their hooks: a port on loopback, with a token of its own.

Whoever answers a hook can allow the CLI to use a tool. So Neovim keeps a copy of the socket, and no
other process can listen on the port while the host is dead.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Coroutine, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec

from claude_ide import startup
from claude_ide.announcer import Announcer
from claude_ide.concealed import conceal
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration
from claude_ide.hooks.conversation import Conversation, Hook
from claude_ide.mcp.lock_file import new_token
from claude_ide.review.commands import Commands
from claude_ide.transport.admission import single
from claude_ide.transport.http import HttpListener, Request, Response, Service

logger = logging.getLogger(__name__)

AGENT = "Claude"
WAIT_SECONDS = 0.5
"""How long a CLI waits for us: a tool must not run before the files were looked at."""
MOST_SESSIONS = 50

_ANSWER = Response(HTTPStatus.OK, b"{}", (("Content-Type", "application/json"),))
"""It leaves every decision to the CLI."""


class Launch(NamedTuple):
    """What one CLI gets for its hooks, and the id of its terminal; all empty if it has none."""

    options: list[str]
    environment: dict[str, str]
    id: str


class Hooks:
    """The endpoint of one Neovim. `held` has the token and the hold of an earlier host's port."""

    def __init__(self, editor: Editor, config: Config, held: Mapping[str, str]) -> None:
        self._editor = editor
        self._is_on = config.hooks
        self._held = held
        self._opening = asyncio.Lock()
        self._listener: HttpListener | None = None
        self._token = ""
        self._sessions: dict[tuple[str, str], Conversation] = {}
        self._following: set[asyncio.Task[None]] = set()
        self._last_words: tuple[str, ...] = ()

    async def for_a_terminal(self, words: Sequence[str]) -> Launch:
        """Return what the CLI with this command line gets. Raises `OSError` if no port is free."""
        self._last_words = tuple(words)
        if await asyncio.to_thread(self._obstacle, words):
            return Launch([], {}, "")
        port, id_ = await self.open(), secrets.token_hex(4)
        return Launch(registration.options(port, id_), {registration.TOKEN: self._token}, id_)

    def state(self, words: Sequence[str]) -> str:
        """Return whether the last CLI, or else one with this command line, reports what it does."""
        obstacle = self._obstacle(self._last_words or words)
        return (
            f"none, because {obstacle}" if obstacle else "the CLI of :Claude reports what it does"
        )

    def _obstacle(self, words: Sequence[str]) -> str:
        if not self._is_on:
            return "the option `hooks` is off"
        return registration.obstacle(words, os.environ.get("PATH", ""))

    async def open(self) -> int:
        """Listen, on the port of an earlier host if Neovim has it. Raises `OSError`."""
        async with self._opening:
            if self._listener is None:
                token, hold = self._held.get("token", ""), self._held.get("hold", "")
                held = await asyncio.to_thread(startup.fetch, hold) if token else None
                self._token = token if held else new_token()
                conceal(self._token)
                bound = held or socket.create_server(("127.0.0.1", 0))
                service = Service((registration.PATH,), self._token, ("POST",), self._answer)
                listener = HttpListener(bound, service)
                await listener.start()
                self._listener = listener
                await self._editor.run("host.hooks_bound", listener.port, self._token)
                if not held:
                    startup.hold(hold, bound)
            return self._listener.port

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        for key in [key for key in self._sessions if key[0] == launch]:
            self._start(self._sessions.pop(key).close())

    async def _answer(self, request: Request) -> Response:
        try:
            hook = msgspec.json.decode(request.body, type=Hook)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return Response(HTTPStatus.BAD_REQUEST)
        session = self._session(single(request.headers, registration.LAUNCH), hook)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        return _ANSWER

    def _session(self, launch: str, hook: Hook) -> Conversation:
        key = launch, hook.session_id
        if key not in self._sessions:
            announcer = Announcer(self._editor.announce, AGENT, hook.cwd)
            self._sessions[key] = Conversation(announcer, Commands(self._editor))
        # The least recently used one is the first.
        session = self._sessions[key] = self._sessions.pop(key)
        if hook.hook_event_name == "SessionEnd":
            del self._sessions[key]
        while len(self._sessions) > MOST_SESSIONS:
            self._start(self._sessions.pop(next(iter(self._sessions))).close())
        return session

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        return task
