"""All sessions as this editor knows them: watched from the start, listed on demand."""

import asyncio
import contextlib
import logging
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from claude_ide.agents.stream_json.running import Records, RunningSession
from claude_ide.base import git, program
from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.base.watch import Watch
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import TerminalEnded
from claude_ide.editor.port.panel import FoundChat
from claude_ide.editor.port.terminals import Terminal
from claude_ide.hooks.registration import link_in
from claude_ide.mcp.ide import Ide
from claude_ide.review.remarks import Recipient, Recipients
from claude_ide.sessions.entry import Place

if TYPE_CHECKING:
    from claude_ide.agents.kinds import Kinds, StoredSessions
    from claude_ide.base.trust import Trust
    from claude_ide.chat.chat import Chat
    from claude_ide.chat.chats import Chats
    from claude_ide.headless.questions import Questions
    from claude_ide.hooks.endpoint import Hooks
    from claude_ide.review.service import ReviewService
    from claude_ide.sessions.sessions import SessionList

logger = logging.getLogger(__name__)

LIVE_SECONDS, IDLE_SECONDS = 0.25, 2.0
"""The pause between two looks, if the system tells of no changes; and while no CLI runs, and the
list is closed."""

ENDING_SECONDS = 1.0

TERMINAL = "terminal"


class AppServices(Protocol):
    """What sessions need of the app."""

    editor: Editor
    config: Config

    def guard(self, work: Awaitable[Any]) -> Any:
        """Run a task, and show its errors to the user."""

    async def open_terminal(
        self, given: Sequence[str], more: Mapping[str, Any] | None = None
    ) -> None:
        """Start a CLI with arguments in a terminal."""

    def begun(self, part: str) -> bool:
        """Return whether a part has been used."""

    @property
    def sessions(self) -> "SessionsHere":
        """All sessions."""

    @property
    def chats(self) -> "Chats":
        """The chats."""

    @property
    def hooks(self) -> "Hooks":
        """The hooks of the CLIs in terminals."""

    @property
    def questions(self) -> "Questions":
        """One-off requests."""

    @property
    def review(self) -> "ReviewService":
        """What waits for review."""

    @property
    def kinds(self) -> "Kinds":
        """The agents of the chat."""

    @property
    def configured(self) -> "tuple[Kinds, list[str]]":
        """The same, and what is wrong with the user's entries."""

    @property
    def trust(self) -> "Trust":
        """The folders that the user trusts."""


class Worktrees:
    """The linked worktrees in which sessions were seen."""

    def __init__(self) -> None:
        self._known: set[Path] = set()
        self._named: set[Path] = set()
        self._root_of: dict[str, Path | None] = {}

    @property
    def paths(self) -> set[Path]:
        """The folders whose changes tell that one of them has gone."""
        return {each.parent for each in self._known}

    def add(self, running: Sequence[RunningSession]) -> None:
        """Learn where sessions are."""
        folders = {each.folder for each in running}
        self._root_of = {each: self._root_of.get(each) or _linked(each) for each in folders}
        self._known |= {root for root in self._root_of.values() if root and root.is_dir()}

    def gone(self) -> list[Path]:
        """Return those that have gone since the last look, but for those that `removing` had."""
        gone = {each for each in self._known if not each.is_dir()}
        self._known -= gone
        unnamed = sorted(gone - self._named)
        self._named -= gone
        return unnamed

    @contextlib.contextmanager
    def removing(self, root: Path) -> Iterator[None]:
        """Have somebody else name what is open in one that goes."""
        self._known.add(root)
        self._named.add(root)
        try:
            yield
        except BaseException:
            self._named.discard(root)
            raise


def _linked(folder: str) -> Path | None:
    found = git.find_repository(Path(os.path.realpath(folder))) if folder else None
    return found.root if found and found.root != found.main else None


