"""`:ClaudeSessions`: the list of all sessions, its keys, and what the editor knows of them."""

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.kinds import Stored, StoredSessions
from claude_ide.agents.stream_json.running import Records, RunningSession
from claude_ide.base.errors import UserError
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.editor.events import Run
from claude_ide.editor.port.events import ListPressed, QuitAsked
from claude_ide.editor.port.terminals import Terminal
from claude_ide.sessions.background import Background, Beginning, Leaving
from claude_ide.sessions.collection import (
    ALLOW,
    DELETE,
    MERGE,
    OPEN,
    REJECT,
    RENAME,
    REVIEW,
    STOP,
    SessionCollection,
)
from claude_ide.sessions.entry import META, WAITS, Place, SessionEntry, items, ordered
from claude_ide.sessions.here import LIVE_SECONDS, Watcher
from claude_ide.sessions.merging import WorktreeMerging, open_below
from claude_ide.sessions.worktree import goes_with
from claude_ide.ui.listing import Listing, item
from claude_ide.ui.page import row
from claude_ide.ui.request import SHOWN
from claude_ide.ui.text import one_line

if TYPE_CHECKING:
    from claude_ide.chat.chat import Chat
    from claude_ide.hooks.endpoint import Hooks
    from claude_ide.sessions.here import AppServices

NAME, TITLE = "sessions", "Sessions"
KEYS = (
    ("<CR>", OPEN, "Go to the session, attach to it, or continue it"),
    ("y", ALLOW, "Allow what it asks for", "", True),
    ("n", REJECT, "Reject what it asks for", "", True),
    ("s", STOP, "Stop the session, or the turn of a chat or a terminal"),
    ("d", DELETE, "Delete the session"),
    ("r", RENAME, "Rename the session"),
    ("gm", MERGE, "Merge its worktree"),
    ("gr", REVIEW, "Review what was written in its worktree"),
)
MOST_COUNTED = 300
"""The number of sessions, the latest first, whose turns are counted."""

NOTICED_SECONDS = 0.4
"""How long a permission must have been shown: a key typed earlier was not meant for it."""

AGES_SECONDS = 10.0
"""How often the ages, which are minutes, are drawn again."""

SHARE, LONGEST_PAUSE_SECONDS = 4, 1.0
"""After an update comes a pause that is as many times as long, within bounds."""

NOTHING, NO_SESSION = "nothing found", "no session"
MORE = "there is more of it: scroll until all of it is shown"


