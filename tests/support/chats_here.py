"""Chats that run in the process of the test, with the panel in a real Neovim."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from claude_ide.agents.agent import AgentKind
from claude_ide.agents.kinds import Kinds, StoredSessions
from claude_ide.base.errors import ClaudeIdeError, EditorError
from claude_ide.base.trust import Trust
from claude_ide.chat.chat import Chat
from claude_ide.chat.chats import Chats
from claude_ide.chat.opening import Agents
from claude_ide.config import Config, ReviewConfig
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import DiffEditsAccepted, ListPressed
from claude_ide.editor.port.panel import ChatEvent
from claude_ide.mcp import model
from claude_ide.mcp.agent_endpoint import AgentEndpoint
from claude_ide.review.service import ReviewService
from claude_ide.sessions.here import Watcher
from claude_ide.sessions.sessions import SessionList
from support.neovim import Neovim, until

CODE = "return require('claude_ide.messages.reason').attempt(...)"
EVENT, COMMAND = "claude_ide_event", ":command:ClaudeChat"


class Notifications(list[tuple[str, list[Any]]]):
    """The notifications of a Neovim; each is passed to a function when it arrives."""

    def __init__(self, receive: Callable[[str, list[Any]], None]) -> None:
        super().__init__()
        self._receive = receive

    def append(self, notification: tuple[str, list[Any]]) -> None:
        super().append(notification)
        self._receive(*notification)


class TestedNeovim:
    """Implements the editor's `Channel` over the connection of a test."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        self._calls: set[asyncio.Future[Any]] = set()

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        module, _, name = function.rpartition(".")
        sent = self._nvim.send_request("nvim_exec_lua", CODE, [module, name, *arguments])
        return asyncio.ensure_future(_outcome(sent))

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        return self.call(function, *arguments)

    def notify(self, function: str, *arguments: Any) -> None:
        call = self.call(function, *arguments)
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    def close(self) -> None:
        pass


async def _outcome(sent: "asyncio.Future[Any]") -> Any:
    is_done, *given = await sent
    if not is_done:
        raise EditorError(str(given[0]))
    return given[0] if given else None


class ChatsHere:
    """The chats; `errors` has the errors that do not become a line for the user."""

    def __init__(self, nvim: Neovim, kind: AgentKind, state: Path, *others: AgentKind) -> None:
        self.sessions: SessionList
        self.errors: list[Exception] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.editor = Editor(TestedNeovim(nvim))
        trust = Trust(state / "trust.json", {}, lambda _complaint: None)
        self.trust = trust
        kinds = Kinds([kind, *others])
        review = ReviewService(self.editor, state / "review", ReviewConfig())
        stored = StoredSessions(kinds, trust, self._know_sessions)
        self.chats = Chats(
            *(self.editor, Config(), self._run, kinds),
            Agents(self.editor, Config(), trust, review, model.toolset),
            *(stored, lambda words: self.sessions.open(words), self._release, _no_worktree),
        )
        app: Any = SimpleNamespace(
            editor=self.editor,
            config=Config(),
            guard=self._run,
            begun=lambda part: part == "chats",
            chats=self.chats,
            review=review,
        )
        nowhere = {"CLAUDE_CONFIG_DIR": str(state / "none")}
        watcher = Watcher(nowhere, lambda _running, _gone: None)
        self.sessions = SessionList(app, lambda: stored, watcher)
        self.editor.events.delegate(ChatEvent, self._run, lambda: self.chats.handle)
        self.editor.events.subscribe(ListPressed, self._list_pressed)
        accept = self.editor.diffs.accept_edits
        self.editor.events.subscribe(DiffEditsAccepted, lambda event: self._run(accept(event.id)))

    async def _know_sessions(self, folder: Path, ids: Sequence[str]) -> None:
        await self.editor.port.panels.know_sessions(str(folder), list(ids))

    async def _release(self, session: str) -> bool:
        return True

    def _list_pressed(self, pressed: ListPressed) -> None:
        if pressed.name == "sessions":
            self._run(self.sessions.press(pressed))
        else:
            self.chats.on_list_event(pressed)

    @property
    def endpoints(self) -> list[AgentEndpoint]:
        """The endpoints of the chats."""
        return [chat._endpoint for chat in self.all()]

    @classmethod
    async def start(
        cls, nvim: Neovim, kind: AgentKind, state: Path, *others: AgentKind
    ) -> "ChatsHere":
        """Make this test the host of a Neovim; `kind` is the usual agent."""
        here = cls(nvim, kind, state, *others)
        nvim.notifications = Notifications(here._receive)
        await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
        here.editor.state.folders = [await nvim.eval("getcwd()")]
        here.editor.private_files.refresh()
        return here

    def all(self) -> list[Chat]:
        """Return the chats."""
        return list(self.chats._chats.values())

    async def end(self) -> None:
        """End the chats, wait until their agents have ended, and close."""
        for chat in self.all():
            await self.chats._close(chat)
        # A chat that is being ended is in the list no longer.
        await until(lambda: all(task.done() for task in self._tasks), "the agents have ended")
        await self.close()

    async def close(self) -> None:
        """Cancel the tasks; fail if there were errors."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        assert not self.errors, self.errors

    def _receive(self, name: str, arguments: list[Any]) -> None:
        if name == EVENT:
            self.editor.events.dispatch(*arguments)
        elif name.endswith(COMMAND):
            what, *words = arguments[0] or [""]
            self._run(self.chats.command(what, " ".join(words)))

    def _run(self, work: Awaitable[Any]) -> "asyncio.Task[None]":
        async def guarded() -> None:
            try:
                await work
            except ClaudeIdeError as error:
                self.editor.notify(str(error), "error")
            except Exception as error:
                self.errors.append(error)
                raise

        task = asyncio.ensure_future(guarded())
        if isinstance(work, Coroutine):
            # A task that is cancelled before its first step never awaits it.
            task.add_done_callback(lambda _: work.close())
        self._tasks.add(task)
        return task


async def _served(_message: dict[str, Any]) -> dict[str, Any] | None:
    return None


async def _no_worktree(name: str, folder: Path) -> Path:
    raise AssertionError(f"no worktree {name} is expected in {folder}")