class Watcher:
    """Calls `report` in the loop with what runs, and with the worktrees that have gone."""

    def __init__(
        self,
        environment: Mapping[str, str],
        report: Callable[[list[RunningSession], list[Path]], object],
    ) -> None:
        self._records = Records(environment)
        self._report = report
        self.worktrees = Worktrees()
        self.followed: Sequence[Path] = ()
        """The files and folders whose changes count while the user looks at the list."""
        self._changes: Watch | None = None
        self._is_ended = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch until `stop`."""
        self._changes = Watch()
        # A daemon does not keep the process if a network drive hangs.
        threading.Thread(target=self._watch, args=[loop, self._changes], daemon=True).start()

    def stop(self) -> None:
        """Stop watching, without waiting for a look."""
        self.look()
        self._is_ended = True

    def look(self) -> None:
        """Look now."""
        if self._changes is not None and not self._is_ended:
            self._changes.wake()

    def _watch(self, loop: asyncio.AbstractEventLoop, changes: Watch) -> None:
        reported: list[RunningSession] = []
        is_new, stamps = True, list[Any]()
        while not (self._is_ended or loop.is_closed()):
            pids: list[int] = []
            found, gone, before = reported, list[Path](), stamps
            try:
                # What changes while it is read may have the time of what was read before.
                is_new, was_new = self._records.has_changed(), is_new
                found = self._records.read() if is_new or was_new else reported
                pids = self._records.pids
                self.worktrees.add(found)
                gone = self.worktrees.gone()
                before, stamps = stamps, [*map(_stamps, self.followed)]
            except Exception:
                logger.exception("the records of sessions could not be read")
            if found != reported or gone or stamps != before:
                reported = [*found]
                with contextlib.suppress(RuntimeError):  # the loop has just been closed
                    loop.call_soon_threadsafe(self._report, reported, gone)
            is_live = self.followed or any(each.pid for each in reported)
            paths = [*self._records.paths, *self.worktrees.paths, *self.followed]
            pause = LIVE_SECONDS if is_live else IDLE_SECONDS
            changes.wait(paths, pids, LIVE_SECONDS if is_new else None, pause)
        changes.close()


def _stamps(path: Path) -> list[tuple[str, int, int]]:
    """Return what tells a state of a file, or of the files in a folder, from others."""
    try:
        paths = [*os.scandir(path)] if path.is_dir() else [path]
        found = [(each.name, each.stat()) for each in paths]
    except OSError:
        return []
    return [(name, stat.st_mtime_ns, stat.st_size) for name, stat in found]


class SessionsHere:
    """Watches what runs; what else it has is built on its first use."""

    def __init__(self, app: AppServices) -> None:
        self._app = app
        self._making = asyncio.Lock()
        self._watch = Watcher(os.environ, self._running_changed)
        self._running: Sequence[RunningSession] = ()
        self._served: dict[str, int] = {}
        """The processes of sessions in the background that report to us, by their launches."""
        self._look_again: asyncio.TimerHandle | None = None
        app.editor.events.register(self, app.guard)
        app.editor.status.subscribe(self._something_changed)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch until `stop`."""
        self._watch.start(loop)

    def stop(self) -> None:
        """Stop watching."""
        self._watch.stop()

    @cached_property
    def stored(self) -> "StoredSessions":
        """The stored sessions of all agents; in Vim, which has no chat, those of the CLI."""
        from claude_ide.agents.kinds import Kinds, StoredSessions

        async def report(folder: Path, ids: Sequence[str]) -> None:
            await self._app.editor.port.panels.know_sessions(str(folder), list(ids))

        kinds = self._app.kinds if editor_name() == NEOVIM else self._app.configured[0]
        if editor_name() != NEOVIM:
            kinds = Kinds([each for each in kinds if each.keeps_sessions])
        return StoredSessions(kinds, self._app.trust, report)

    @cached_property
    def shown(self) -> "SessionList":
        """The list."""
        from claude_ide.sessions.sessions import SessionList

        return SessionList(self._app, lambda: self.stored, self._watch)

    def attached(self, terminals: Sequence[Terminal]) -> list[tuple[Terminal, RunningSession]]:
        """Return the terminals that show sessions in the background, with these."""
        return [
            (terminal, each)
            for terminal in terminals
            for each in self._running
            if terminal.attached and each.id and terminal.attached in (each.id, each.name)
        ]

    def by_id(self, given: Sequence[str]) -> Sequence[str]:
        """Return arguments for `attach` with an id in place of a name: 2.1.197 knows no names.

        A session that runs is meant before one of the same name that has ended.
        """
        name = " ".join(given[1:])
        named = [each for each in self._running if each.id and each.name == name]
        ids = {each.id for each in named if each.pid} or {each.id for each in named}
        return [*given[:1], *ids] if len(ids) == 1 else given

    def launch_of(self, name: str) -> str:
        """Return under which launch a session in the background reports to us, or ""."""
        named = (each for each in self._running if each.id and name in (each.id, each.name))
        links = (link_in(each.settings) for each in named if each.pid)
        return next((link.name for link in links if link is not None), "")

    async def worktree(self, name: str, folder: Path) -> Path:
        """Return the worktree with a name, which is made if it is not there. Raises `UserError`."""
        from claude_ide.sessions.worktree import made

        async with self._making:
            return await made(name, folder, runs_hooks=self._app.trust.is_trusted(folder))

    @handles(TerminalEnded)
    async def _terminal_ended(self, _: TerminalEnded) -> None:
        # It may go on in the background (`/background`), with the same link.
        await self._serve_links()

    def _serve(self) -> None:
        self._app.guard(self._serve_links())

    async def _serve_links(self) -> None:
        """Have sessions in the background of our projects report to us, if nobody else serves them.

        They were begun here, by an earlier editor, or in a terminal that was left.
        """
        found = {
            link.name: (link, each)
            for each in self._running
            if each.id and each.pid and (link := link_in(each.settings))
        }
        names = self._app.editor.terminals.in_background
        before = {**names}
        for launch, pid in [*self._served.items()]:
            # A record may be missing for a moment while it is written.
            if launch not in found and not program.lives(pid):
                del self._served[launch]
                names.pop(launch, None)
                self._app.hooks.terminal_ended(launch)
        if self._look_again is not None:
            self._look_again.cancel()
        if self._served.keys() - found.keys():
            # The process of a session ends after its record.
            loop = asyncio.get_running_loop()
            self._look_again = loop.call_later(ENDING_SECONDS, self._serve)
        projects = {Place.of(each).project for each in self._app.editor.state.folders}
        for launch, (link, each) in found.items():
            if Place.of(each.folder).project in projects:
                names[launch] = each.name or each.id
                self._served[launch] = each.pid
                await self._app.hooks.adopt(link)
        if names != before and names:
            # A host that was restarted hears of a permission before it reads the records.
            await self._app.hooks.names_changed()

    @property
    def worktrees(self) -> Worktrees:
        """Those in which sessions were seen."""
        return self._watch.worktrees

    def _running_changed(self, running: Sequence[RunningSession], gone: Sequence[Path]) -> None:
        self._running = running
        for root in gone:
            self._app.guard(self._name_open(root))
        self._serve()
        waiting = sum(bool(each.id) and each.waits for each in running)
        self._app.editor.status.background_waits(waiting)
        self.shown.running_changed(running)

    async def _name_open(self, root: Path) -> None:
        """Name what is open of a worktree that somebody else has removed."""
        from claude_ide.sessions.merging import open_below

        if left := await open_below(self._app.editor, root):
            self._app.editor.notify(f"the worktree {root.name} is removed{left}")

    def _something_changed(self) -> None:
        if "shown" in self.__dict__:
            self.shown.something_changed()


