"""Resumes stored sessions of all agents."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from claude_ide.agents.agent import Kind
from claude_ide.chat.chat import Chat
from claude_ide.chat.kinds import Kinds
from claude_ide.chat.page.plain import one_line
from claude_ide.chat.sessions.stored import Stored, StoredSessions
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError, UnknownSessionError, UserError

T = TypeVar("T")

NOTHING = "there is no earlier session in this folder"
PATIENCE_SECONDS = 0.7
"""How long the user waits for a list without a word about it."""


class Resuming:
    """Finds the chat or the agent of a stored session.

    `show` shows a running chat; `open` opens a chat with an agent that resumes a session.
    """

    def __init__(
        self,
        kinds: Kinds,
        stored: StoredSessions,
        editor: Editor,
        chats: Mapping[int, Chat],
        show: Callable[[Chat], Awaitable[None]],
        open_: Callable[[Kind, str], Awaitable[None]],
    ) -> None:
        self._kinds = kinds
        self._stored = stored
        self._editor = editor
        self._chats = chats
        self._show = show
        self._open = open_

    async def choose(self, folder: Path) -> None:
        """Have the user choose a session of this folder, of any agent."""
        found = await self._all(folder)
        if not found:
            raise self._nothing(self._kinds.default)
        chosen = await self._editor.select("Resume:", self._names(found))
        if chosen is not None:
            await self.go_on(found[chosen].kind, found[chosen].summary.id)

    async def resume(self, folder: Path, session: str) -> None:
        """Resume a session by its id; an unknown one is reported without an empty panel."""
        for chat in self._chats.values():
            if chat.agent.session == session:
                return await self._show(chat)
        await self.go_on(await self._kind_of(folder, session), session)

    async def latest(self, kind: Kind, folder: Path) -> None:
        """Resume an agent's latest session of this folder."""
        if self._stored.must_trust(kind, folder):
            raise UserError(f"{kind.name} starts only in a trusted folder: :ClaudeTrust yes")
        if reason := kind.missing():
            raise UserError(reason)
        found = await self._waited(self._stored.of_one(kind, folder), [kind])
        if not found:
            raise UserError(NOTHING)
        await self.go_on(kind, found[0].id)

    async def go_on(self, kind: Kind, session: str) -> None:
        """Show the chat that has this session, or open one: two chats would both write to it."""
        for chat in self._chats.values():
            if chat.kind.id == kind.id and chat.agent.session == session:
                return await self._show(chat)
        await self._open(kind, session)

    async def _kind_of(self, folder: Path, session: str) -> Kind:
        """Return the agent that has a session; raises `UnknownSessionError` if none has it."""
        keepers = [kind for kind in self._kinds if kind.keeps_sessions]
        unknown = UnknownSessionError(f"there is no session {session} in this folder")
        for kind in keepers:
            try:
                await kind.check_session(folder, session)
            except AgentError as error:
                unknown = UnknownSessionError(str(error))
            else:
                return kind
        for each in await self._stored.asked(folder):
            if each.summary.id == session:
                return each.kind
        default = self._kinds.default
        if default.keeps_sessions:
            raise unknown
        # It may not be able to list its sessions, and reports an unknown one when it starts.
        await default.check_session(folder, session)
        return default

    def _nothing(self, kind: Kind) -> UserError:
        """Return the error for a folder without sessions, as far as this agent can tell."""
        if self._stored.cannot_list(kind):
            return UserError(f"{kind.name} cannot list its sessions")
        return UserError(NOTHING)

    def _names(self, found: list[Stored]) -> list[str]:
        """Return a line for each session, with its agent unless all are of the usual one."""
        are_usual = {each.kind.id for each in found} == {self._kinds.default.id}
        return [_line(each, "" if are_usual else each.kind.name) for each in found]

    async def _all(self, folder: Path) -> list[Stored]:
        return await self._waited(self._stored.all(folder), self._stored.slow(folder))

    async def _waited(self, listing: Coroutine[Any, Any, list[T]], asked: list[Kind]) -> list[T]:
        """Return the sessions; after a while, name the agents that are asked for them."""
        asking = asyncio.ensure_future(listing)
        try:
            await asyncio.wait([asking], timeout=PATIENCE_SECONDS)
            if not asking.done():
                names = ", ".join(kind.name for kind in asked)
                self._editor.notify(f"asking for sessions: {names}")
            return await asking
        finally:
            asking.cancel()


def _line(each: Stored, agent: str) -> str:
    summary = each.summary
    title = one_line(summary.title or summary.first_prompt) or "(empty)"
    return "  ".join(filter(None, (f"{summary.changed.astimezone():%Y-%m-%d %H:%M}", agent, title)))
