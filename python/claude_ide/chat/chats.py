"""All chats of this Neovim, and the events of their panels."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from claude_ide.agents.agent import AgentKind, NewSession, Opening, ResumeSession
from claude_ide.agents.kinds import Kinds, Stored, StoredSessions
from claude_ide.base.errors import (
    AgentError,
    ClaudeIdeError,
    EditorError,
    UnknownSessionError,
    UserError,
)
from claude_ide.chat.chat import Chat
from claude_ide.chat.chat_context import SUBCOMMANDS, ChatContext, subcommand, subcommands
from claude_ide.chat.context import mention as mention_words
from claude_ide.chat.opening import Agents, OpenedAgent
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.mentions import choose_elsewhere, is_elsewhere, mentioned_path
from claude_ide.editor.port import panel
from claude_ide.editor.port.binding import handlers, handles
from claude_ide.editor.port.events import ListPressed
from claude_ide.editor.port.panel import ChatEvent, FoundChat, Revival
from claude_ide.ui.text import one_line

BEGUN = re.compile(
    r"""(["']?)(?P<agent>.*?)\1\s*(?P<option>--worktree(?:[=\s]\s*(?P<name>.*))?)?""", re.DOTALL
)
"""What follows `:ClaudeChat new`."""
NOTHING = "there is no earlier session in this folder"
ANSWER_SECONDS = 0.7
"""How long the user waits for a list without a word about it."""

T = TypeVar("T")


class Chats:
    """The chats by their ids."""

    def __init__(
        self,
        editor: Editor,
        config: Config,
        run: Run,
        kinds: Kinds,
        agents: Agents,
        stored: StoredSessions,
        list_sessions: Callable[[str], Awaitable[None]],
        release: Callable[[str], Awaitable[bool]],
        worktree: Callable[[str, Path], Awaitable[Path]],
    ) -> None:
        self._editor = editor
        self._port = editor.port
        self._config = config
        self._run = run
        self._kinds = kinds
        self._agents = agents
        self._chats: dict[int, Chat] = {}
        editor.limits.subscribe(self.refresh_bars)
        self._list_sessions = list_sessions
        self._release = release
        """Ends a session in the background, if the user wants it here; False if not."""
        self._worktree = worktree
        """Returns the worktree with a name, which it makes if it is not there."""
        self._finding: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        """The locks of chats that are being looked for, or taken over, by their ids."""
        self._stored = stored
        self._subcommands = subcommands(self)
        self._handlers = dict(handlers(self))
        """By the type of the event of a panel; a chat handles the others."""

    # Commands.

    async def command(self, what: str, argument: str) -> None:
        """Run a subcommand of `:ClaudeChat`; raises `UserError` if it is unknown."""
        if what not in SUBCOMMANDS:
            raise UserError(f':ClaudeChat: no subcommand "{what}" (<Tab> lists them)')
        takes_argument = SUBCOMMANDS[what]
        if argument and not takes_argument:
            raise UserError(f":ClaudeChat {what} takes no argument: {argument}")
        act = self._subcommands.get(what) or (await self.here()).subcommands[what]
        try:
            await act(*[argument] * takes_argument)
        finally:
            # The agent may have rejected the request as unknown, which changes its offer.
            for chat in self._chats.values():
                chat.context.refresh()

    @subcommand("")
    async def toggle(self) -> None:
        """Show or hide the chat of this tab page."""
        known = set(self._chats)
        found = await self._editor.port.panels.of_tabpage()
        chat = await self._found(found)
        # A chat that was just taken over from an earlier host is shown, not hidden.
        if isinstance(found, FoundChat) and found.is_here and chat.id in known:
            await chat.panel.hide()
        else:
            await chat.panel.open(self._options(chat))

    @subcommand("new")
    async def begin(self, argument: str) -> None:
        """Start the chat whose panel Lua has opened; the panel knows its agent, or asks for it.

        With an argument Lua has opened none: the agent, and the worktree in which it begins.
        """
        if not argument:
            await self.here()
            return
        begun = BEGUN.fullmatch(argument)
        assert begun is not None
        agent, name = begun["agent"], begun["name"]
        if begun["option"] and not name:
            raise UserError("--worktree needs the name of a worktree: --worktree=NAME")
        kind = await self._kind(Revival("", is_empty=True, agent=agent, asks=not agent))
        folder = await self._folder()
        await self.open(kind, NewSession(), await self._worktree(name, folder) if name else folder)

    async def open(self, kind: AgentKind, opening: Opening, folder: Path | None = None) -> None:
        """Resume a session of a folder, by default the working folder, or begin one.

        Its panel opens immediately, its agent follows.
        """
        opened = self._agents.open(kind, folder or await self._folder())
        chat = self._new(await self._editor.port.panels.new_id(), opened)
        await self._show(chat, chat.panel.open)
        self._start(chat, opening)

    @subcommand("list")
    async def show_list(self, words: str) -> None:
        """Open the list of all sessions, or of those that contain all these words."""
        await self._list_sessions(words)

    @subcommand("fork")
    async def fork(self) -> None:
        """Continue this chat's session under a new id, in a new chat."""
        chat = await self.here()
        chat.context.require("fork")
        if not chat.agent.session:
            raise UserError("there is nothing to fork yet")
        await self.open(chat.kind, ResumeSession(chat.agent.session, fork=True))

    async def mention(self, mention: Mapping[str, Any], *, focus: bool, insist: bool) -> bool:
        """Mention something in the prompt of this tab page's chat; return whether that was done.

        With `focus` the cursor moves to the prompt. A hidden chat counts only with `insist`.
        """
        chat = await self._near(mentioned_path(mention), insist=insist)
        if chat is not None:
            await chat.panel.write_prompt(mention_words(mention, chat.root) + " ")
            await self._show_written(chat, "mentioned in the chat", focus=focus)
        return chat is not None

    async def _near(self, path: str, *, insist: bool, asks: bool = True) -> Chat | None:
        """Return the chat that a mention of a file goes to; a hidden one only with `insist`.

        One in another worktree, too, for which it `asks`.
        """
        here = await self._editor.port.panels.here()
        chat = self._chats.get(here.chat) if isinstance(here, FoundChat) else None
        if chat is None or not (chat.context.shown or insist):
            return None
        if path and is_elsewhere(path, chat.root):
            if not insist:
                return None
            if asks:
                await choose_elsewhere(self._editor, path, [self.name(chat)])
        return chat

    async def write(
        self,
        compose: Callable[[str], Awaitable[str]],
        path: str,
        *,
        submit: bool,
        focus: bool,
        insist: bool,
        asks: bool,
    ) -> bool:
        """Put a text into the prompt of the chat that a mention of a file goes to, or send it.

        `compose` makes the text for an agent in a folder. Returns whether there is such a chat.
        """
        chat = await self._near(path, insist=insist, asks=asks)
        if chat is not None:
            put = chat.panel.say if submit else chat.panel.write_prompt
            await put(await compose(chat.root))
            done = "sent to the chat" if submit else "written into the chat's prompt"
            await self._show_written(chat, done, focus=focus)
        return chat is not None

    async def _show_written(self, chat: Chat, done: str, *, focus: bool) -> None:
        if focus:
            await chat.panel.write()
        elif not chat.context.shown:
            self._editor.notify(f"{done} (:ClaudeChat shows it)")

    @subcommand("answer")
    async def answer(self) -> None:
        """Have the user answer the oldest request of this tab page's chat, or of another chat."""
        here = await self.here()
        for chat in (here, *self._chats.values()):
            if chat.requests:
                return await chat.choose_answer()
        if here.consent.is_asked:
            return await here.choose_answer()
        raise UserError("no request is waiting")

    async def resume_in(
        self, id_: int, agent: str, folder: Path, store: Callable[[], Awaitable[str]]
    ) -> None:
        """Resume a session of an agent, which `store` creates, in a panel that Lua has opened."""
        async with self._lock(id_), self._giving_up(id_):
            revival = Revival(str(folder), is_empty=False, agent=agent, session=await store())
            await self._revive(id_, revival)

    async def trust_changed(self) -> None:
        """Have each chat follow the user's decisions about folders."""
        for chat in list(self._chats.values()):
            await chat.consent.follow()

    @property
    def by_id(self) -> Mapping[int, Chat]:
        """The chats that run."""
        return self._chats

    async def reveal(self, chat: Chat) -> None:
        """Show a chat, and go there."""
        await chat.panel.open(self._options(chat))

    async def _find(self, id_: int, revival: Revival | None) -> Chat | None:
        """Return the chat with this id; take it over if its host has ended."""
        async with self._lock(id_):
            if id_ not in self._chats and revival is not None:
                async with self._giving_up(id_):
                    await self._revive(id_, revival)
            return self._chats.get(id_)

    def _lock(self, id_: int) -> asyncio.Lock:
        """Return the lock of a chat: taking one over needs the disk, and others must not wait."""
        return self._finding.setdefault(id_, asyncio.Lock())

    @asynccontextmanager
    async def _giving_up(self, id_: int) -> AsyncIterator[None]:
        """Show in a panel why it cannot be taken over, if that fails."""
        try:
            yield
        except ClaudeIdeError as error:
            await self._editor.port.panel(id_).give_up(str(error))
            raise

    async def _revive(self, id_: int, revival: Revival) -> None:
        opening: Opening = NewSession()
        kind = await self._kind(revival)
        opened = self._agents.open(kind, Path(revival.root))
        # Without a session, the old agent had not begun: there are only prompts that waited for it.
        if revival.session and not revival.is_empty:
            opening = ResumeSession(revival.session)
            # If the session is unknown, the old panel keeps its content.
            await kind.check_session(opened.folder, opening.id)
        chat = self._new(id_, opened)
        await self._show(chat, chat.panel.adopt)
        chat.transcript.sheet.redraw()
        self._start(chat, opening)

    def _start(self, chat: Chat, opening: Opening) -> None:
        chat.life.start(opening)
        if isinstance(opening, NewSession):
            self._run(self._greet(chat))

    async def _greet(self, chat: Chat) -> None:
        """Offer the latest sessions in an empty chat."""
        if chat.kind.needs_trust:
            # Only an agent that has started knows whether it can resume a session.
            try:
                await chat.life.started()
            except UserError:
                return
        if chat.context.has("resume"):
            found = await self._stored.of(chat.kind, Path(chat.root))
            # Some agents list a session before its first prompt.
            chat.welcome.offer([each for each in found if each.id != chat.agent.session])
            chat.context.refresh()

    async def _kind(self, revival: Revival) -> AgentKind:
        """Return the agent of a panel. Raises `UserError` if there is none."""
        installed = self._kinds.to_choose if revival.asks else []
        if not installed:
            return self._kinds.find(revival.agent)
        chosen = await self._editor.select("New chat with:", [each.name for each in installed])
        if chosen is None:
            raise UserError("no agent was chosen")
        return installed[chosen]

    async def _show(self, chat: Chat, show: Callable[[Any], Awaitable[None]]) -> None:
        """Show the panel of a new chat; if that fails, the chat is closed."""
        try:
            await show(self._options(chat))
        except EditorError:
            await self._close(chat)
            raise

    def _new(self, id_: int, opened: OpenedAgent) -> Chat:
        opened_for = id_, opened.kind, opened.agent, str(opened.folder)
        context = ChatContext(*opened_for, self._editor, self._config, self._run)
        context.label = lambda: self._label(context)
        context.trust_changed = self.trust_changed
        chat = self._chats[id_] = Chat(context, opened)
        return chat

    def _label(self, chat: ChatContext) -> str:
        """Return what tells a chat from the others of its agent; empty if there are none."""
        same = [each.context for each in self._chats.values() if each.agent.name == chat.name]
        others = [each.names for each in same if each is not chat]
        of_one = zip(chat.names, *others, strict=True)
        return next((own for own, *rest in of_one if others and own and own not in rest), "")

    @subcommand("end")
    async def end(self) -> None:
        """End this tab page's chat."""
        await self.close(await self.here())

    async def close(self, chat: Chat) -> None:
        """End a chat."""
        # The panel closes first: a prompt typed while the agent ends would be lost.
        await chat.panel.close()
        await self._close(chat)

    async def here(self) -> Chat:
        """Return the chat for a command: that of this tab page, or the first one.

        Raises `UserError` if there is none.
        """
        return await self._found(await self._editor.port.panels.here())

    async def _found(self, here: FoundChat | bool) -> Chat:
        chat = await self._find(here.chat, here.revival) if isinstance(here, FoundChat) else None
        if chat is None:
            raise UserError("there is no chat (:ClaudeChat starts one)")
        return chat

    def name(self, chat: Chat) -> str:
        """Return what the user knows a chat by, as short as possible."""
        label = self._label(chat.context)
        return f"{chat.kind.name} chat" + (f": {label}" if label else "")

    def describe(self) -> list[dict[str, str]]:
        """Return the agent, the state, the title and the folder of each chat."""
        return [
            {
                "agent": chat.kind.name,
                "state": chat.status.word[0],
                "title": chat.title,
                "folder": chat.root,
            }
            for chat in self._chats.values()
        ]

    # Stored sessions.

    @subcommand("resume")
    async def resume(self, session: str) -> None:
        """Resume an earlier session of this folder; without an id the user chooses one.

        An unknown one is reported without an empty panel.
        """
        folder = await self._folder()
        if not session:
            return await self._choose(folder)
        for chat in self._chats.values():
            if chat.agent.session == session:
                return await self.reveal(chat)
        await self.go_on(await self._kind_of(folder, session), session)

    async def _choose(self, folder: Path) -> None:
        """Have the user choose a session of this folder, of any agent."""
        listing = self._stored.all(folder)
        found = await self._waited(listing, self._stored.slow(folder))
        if not found:
            kind = self._kinds.default
            cannot = self._stored.cannot_list(kind)
            raise UserError(f"{kind.name} cannot list its sessions" if cannot else NOTHING)
        # The agent is named unless all sessions are of the usual one.
        are_usual = {each.kind.id for each in found} == {self._kinds.default.id}
        lines = [_line(each, "" if are_usual else each.kind.name) for each in found]
        chosen = await self._editor.select("Resume:", lines)
        if chosen is not None:
            await self.go_on(found[chosen].kind, found[chosen].summary.id)

    @subcommand("continue")
    async def latest(self) -> None:
        """Resume the latest session of the usual agent in this folder."""
        kind, folder = self._kinds.default, await self._folder()
        if self._stored.must_trust(kind, folder):
            raise UserError(f"{kind.name} starts only in a trusted folder: :ClaudeTrust yes")
        if reason := kind.missing():
            raise UserError(reason)
        found = await self._waited(self._stored.of_one(kind, folder), [kind])
        if not found:
            raise UserError(NOTHING)
        await self.go_on(kind, found[0].id)

    async def go_on(self, kind: AgentKind, session: str, folder: Path | None = None) -> None:
        """Show the chat that has this session, or open one: two chats would both write to it."""
        for chat in self._chats.values():
            if chat.kind.id == kind.id and chat.agent.session == session:
                return await self.reveal(chat)
        if await self._release(session):
            await self.open(kind, ResumeSession(session), folder)

    async def _kind_of(self, folder: Path, session: str) -> AgentKind:
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
        if known := self._stored.agent_of(session, folder):
            return known
        for each in await self._stored.asked(folder):
            if each.summary.id == session:
                return each.kind
        default = self._kinds.default
        if default.keeps_sessions:
            raise unknown
        # It may not be able to list its sessions, and reports an unknown one when it starts.
        await default.check_session(folder, session)
        return default

    async def _waited(
        self, listing: Coroutine[Any, Any, list[T]], asked: list[AgentKind]
    ) -> list[T]:
        """Return the sessions; after a while, name the agents that are asked for them."""
        asking = asyncio.ensure_future(listing)
        try:
            await asyncio.wait([asking], timeout=ANSWER_SECONDS)
            if not asking.done():
                names = ", ".join(kind.name for kind in asked)
                self._editor.notify(f"asking for sessions: {names}")
            return await asking
        finally:
            asking.cancel()

    # Events of the panels.

    def on_list_event(self, pressed: ListPressed) -> None:
        """Handle a key of a list, or its end."""
        for chat in self._chats.values():
            for part in (chat.background, chat.servers):
                if part.list_name == pressed.name:
                    self._run(part.press(pressed.key, pressed.id))

    def refresh_bars(self) -> None:
        """Redraw the bars, which show the user's file, selection and limits."""
        for chat in self._chats.values():
            chat.context.bars.soon()

    async def handle(self, event: ChatEvent) -> None:
        """Handle an event of a panel."""
        try:
            chat = await self._find(event.chat, event.revival)
        except ClaudeIdeError:
            if isinstance(event, panel.PromptSent):
                await self._port.panel(event.chat).give_back([event.number])
            raise
        if chat is None:
            return
        handle = self._handlers.get(type(event))
        await (handle(chat, event) if handle else chat.context.handle(event))

    @handles(panel.Closed)
    async def _closed(self, chat: Chat, _event: panel.Closed) -> None:
        await self._close(chat)

    @handles(panel.Pressed)
    async def _pressed(self, chat: Chat, event: panel.Pressed) -> None:
        session = await chat.press(event.part, event.offset)
        if session and any(each.agent.session == session for each in self._chats.values()):
            await self.go_on(chat.kind, session)
        elif session:
            await chat.kind.check_session(Path(chat.root), session)
            await chat.life.become(session)

    async def _close(self, chat: Chat) -> None:
        self._chats.pop(chat.id, None)
        session = chat.agent.session
        is_lasting = bool(session and chat.transcript.prompts) and chat.context.has("resume")
        await chat.end()
        if is_lasting:
            await self._stored.note(chat.kind, Path(chat.root), session)

    async def _folder(self) -> Path:
        return Path(await self._editor.port.buffers.folder())

    def _options(self, chat: Chat) -> dict[str, Any]:
        panel = self._config.chat
        return {
            "side": panel.side,
            "size": panel.size,
            "title": chat.title or chat.kind.name,
            "root": chat.root,
            "agent": chat.kind.id,
            "name": chat.kind.name,
        }


def _line(each: Stored, agent: str) -> str:
    summary = each.summary
    title = one_line(summary.title or summary.first_prompt) or "(empty)"
    return "  ".join(filter(None, (f"{summary.changed.astimezone():%Y-%m-%d %H:%M}", agent, title)))