class RecipientsHere(Recipients):
    """Those of this editor. `session_of` returns the session of a terminal's launch, or ""."""

    def __init__(
        self,
        editor: Editor,
        ide: Ide,
        chats: "Callable[[], Chats | None]",
        session_of: Callable[[str], str],
    ) -> None:
        self._editor = editor
        self._ide = ide
        self._chats = chats
        self._session_of = session_of

    async def all(self) -> list[Recipient]:
        """Return the terminals, the last used one first, and the chats."""
        chats = self._chats()
        of_chats = [self._of_chat(chats, each) for each in chats.by_id.values()] if chats else []
        found = [*await self._terminals(), *of_chats]
        names = Counter(each.name for each in found)
        seen = Counter[str]()
        unique = []
        for each in found:
            seen[each.name] += 1
            name = f"{each.name} {seen[each.name]}" if names[each.name] > 1 else each.name
            unique.append(Recipient(name, each.session, each.send))
        return unique

    async def usual(self) -> Recipient | None:
        """Return the chat of this tab page if it is shown, otherwise the CLI in a terminal."""
        if chats := self._chats():
            here = await self._editor.port.panels.here()
            for chat in chats.by_id.values():
                if isinstance(here, FoundChat) and here.is_here and chat.id == here.chat:
                    return self._of_chat(chats, chat)
        if self._ide.clients or await self._editor.port.terminals.running():
            return Recipient("Claude", "", self._ide.say)
        return None

    def _of_chat(self, chats: "Chats", chat: "Chat") -> Recipient:
        return Recipient(chats.name(chat), chat.reviewing.session, chat.panel.say)

    async def _terminals(self) -> list[Recipient]:
        running = await self._editor.port.terminals.running()
        are_several = sum(each.name.isdecimal() for each in running) > 1
        found = []
        for each in running:
            number = f"{TERMINAL} {each.name}" if are_several else TERMINAL
            name = number if each.name.isdecimal() else each.name
            send = partial(self._ide.say, terminal=each.name)
            found.append(Recipient(name, self._session_of(each.launch), send))
        return found
