"""The editor as the host knows it: its port, what it has reported last, and what waits for it.

While it is busy, methods that change nothing return the last known state.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from claude_ide.base.names import NEOVIM, editor_name, for_this_editor
from claude_ide.base.paths import is_same
from claude_ide.base.watch import FileChanges
from claude_ide.config import AttentionConfig
from claude_ide.editor.attention import Attention
from claude_ide.editor.diagnostics import Reader
from claude_ide.editor.diffs import Diffs
from claude_ide.editor.events import Diagnostics, EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import Channel, soon
from claude_ide.editor.port.diagnostics import LoadedFile, Look
from claude_ide.editor.port.events import EditorsChanged, SelectionChanged
from claude_ide.editor.port.files import Dirty
from claude_ide.editor.private_files import PrivateFiles, ToolGate
from claude_ide.editor.remote import Remote
from claude_ide.editor.status_line import SHOW_ABOVE, Limits, StatusLine
from claude_ide.editor.terminals import Terminals

if TYPE_CHECKING:
    from claude_ide.editor.checks import CheckWaiter
    from claude_ide.editor.formatting import Formatting
    from claude_ide.editor.mentions import Mentioning
    from claude_ide.editor.servers import LanguageServers
    from claude_ide.editor.typing import Typing

UNCHECKED = "no language server or linter has checked it"
PENDING = "it has just changed, and not all servers and linters have reported yet"
BEHIND = "the file has changed on disk; these are for the older text that Neovim shows"
BUSY = "Neovim is busy; these are earlier results"

RELOAD_SECONDS = 0.5
"""How long a check waits for a reload. The CLI waits for 2.0 s for all of it (measured)."""

T = TypeVar("T")


class Editor:
    """One editor. Its methods, and those of `port`, raise `EditorError` with one sentence.

    `folders` are its working folders until its first report: clients may connect before that.
    `privacy` is the value of this option; `show_above` of `limits.show_above`; `attention` says
    when the user is called, if ever.
    """

    def __init__(
        self,
        channel: Channel,
        folders: Iterable[str] = (),
        privacy: Any = None,
        show_above: float = SHOW_ABOVE,
        attention: AttentionConfig | None = None,
    ) -> None:
        self.state = EditorState(folders=[*folders])
        self.events = Events(self.state)
        self._operations = Operations(channel, self.events)
        self.port = cast(Port, Remote(channel, self._operations))
        self.file_changes = FileChanges()
        self.private_files = PrivateFiles(self.port, [*folders], privacy)
        self.gate = self._operations.gate = ToolGate(self.private_files)
        self.reader = Reader(self.port, self.private_files, self.state)
        # No event names a private file.
        self.events.screen(SelectionChanged, self.private_files.selection_changed)
        self.events.screen(EditorsChanged, self.private_files.editors_changed)
        self.private_files.when_changed = self.reader.forget
        self.events.register(self.private_files)
        self.events.register(self.reader)
        self.diffs = Diffs(self.port, self.events, lambda: self.state.folders)
        self.terminals = Terminals(self.port, self.state)
        self.limits = Limits(self.port, show_above)
        self.status = StatusLine(self.port, self.limits)
        self.events.register(self.status)
        self.attention = Attention(self.port, self.diffs, attention)
        self.events.register(self.attention)
        self.record_write: Callable[..., AbstractAsyncContextManager[None]] = lambda *_, **__: (
            nullcontext()
        )
        """Records for the review what is written for an agent meanwhile: `ReviewEvents.record`."""

    # What a server does not need to start is imported by its first use.

    @cached_property
    def typing(self) -> "Typing":
        """Types prompts into terminals."""
        from claude_ide.editor.typing import Typing

        return Typing(self.port)

    @cached_property
    def mentioning(self) -> "Mentioning":
        """Finds what the user mentions."""
        from claude_ide.editor.mentions import Mentioning

        return Mentioning(self.port, self.private_files)

    @cached_property
    def servers(self) -> "LanguageServers":
        """Asks language servers."""
        from claude_ide.editor.servers import LanguageServers

        return LanguageServers(self.port, self._operations)

    @cached_property
    def formatting(self) -> "Formatting":
        """Formats files."""
        from claude_ide.editor.formatting import Formatting

        return Formatting(self.port, self._operations, self.servers)

    @cached_property
    def checks(self) -> "CheckWaiter":
        """Waits until servers and linters have checked a text."""
        from claude_ide.editor.checks import CheckWaiter

        return CheckWaiter(self.port)

    # The server's state, as shown to the user.

    async def listening(self, port: int, token: str, lock: str) -> None:
        """Report the server's address and lock, and start to receive what the user does."""
        private = self.private_files
        await self.port.host.listening(port, token, lock)
        # The editor shares nothing without the rules; a client may have its first answer before.
        private.watch(self.file_changes)
        self.state.apply_editors(private.editors_changed(await self.port.buffers.editors()))
        self.file_changes.look()
        self.state.selection = None
        latest = private.selection(await self.port.selection.latest())
        # Events during the call have been handled by now, and are newer than `latest`.
        self.state.selection = self.state.selection or latest

    async def stopped(self) -> None:
        """Report that the server has stopped."""
        self.private_files.watch(None)
        await self.port.host.stopped()

    def notify(self, text: str, level: str = "info") -> None:
        """Show one line (`debug`, `info`, `warn`, `error`) that causes no prompt."""
        self.port.windows.notify(text, level)

    # Buffers.

    async def editors(self) -> list[dict[str, Any]]:
        """Return the open file buffers as `getOpenEditors` describes them."""
        verdict = self.private_files.verdict
        known = (await self._open_files()).editors
        return [each for each in known if each["isUntitled"] or not verdict(each["fileName"])]

    async def paths(self) -> list[str]:
        """Return the absolute paths of the open files."""
        known = (await self._open_files()).paths
        return [path for path in known if not self.private_files.verdict(path)]

    async def _open_files(self) -> EditorState:
        """Return a state that has the open files of now, or those that are known if it is busy."""
        try:
            report = await soon(self.port.buffers.editors())
        except TimeoutError:
            return self.state
        now = EditorState()
        now.apply_editors(report)
        return now

    async def folders(self) -> list[str]:
        """Return the working folders: the global one, then those of tabpages and windows."""
        return await _fresh(self.port.buffers.folders(), lambda: self.state.folders)

    async def current_path(self) -> str | None:
        """Return the path of the current file, or None."""
        path = (await self._open_files()).current
        return None if path is None or self.private_files.verdict(path) else path

    async def private(self, paths: Iterable[str]) -> dict[str, str]:
        """Return those of the files that stay in the editor, each with the reason."""
        return await self.private_files.among(paths)

    async def refusal(self, path: str) -> str:
        """Return in one line why a file stays in the editor; empty if it need not."""
        private = await self.private([path])
        return self.private_files.sentence(path, private[path]) if private else ""

    async def dirty(self, path: str) -> Dirty:
        """Return whether a file is open, and has unsaved changes."""

        def last_known() -> Dirty:
            known = self.state.editor(path)
            return Dirty(False) if known is None else Dirty(True, known["isDirty"], False)

        async def now() -> Dirty:
            found = await self.port.buffers.find(path)
            return Dirty(True, found.modified, False) if found and found.is_open else Dirty(False)

        return await _fresh(now(), last_known)

    async def text(self, path: str, *, real: bool = False) -> str | None:
        """Return the text of a loaded file, saved or not; None if it is not loaded.

        `real` says that `path` has no links, so that none is followed.
        """
        found = await self.port.buffers.text(path, real)
        return found.text if found else None

    # Selection.

    async def current_selection(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the current file; None outside files."""
        return self._shared(
            await _fresh(self.port.selection.current(), lambda: self.state.selection)
        )

    async def latest_selection(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the file where the user was last."""
        return self._shared(
            await _fresh(self.port.selection.latest(), lambda: self.state.selection)
        )

    def _shared(self, selection: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return a selection; None if it is in a private file."""
        shared = self.private_files.selection(selection)
        return None if shared and shared.get("filePath") == "" else shared

    # Diagnostics and writes.

    async def diagnostics(self, path: str) -> Diagnostics:
        """Return the diagnostics of one file; the last known ones if Neovim is busy."""
        try:
            return _only((await self.reader.read(path))[1])
        except TimeoutError:
            return self._last_known(path, "")

    async def all_diagnostics(self, seconds: float) -> dict[str, Diagnostics]:
        """Return the diagnostics of all files by path; the last known ones if Neovim is busy."""
        try:
            return await self.present_diagnostics(seconds)
        except TimeoutError:
            return dict(self.state.diagnostics)

    async def present_diagnostics(self, seconds: float) -> dict[str, Diagnostics]:
        """Return the diagnostics of all files by path, after a reload of those written on disk.

        Language servers and linters get `seconds` to check the reloaded ones. Raises `TimeoutError`
        if Neovim is busy.
        """
        unsettled, looked = await self._reload(False)
        if unsettled:
            await self.checks.wait(unsettled, seconds)
        return (await self.reader.read(False, None if unsettled else looked))[1]

    async def _reload(self, path: str | Literal[False]) -> tuple[list[int], Look]:
        """Reload what was written on disk, and look at a file or all, in one round trip.

        Returns the buffers for which answers are pending, too.
        """
        diagnostics = self.port.diagnostics
        reloaded = asyncio.ensure_future(self.port.disk.reload())
        facts = asyncio.gather(diagnostics.recent_checks(), diagnostics.look(path))
        try:
            await soon(reloaded, RELOAD_SECONDS)
            checks, looked = await soon(facts)
        finally:
            facts.cancel()
        self.reader.put_first(each.bufnr for each in checks.buffers)
        return self.checks.unsettled(checks), looked

    async def load(self, path: str, seconds: float) -> LoadedFile:
        """Load a file for a while, unseen, so that it is checked even if it is not open.

        Raises `TimeoutError` if Neovim is too busy to do so in `seconds`.
        """
        return await soon(self.port.diagnostics.load(path), seconds)

    async def is_checked(self, path: str, seconds: float) -> bool:
        """Load a file; return whether it has been checked, or is checked now within `seconds`."""
        return await self.checked(await self.load(path, seconds), seconds)

    async def checked(self, loaded: LoadedFile, seconds: float) -> bool:
        """Return whether a file has been checked; one loaded just now is given `seconds`."""
        if loaded.is_cold:
            return await self.checks.wait([loaded.bufnr], seconds)
        return loaded.is_checked or bool(loaded.obstacle)

    async def before_write(
        self, path: str, seconds: float
    ) -> tuple[Diagnostics | None, LoadedFile]:
        """Prepare for a file to be written by the client: load it, unless it is loaded.

        Returns the file's diagnostics, or None if it was not loaded. Raises `TimeoutError` if
        Neovim is too busy.
        """
        self.port.disk.announce_write(path)
        loaded = await self.load(path, seconds)
        is_known = bool(loaded.bufnr) and not loaded.is_cold
        return _only((await self.reader.read(path))[1]) if is_known else None, loaded

    async def check(self, path: str, seconds: float) -> Diagnostics:
        """Return the diagnostics of one file after a check of at most `seconds`.

        Their `note` says if the check is missing, incomplete or of an older text.
        """
        try:
            loaded = await self.load(path, seconds)
            if loaded.obstacle:
                return Diagnostics(note=f"not checked: {loaded.obstacle}")
            # A separate call: servers may attach a moment after the load.
            unsettled, looked = await self._reload(path)
            is_behind = await soon(self.port.disk.is_behind(loaded.bufnr))
            is_awaited = loaded.bufnr in unsettled
            is_settled = not is_awaited or await self.checks.wait([loaded.bufnr], seconds)
            looked, found = await self.reader.read(path, None if is_awaited else looked)
            known = _only(found)
            known.note = for_this_editor(BEHIND) if is_behind else "" if is_settled else PENDING
            if not any(file.is_checked for file in looked.files):
                known.note = UNCHECKED
        except TimeoutError:
            return self._last_known(path, for_this_editor(BUSY))
        return known

    def last_known_diagnostics(self) -> dict[str, Diagnostics]:
        """Return the diagnostics from before Neovim became busy, each with a note that says so."""
        paths = self.state.diagnostics
        return {path: self._last_known(path, for_this_editor(BUSY)) for path in paths}

    def _last_known(self, path: str, note: str) -> Diagnostics:
        known = self.state.diagnostics
        same = next((known[each] for each in known if is_same(each, path)), Diagnostics())
        return Diagnostics(same.items, same.omitted, note)

    async def reload(self) -> list[int]:
        """Reload buffers whose files were written on disk, as one undoable change each.

        Returns the numbers of the reloaded buffers. Raises `TimeoutError` if the editor is too busy
        to start.
        """
        await soon(self.port.disk.is_responding())
        return await self.port.disk.reload()

    # The model's tools.

    def is_using(self, task: object) -> bool:
        """Return whether a task waits for such a tool."""
        return self._operations.is_waiting(task)

    def tools_are(self, names: list[str], others: list[str]) -> None:
        """Report the names of all tools, and of those that were not added in Neovim.

        Vim has no function to add one, and needs no names.
        """
        if editor_name() == NEOVIM:
            self.port.own_tools.know(names, others)

    # Dialogues with the user.

    def new_token(self) -> int:
        """Return a token under which a dialogue can be opened, and opened again."""
        return self._operations.new_token()

    async def select(self, prompt: str, items: list[str]) -> int | None:
        """Return the 0-based index of the item that the user chooses; None if none."""
        index = (await self.port.dialogues.select(prompt, items)).index
        return None if index is None else index - 1

    async def choose(self, prompt: str, values: list[str], names: list[str] | None = None) -> str:
        """Return the value that the user chooses; empty if none. `names` are the labels."""
        index = await self.select(prompt, names or values) if values else None
        return "" if index is None else values[index]

    async def decide(self, prompt: str, values: list[str]) -> str:
        """Like `choose`, for a question that the user does not expect: it waits while they type."""
        index = (await self.port.dialogues.select_later(prompt, values)).index
        return "" if index is None else values[index - 1]

    async def input(self, prompt: str, default: str = "") -> str | None:
        """Return the text that the user types; None if they cancel."""
        return (await self.port.dialogues.input(prompt, default)).text


def _only(found: dict[str, Diagnostics]) -> Diagnostics:
    """Return the diagnostics of the one file that was read."""
    return next(iter(found.values()), Diagnostics())


async def _fresh(sent: Awaitable[T], last_known: Callable[[], T]) -> T:
    """Return the answer, or what is known if the editor is too busy."""
    try:
        return await soon(sent)
    except TimeoutError:
        return last_known()