class SessionList:
    """The list, and what the editor tells others of the sessions."""

    def __init__(
        self, app: "AppServices", stored: Callable[[], StoredSessions], watch: Watcher
    ) -> None:
        self._app = app
        self._stored = stored
        self._editor = app.editor
        self._port = app.editor.port
        self._run: Run = app.guard
        self._watch = watch
        self.background = Background(app)
        self._merging = WorktreeMerging(app, self.background)
        self._has_chats = editor_name() == NEOVIM
        self._listing = Listing(NAME, KEYS, self._port, app.guard)
        self._found = SessionCollection(self._editor, stored, self._chats, self._hooks)
        self.leaving = Leaving(app, self.background, self._found, watch)
        self._listed: list[SessionEntry] = []
        self._entries: dict[str, SessionEntry] = {}
        self._words: list[str] = []
        self._turns: dict[str, tuple[datetime, int]] = {}
        self._passages: dict[str, str] = {}
        self._shown_since: dict[tuple[int, str], float] = {}
        """When what is asked was first shown, by its part and how much of it was shown."""
        self._changed = asyncio.Event()
        self._is_wanted = False
        """Whether the stored sessions belong to what the editor knows, because it has asked."""
        self._is_refreshing = False
        self._reported: list[dict[str, Any]] = []

    def _chats(self) -> "Mapping[int, Chat]":
        return self._app.chats.by_id if self._app.begun("chats") else {}

    def _hooks(self) -> "Hooks | None":
        return self._app.hooks if self._app.begun("hooks") else None

    # What the editor knows.

    def running_changed(self, running: Sequence[RunningSession]) -> None:
        """Learn what runs."""
        self._found.running = [*running]
        self.something_changed()

    def wanted(self) -> None:
        """Have the editor know the stored sessions, too: it was asked for them."""
        self._is_wanted = True
        self._watch.look()
        self.something_changed()

    def something_changed(self) -> None:
        """Learn that a chat or a terminal may have another state."""
        self._changed.set()
        if not (self._listing.is_open or self._is_refreshing):
            self._is_refreshing = True
            self._run(self._refresh())

    async def _refresh(self) -> None:
        try:
            while self._changed.is_set():
                self._changed.clear()
                if self._is_wanted:
                    await self._found.read()
                self._report(await self._found.collect())
        finally:
            self._is_refreshing = False

    def _report(self, found: list[SessionEntry]) -> None:
        known = {each.name: each.folder for each in self._found.terminals}
        for each in found:
            # A session may enter a worktree, and leave it again.
            if each.terminal in known and each.place.worktree != known[each.terminal]:
                self._port.terminals.work_in(each.terminal, each.place.worktree)
        values = [each.value() for each in ordered(found, "")]
        if values != self._reported:
            self._reported = values
            self._port.windows.set_sessions(msgspec.json.encode(values).decode())

    def in_background(self, terminals: Sequence[Terminal]) -> dict[str, str]:
        """Return the ids of what runs in the background, by name, but for what a terminal shows.

        Several of one name have their ids in it, too.
        """
        shown = {each.attached for each in terminals}
        running = [each for each in self._found.running if each.id and each.pid]
        hidden = [each for each in running if not shown & {each.id, each.name}]
        counted = Counter(each.name for each in hidden) + Counter(each.name for each in terminals)
        return {
            each.name if counted[each.name] == 1 else f"{each.name} {each.id}".strip(): each.id
            for each in hidden
        }

    async def begin(self, wanted: Beginning) -> None:
        """Begin a session in the background, and say which it is."""
        said = await self.background.begin(wanted)
        self._watch.look()
        self._editor.notify(said)

    async def quit(self, asked: QuitAsked) -> None:
        """Answer an editor that is about to exit, once the option `terminal.quit` is obeyed."""
        problem = ""
        try:
            problem = await self.leaving.before_exit(asked)
        except UserError as error:
            problem = str(error)
        finally:
            self._port.terminals.answer_quit(problem)

    async def merge(self, name: str) -> None:
        """Merge the worktree with a name, or that of the working folder."""
        here = Path(await self._port.buffers.folder())
        await self._merging.begin(name, here)
        self._watch.look()

    async def release(self, session: str) -> bool:
        """Stop a session in the background after a question, so that a chat may go on with it.

        Return False if the user does not want that.
        """
        running = await asyncio.to_thread(Records(os.environ).read)
        found = next((each for each in running if each.session == session and each.id), None)
        if found is None or not found.pid:
            return True
        name = one_line(found.name or found.id, 60)
        asked = f"“{name}” runs in the background. Stop it, and go on here?"
        if await self._editor.choose(asked, ["Stop it", "Leave it"]) != "Stop it":
            return False
        await self.background.stop(found)
        return True

    # The list.

    async def open(self, words: str) -> None:
        """Open the list; with words, only of the sessions that contain all of them."""
        self._listing.end()
        self._words, self._passages, self._found.asked = words.split(), {}, []
        self._is_wanted = True
        await self._listing.open(self._title(), self._draw_first, self._follow)
        if self._listing.is_open and not self._found.asked:
            self._run(self._ask(self._found.folder))

    async def choose(self, words: str) -> None:
        """Go to the session that the user chooses of those that contain all of these words."""
        await self._found.read()
        found = await self._in_order(await self._found.collect())
        named = {each.id: each for each in found if each.contains(words.split())}
        if not named:
            raise UserError(NOTHING if words else NO_SESSION)
        labels = [each.label for each in named.values()]
        if chosen := await self._editor.choose(f"{TITLE}:", [*named], labels):
            await self._go(named[chosen])

    async def press(self, pressed: ListPressed) -> None:
        """Handle a key of the list on a session."""
        if pressed.key == "closed":
            self._watch.followed = ()
            return self._listing.end()
        if not pressed.id:
            return
        entry = self._entries.get(pressed.id)
        if entry is None:
            raise UserError("this session is no longer there")
        name = next(name for key, name, *_ in KEYS if key == pressed.key)
        if name in (ALLOW, REJECT):
            await self._answer(entry, pressed.key, is_seen=pressed.is_seen)
        elif name not in entry.lacks or name == DELETE:
            await self._acts[name](entry)
        if self._listing.is_open:
            await self._found.read()
            await self._draw()

    @property
    def _acts(self) -> dict[str, Callable[[SessionEntry], Awaitable[None]]]:
        return {
            OPEN: self._go,
            STOP: self._stop,
            DELETE: self._delete,
            RENAME: self._rename,
            REVIEW: self._review,
            MERGE: self._merge,
        }

    # Keys.

    async def _go(self, entry: SessionEntry) -> None:
        source = entry.source
        if entry.kind == "elsewhere":
            # Both would write to the session.
            raise UserError(
                f"the session is running in process {entry.pid}, in another editor or terminal"
            )
        await self._listing.close()
        if isinstance(source, Terminal) or entry.terminal:
            await self.go_to_terminal(entry.terminal)
        elif isinstance(source, RunningSession):
            await self.background.attach(source.id)
        elif isinstance(source, Stored):
            await self._continue(source, Path(entry.place.folder))
        else:
            await self._app.chats.reveal(source)

    async def _continue(self, stored: Stored, folder: Path) -> None:
        if self._has_chats:
            await self._app.chats.go_on(stored.kind, stored.summary.id, folder)
        else:
            await self._app.open_terminal(["--resume", stored.summary.id], {"cwd": str(folder)})

    async def go_to_terminal(self, name: str) -> None:
        """Show a terminal, or the pane of tmux that it is in, and go there."""
        running = await self._port.terminals.running()
        terminal = next((each for each in running if each.name == name), None)
        if terminal is None:
            raise UserError("this terminal has just ended")
        if terminal.pane and not terminal.is_current:
            for each in running:
                if each.is_current and each.pane:
                    await self._app.hooks.hide_pane(each.pane)
        await self._port.terminals.switch(name)

    async def _answer(self, entry: SessionEntry, key: str, *, is_seen: bool) -> None:
        asks = entry.asks
        if asks is None:
            return
        since = self._shown_since.get((id(asks), asks.kind))
        if not is_seen:
            self._editor.notify(MORE)
        elif key == "y" and asks.kind not in SHOWN[key]:
            asks.unfold(key)
        elif since is None or time.monotonic() - since < NOTICED_SECONDS:
            return
        elif isinstance(entry.source, Terminal | RunningSession):
            await self._app.hooks.answer_permission(asks, key)
        elif entry.kind == "chat":
            chat = self._chat(entry)
            await chat.answers.key(asks.part.id, key, asks.kind)

    def _chat(self, entry: SessionEntry) -> "Chat":
        for chat in self._chats().values():
            if chat is entry.source:
                return chat
        raise UserError("this chat has just ended")

    async def _stop(self, entry: SessionEntry) -> None:
        if isinstance(entry.source, RunningSession):
            await self.background.stop(entry.source)
        elif isinstance(entry.source, Terminal):
            await self._editor.typing.interrupt(entry.terminal)
        else:
            chat = self._chat(entry)
            await chat.stop()

    async def _rename(self, entry: SessionEntry) -> None:
        if not isinstance(entry.source, Stored):
            chat = self._chat(entry)
            return await chat.settings.rename("")
        kind, summary = entry.source
        title = await self._editor.input("Title: ", summary.title)
        if title:
            await kind.rename_session(Path(entry.place.folder), summary.id, one_line(title))

    async def _delete(self, entry: SessionEntry) -> None:
        match entry.kind:
            case "chat":
                raise UserError("this chat is running (:ClaudeChat end ends it)")
            case "terminal" | "elsewhere":
                raise UserError(f"the session is running in process {entry.pid}")
        title = one_line(entry.name or entry.first_prompt, 60)
        source = entry.source
        if isinstance(source, RunningSession):
            root = Path(entry.place.worktree)
            also = await goes_with(root, Path(entry.place.project))
            asked, remove = f"Remove “{title}” with its worktree?", f"Remove it{also}"
            if source.pid:
                asked = f"“{title}” is running: stop and remove it?"
            # A question is cut to one line of the screen, and an answer is shown whole.
            if await self._editor.decide(asked, [remove, "Keep it"]) == remove:
                left = await open_below(self._editor, root)
                with self._app.sessions.worktrees.removing(root):
                    said = await self.background.remove(source.id)
                self._editor.notify(said if root.exists() else f"{said}{left}")
        elif isinstance(source, Stored):
            if not source.kind.deletes_sessions:
                raise UserError(f"{source.kind.name} cannot delete a stored session")
            asked = f"Delete “{title}” for good?"
            if await self._editor.select(asked, ["Delete it", "Keep it"]) == 0:
                await self._delete_stored(source, Path(entry.place.folder))

    async def _delete_stored(self, stored: Stored, folder: Path) -> None:
        await stored.kind.delete_session(folder, stored.summary.id)
        await self._stored().forget(folder, stored.summary.id)
        self._found.asked = [each for each in self._found.asked if each.key != stored.key]

    async def _review(self, entry: SessionEntry) -> None:
        await self._app.review.show(entry.place.folder)

    async def _merge(self, entry: SessionEntry) -> None:
        if entry.place.worktree == entry.place.project:
            raise UserError(f"this is no linked worktree: {entry.place.worktree}")
        await self._merging.begin("", Path(entry.place.worktree))

    # Content.

    async def _follow(self) -> None:
        """Update the list until it is closed."""
        while True:
            if self._watch.followed != self._found.paths:
                self._watch.followed = self._found.paths
                self._watch.look()
            began = time.monotonic()
            while await self._advance():
                await self._draw()
            # While a session works, it changes again and again.
            spent = time.monotonic() - began
            await asyncio.sleep(min(max(LIVE_SECONDS, SHARE * spent), LONGEST_PAUSE_SECONDS))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(AGES_SECONDS):
                    await self._changed.wait()
            if self._changed.is_set():
                self._changed.clear()
                await self._found.read()
                await self._draw()
            else:
                await self._show()

    async def _advance(self) -> bool:
        """Search or count one more session; False if there is none."""
        for key, (folder, (kind, summary)) in [*self._found.stored.items()][:MOST_COUNTED]:
            if not kind.keeps_sessions:
                continue
            if self._words and key not in self._passages:
                found = await kind.find_passage(folder, summary.id, self._words)
                self._passages[key] = found
                return True
            known = self._turns.get(key)
            if self._is_listed(key, summary) and (known is None or known[0] != summary.changed):
                turns = await kind.count_turns(folder, summary.id)
                self._turns[key] = (summary.changed, turns)
                return True
        return False

    async def _ask(self, folder: Path) -> None:
        """Ask the agents that must be started."""
        if self._has_chats:
            asked = await self._stored().asked(folder)
            if folder == self._found.folder:
                self._found.asked = asked
                self._changed.set()

    async def _draw_first(self) -> None:
        await self._found.read()
        if not (self._found.stored or await self._found.collect()):
            await self._ask(self._found.folder)
        await self._draw()

    async def _draw(self) -> None:
        collected = await self._found.collect()
        self._report(collected)
        self._listed = await self._in_order(collected)
        await self._show()

    async def _show(self) -> None:
        """Show the sessions as they were collected last, with their ages of now."""
        waiting = self._app.review.waiting if self._app.begun("review") else {}
        written = sum((Counter(each.sessions) for each in waiting.values()), Counter[str]())
        known = [self._known(each, written) for each in self._listed]
        found = [each for each in known if each.passage or each.contains(self._words)]
        are_several = len({each.agent for each in found}) > 1
        entries = [replace(each, shows_agent=are_several) for each in found]
        self._entries = {each.id: each for each in entries}
        names = [str(name) for _, name, *_ in KEYS]
        files = {root: len(each.hunks) for root, each in waiting.items()}
        listed = [*items(entries, datetime.now(UTC), files, names)]
        nothing = item("", [row((NOTHING if self._words else NO_SESSION, META))], names)
        await self._listing.show(self._title(), listed or [nothing])
        now = time.monotonic()
        asked = {(id(each.asks), each.asks.kind) for each in entries if each.asks is not None}
        self._shown_since = {each: self._shown_since.get(each, now) for each in asked}

    async def _in_order(self, entries: Sequence[SessionEntry]) -> list[SessionEntry]:
        here = await asyncio.to_thread(Place.of, str(self._found.folder))
        return ordered(entries, here.project)

    def _known(self, entry: SessionEntry, written: Mapping[str, int]) -> SessionEntry:
        """Return an entry with what was counted and searched, and the files it has `written`."""
        turns = self._turns[entry.id][1] if entry.id in self._turns else entry.turns
        source, session = entry.source, entry.session
        if not isinstance(source, Terminal | RunningSession | Stored):
            session = source.reviewing.session
        files, passage = written.get(session, 0), self._passages.get(entry.id, "")
        return replace(entry, turns=turns, files=files, passage=passage)

    def _title(self) -> str:
        if not self._words:
            waiting = sum(each.state == WAITS for each in self._entries.values())
            return f"{TITLE} · {waiting} waiting" if waiting else TITLE
        searched = sum(each.kind.keeps_sessions for _, each in self._found.stored.values())
        rest = searched - len(self._passages)
        progress = f" · {rest} to search" if rest > 0 else ""
        return f"{TITLE} with {' '.join(self._words)}{progress}"

    def _is_listed(self, key: str, stored: SessionSummary) -> bool:
        named = f"{stored.title} {stored.first_prompt}".casefold()
        is_named = all(word.casefold() in named for word in self._words)
        return bool(self._passages.get(key)) or is_named
