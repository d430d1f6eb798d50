"""All chats of this Neovim, and the events of their panels."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from claude_ide.agents.agent import Kind, NewSession, Opening, ResumeSession
from claude_ide.chat import abilities, background, context, mcp_servers
from claude_ide.chat.chat import Chat
from claude_ide.chat.kinds import Kinds
from claude_ide.chat.login import Logins
from claude_ide.chat.opening import Agents, Door, OpenedAgent, ToolServer
from claude_ide.chat.requests.trust_question import KIND
from claude_ide.chat.resuming import Resuming
from claude_ide.chat.running import Run
from claude_ide.chat.sessions import sessions
from claude_ide.chat.sessions.stored import StoredSessions
from claude_ide.chat.shell import shell
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port import chat as panel
from claude_ide.editor.port.binding import handlers, handles
from claude_ide.editor.port.chat import ChatEvent, Revival
from claude_ide.editor.port.events import ListPressed
from claude_ide.editor.port.panel import Found
from claude_ide.errors import ClaudeIdeError, EditorError, UserError
from claude_ide.trust.trust import Trust


class Chats:
    """The chats by their ids.

    `serve` creates the MCP server for an agent of this name in a folder (`InProcessServer`). Its
    tools that `reading` names run without a permission request. `door` creates, from the same, a
    door for one that starts its servers itself.
    """

    def __init__(
        self,
        editor: Editor,
        config: Config,
        run: Run,
        kinds: Kinds,
        serve: Callable[[str, str], ToolServer],
        trust: Trust,
        reading: Callable[[], tuple[str, ...]] = tuple,
        door: Callable[[str, str], Door] | None = None,
    ) -> None:
        self._editor = editor
        self._port = editor.port
        self._config = config
        self._run = run
        self._kinds = kinds
        self._agents = Agents(*(editor, config, trust, serve, reading, self.trust_changed, door))
        self._chats: dict[int, Chat] = {}
        self._handlers = dict(handlers(self))
        """By the type of the event of a panel."""
        self._finding: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        """The locks of chats that are being looked for, or taken over, by their ids."""
        self._stored = StoredSessions(kinds, trust, self._know_sessions)
        self._resuming = Resuming(
            *(kinds, self._stored, editor, self._chats, self._reveal, self._resume_in_new_chat)
        )
        self._sessions_list = sessions.Sessions(
            *(self._stored, editor, run, self._chats, self._reveal, self._resuming.go_on)
        )
        self._logins = Logins(editor, config.terminal)
        self._mcp_list = mcp_servers.McpServers(self._port, run, self._logins.run_for_servers)

    # Commands.

    async def command(self, what: str, argument: str) -> None:
        """Run a subcommand of `:ClaudeChat`; raises `UserError` if it is unknown."""
        alone: dict[str, Callable[[], Awaitable[None]]] = {
            "": self.toggle,
            "continue": self.resume_last,
            "follow": lambda: self._here(Chat.toggle_following),
            "fork": self.fork,
            "stop": lambda: self._here(Chat.stop),
            "end": lambda: self._here(self._end),
            "rewind": lambda: self._here(Chat.rewind),
            "context": lambda: self._here(Chat.show_context),
            "log": lambda: self._here(Chat.show_log),
            "tasks": lambda: self._here(Chat.show_tasks),
            "answer": self.answer,
            "mcp": lambda: self._here(self._mcp_list.open),
        }
        with_argument: dict[str, Callable[[str], Awaitable[None]]] = {
            "new": self.begin,
            "resume": self.resume,
            "mode": lambda mode: self._here(lambda chat: chat.settings.set_mode(mode)),
            "model": lambda model: self._here(lambda chat: chat.settings.set_model(model)),
            "config": lambda words: self._here(lambda chat: chat.settings.configure(words)),
            "effort": lambda effort: self._here(lambda chat: chat.settings.set_effort(effort)),
            "thinking": lambda tokens: self._here(lambda chat: chat.settings.set_thinking(tokens)),
            "aside": lambda question: self._here(lambda chat: chat.ask_aside(question)),
            "rename": lambda title: self._here(lambda chat: chat.rename(title)),
            "export": lambda path: self._here(lambda chat: _export(chat, path, self._editor)),
            "list": self._sessions_list.open,
        }
        if what not in {*alone, *with_argument}:
            raise UserError(f':ClaudeChat: no subcommand "{what}" (<Tab> lists them)')
        if argument and what in alone:
            raise UserError(f":ClaudeChat {what} takes no argument: {argument}")
        try:
            await (alone[what]() if what in alone else with_argument[what](argument))
        finally:
            # The agent may have rejected the request as unknown, which changes its offer.
            for chat in self._chats.values():
                chat.refresh()

    async def toggle(self) -> None:
        """Show or hide the chat of this tab page."""
        known = set(self._chats)
        found = await self._editor.port.panels.of_tabpage()
        chat = await self._found(found)
        # A chat that was just taken over from an earlier host is shown, not hidden.
        if isinstance(found, Found) and found.is_here and chat.id in known:
            await chat.panel.hide()
        else:
            await chat.panel.open(self._options(chat))

    async def begin(self, _agent: str) -> None:
        """Start the chat whose panel Lua has opened; the panel knows its agent, or asks for it."""
        await self.here()

    async def open(self, kind: Kind, opening: ResumeSession) -> None:
        """Resume a session: its panel opens immediately, its agent follows."""
        opened = self._agents.open(kind, await self._folder())
        chat = self._new(await self._editor.port.panels.new_id(), opened)
        await self._show(chat, chat.panel.open)
        chat.running.start(opening)

    async def resume(self, session: str) -> None:
        """Resume an earlier session of this folder; without an id the user chooses one."""
        folder = await self._folder()
        await (self._resuming.resume(folder, session) if session else self._resuming.choose(folder))

    async def resume_last(self) -> None:
        """Resume the latest session of the usual agent in this folder."""
        await self._resuming.latest(self._kinds.default, await self._folder())

    async def fork(self) -> None:
        """Continue this chat's session under a new id, in a new chat."""
        chat = await self.here()
        abilities.require(chat.agent, "fork")
        if not chat.agent.session:
            raise UserError("there is nothing to fork yet")
        await self.open(chat.kind, ResumeSession(chat.agent.session, fork=True))

    async def mention(self, mention: Mapping[str, Any], *, focus: bool, insist: bool) -> bool:
        """Mention something in the prompt of this tab page's chat; return whether that was done.

        With `focus` the cursor moves to the prompt. A hidden chat counts only with `insist`.
        """
        here = await self._editor.port.panels.here()
        chat = self._chats.get(here.chat) if isinstance(here, Found) else None
        if chat is None or not (chat.shown or insist):
            return False
        words = context.mention(mention, chat.root)
        await chat.panel.mention(words)
        if focus:
            await chat.panel.write()
        elif not chat.shown:
            self._editor.notify("mentioned in the chat (:ClaudeChat shows it)")
        return True

    async def answer(self) -> None:
        """Have the user answer the oldest request of this tab page's chat, or of another chat."""
        here = await self.here()
        for chat in (here, *self._chats.values()):
            if chat.requests:
                return await chat.choose_answer()
        if here.consent.is_asked:
            return await here.choose_answer()
        raise UserError("no request is waiting")

    async def show_changes(self, only: Sequence[str], *, whole: bool) -> None:
        """Show what the last turn of this tab page's chat has changed; with `whole`, all turns."""
        chat = await self.here()
        await chat.reviewing.show(only, whole=whole)

    async def has_changes(self) -> bool:
        """Return whether this tab page's chat has changed a file."""
        return await (await self.here()).reviewing.has_changes()

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
            await chat.trust_changed()

    async def _resume_in_new_chat(self, kind: Kind, session: str) -> None:
        await self.open(kind, ResumeSession(session))

    async def _reveal(self, chat: Chat) -> None:
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
        chat.running.start(opening)
        if isinstance(opening, NewSession):
            self._run(_greet(chat, self._stored))

    async def _kind(self, revival: Revival) -> Kind:
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
        chat = Chat(id_, opened, self._editor, self._config, self._run, self._label)
        self._chats[id_] = chat
        return chat

    def _label(self, chat: Chat) -> str:
        """Return what tells a chat from the others of its agent; empty if there are none."""
        same = [each for each in self._chats.values() if each.agent.name == chat.agent.name]
        others = [each.names for each in same if each is not chat]
        of_one = zip(chat.names, *others, strict=True)
        return next((own for own, *rest in of_one if others and own and own not in rest), "")

    async def _here(self, act: Callable[[Chat], Awaitable[None]]) -> None:
        await act(await self.here())

    async def _end(self, chat: Chat) -> None:
        # The panel closes first: a prompt typed while the agent ends would be lost.
        await chat.panel.close()
        await self._close(chat)

    async def here(self) -> Chat:
        """Return the chat for a command: that of this tab page, or the first one.

        Raises `UserError` if there is none.
        """
        return await self._found(await self._editor.port.panels.here())

    async def _found(self, here: Found | bool) -> Chat:
        chat = await self._find(here.chat, here.revival) if isinstance(here, Found) else None
        if chat is None:
            raise UserError("there is no chat (:ClaudeChat starts one)")
        return chat

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

    # Events of the panels.

    def on_event(self, event: ChatEvent) -> None:
        """Handle an event of a panel."""
        self._run(self._handle(event))

    def on_list_event(self, pressed: ListPressed) -> None:
        """Handle a key of a list, or its end."""
        lists = {sessions.NAME: self._sessions_list.press, mcp_servers.NAME: self._mcp_list.press}
        for chat in self._chats.values():
            lists[f"{background.NAME} {chat.id}"] = chat.background.press
        if press := lists.get(pressed.name):
            self._run(press(pressed.key, pressed.id))

    async def _know_sessions(self, folder: Path, ids: Sequence[str]) -> None:
        await self._editor.port.panels.know_sessions(str(folder), list(ids))

    def selection_changed(self) -> None:
        """Redraw the bars, which show the user's file or selection."""
        for chat in self._chats.values():
            chat.refresh_bars()

    async def _handle(self, event: ChatEvent) -> None:
        """Call what handles the event, with its chat."""
        try:
            chat = await self._find(event.chat, event.revival)
        except ClaudeIdeError:
            if isinstance(event, panel.PromptSent):
                await self._port.panel(event.chat).give_back([event.number])
            raise
        if chat is not None and (work := self._handlers[type(event)](chat, event)) is not None:
            await work

    @handles(panel.Placed)
    def _placed(self, chat: Chat, event: panel.Placed) -> None:
        chat.show(event.shown)
        if event.width:
            chat.resize(event.width, event.columns)

    @handles(panel.Closed)
    async def _closed(self, chat: Chat, _event: panel.Closed) -> None:
        await self._close(chat)

    @handles(panel.RedrawAsked)
    async def _redraw(self, chat: Chat, _event: panel.RedrawAsked) -> None:
        await chat.redraw()

    @handles(panel.PromptSent)
    async def _send(self, chat: Chat, event: panel.PromptSent) -> None:
        is_command = shell.is_command(event.text)
        await (chat.sending.run_command if is_command else chat.branching.send)(event)

    @handles(panel.PromptEdited)
    async def _edit(self, chat: Chat, event: panel.PromptEdited) -> None:
        await chat.branching.edit(event.part)

    @handles(panel.PromptWithdrawn)
    async def _withdraw(self, chat: Chat, event: panel.PromptWithdrawn) -> None:
        await chat.sending.withdraw(event.part)

    @handles(panel.ContextDropped)
    async def _drop_context(self, chat: Chat, _event: panel.ContextDropped) -> None:
        await chat.drop_context()

    @handles(panel.Pressed)
    async def _pressed(self, chat: Chat, event: panel.Pressed) -> None:
        await self._press(chat, event.part, event.offset)

    @handles(panel.LocationWanted)
    async def _go_to(self, chat: Chat, event: panel.LocationWanted) -> None:
        await chat.go_to(event.part, event.offset, event.column)

    @handles(panel.ChangesWanted)
    async def _show_changes(self, chat: Chat, event: panel.ChangesWanted) -> None:
        await chat.reviewing.show_at(event.part)

    @handles(panel.RequestAnswered)
    async def _answered(self, chat: Chat, event: panel.RequestAnswered) -> None:
        if event.key == "d":
            await self._press(chat, event.part, 0)
        elif event.kind == KIND:
            await chat.consent.key(event.part, event.key)
        else:
            await chat.answers.key(event.part, event.key, event.kind, event.reason)

    @handles(panel.AnswerWanted)
    async def _choose_answer(self, chat: Chat, _event: panel.AnswerWanted) -> None:
        await chat.choose_answer()

    @handles(panel.ModeCycled)
    async def _cycle_mode(self, chat: Chat, _event: panel.ModeCycled) -> None:
        await chat.cycle_mode()

    @handles(panel.TodosToggled)
    async def _toggle_todos(self, chat: Chat, _event: panel.TodosToggled) -> None:
        await chat.toggle_todos()

    @handles(panel.Stopped)
    async def _stop(self, chat: Chat, event: panel.Stopped) -> None:
        await chat.stop(event.taken)

    @handles(panel.Restarted)
    async def _restart(self, chat: Chat, _event: panel.Restarted) -> None:
        await chat.running.restart()

    @handles(panel.BackgroundAsked)
    async def _move_to_background(self, chat: Chat, event: panel.BackgroundAsked) -> None:
        await chat.background.move(event.part)

    @handles(panel.LoginWanted)
    async def _log_in(self, chat: Chat, _event: panel.LoginWanted) -> None:
        await self._logins.log_in(chat)

    @handles(panel.LoggedIn)
    async def _logged_in(self, chat: Chat, event: panel.LoggedIn) -> None:
        await self._logins.go_on(chat, succeeded=event.succeeded)

    async def _press(self, chat: Chat, part: int, offset: int) -> None:
        session = await chat.press(part, offset)
        if session and any(each.agent.session == session for each in self._chats.values()):
            await self._resuming.go_on(chat.kind, session)
        elif session:
            await chat.kind.check_session(Path(chat.root), session)
            await chat.running.become(session)

    async def _close(self, chat: Chat) -> None:
        self._chats.pop(chat.id, None)
        session, agent = chat.agent.session, chat.agent
        is_lasting = bool(session and chat.transcript.prompts) and abilities.has(agent, "resume")
        try:
            await chat.close()
        finally:
            await self._agents.closed(agent)
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


async def _export(chat: Chat, path: str, editor: Editor) -> None:
    """Write the conversation to a file, or show it."""
    text = await chat.export()
    if not path:
        await editor.port.windows.show_text(chat.agent.name, "conversation.md", text, "markdown")
        return
    target = Path(chat.root, Path(path).expanduser())
    try:
        target.touch(exist_ok=False)
        target.write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UserError(f"{path} already exists") from None
    except OSError as error:
        raise UserError(f"cannot write {target}: {error.strerror}") from None
    editor.notify(f"wrote {path}")


async def _greet(chat: Chat, stored: StoredSessions) -> None:
    """Offer the latest sessions in an empty chat."""
    if chat.kind.needs_trust:
        # Only an agent that has started knows whether it can resume a session.
        try:
            await chat.running.offer()
        except UserError:
            return
    if abilities.has(chat.agent, "resume"):
        found = await stored.of(chat.kind, Path(chat.root))
        # Some agents list a session before its first prompt.
        chat.welcome.offer([each for each in found if each.id != chat.agent.session])
        chat.refresh()
