"""The calls into Neovim; each is one Lua function and happens in one instant.

While Neovim is busy, calls that change nothing return the last known state.
"""

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from claude_ide.editor.checks import Published, decoded
from claude_ide.editor.diffs import Diffs
from claude_ide.editor.events import Events
from claude_ide.editor.finishing import Finishing
from claude_ide.editor.port import Port, without_error
from claude_ide.editor.private_files import PrivateFiles
from claude_ide.editor.servers import Servers
from claude_ide.editor.state import Diagnostics, Loaded, State
from claude_ide.editor.terminals import Terminals
from claude_ide.editor.tools import Tools
from claude_ide.editor.typing import Typing
from claude_ide.editor_name import NEOVIM, editor_name, for_this_editor
from claude_ide.paths import from_uri, is_same

BUSY_SECONDS = 0.25
"""How long a read waits while Neovim is busy, such as at a prompt or in `system()`."""

BUSY_LOOKS = 5
"""In how many parts it waits. If this process itself stands still, only one of them is lost."""

UNCHECKED = "no language server or linter has checked it"
PENDING = "it has just changed, and not all servers and linters have reported yet"
BEHIND = "the file has changed on disk; these are for the older text that Neovim shows"
BUSY = "Neovim is busy; these are earlier results"

QUOTED_LINES = re.compile(r"#L\d+(?:-\d+)?$")

T = TypeVar("T")


class Editor:
    """Neovim, noun by noun. Raises `EditorError` with one sentence.

    `folders` are its working folders until its first report: clients may connect before that.
    `privacy` is the value of this option.
    """

    def __init__(self, port: Port, folders: Iterable[str] = (), privacy: Any = None) -> None:
        self._port = port
        self.state = State(folders=[*folders])
        self.events = Events(self.state)
        self.private_files = PrivateFiles(port, [*folders], privacy)
        self._screen_events()
        self.diffs = Diffs(port, self.events)
        self.terminals = Terminals(port, self.state)
        self.typing = Typing(port)
        self._finishing = Finishing(port, self.events)
        self._finish = self._finishing.finish
        self._tools = Tools(port, self.events, self.new_token)
        self.servers = Servers(port, self._tools)
        self._published = Published(port)
        self.published = self._published.wait

    # The server's state, as shown to the user.

    async def listening(self, port: int, token: str) -> None:
        """Report the server's address, and start to receive what the user does."""
        private = self.private_files
        # The editor shares nothing without the rules, which come first.
        private.watch(True)
        await self._port.call("host.listening", port, token)
        snapshot = await self._port.json("file.editor_changes.begin")
        self.state.apply_snapshot(private.snapshot(snapshot))
        self.state.selection = None
        latest = private.selection(await self._port.call("selection.latest"))
        # Events during the call have been handled by now, and are newer than `latest`.
        self.state.selection = self.state.selection or latest

    def _screen_events(self) -> None:
        """Have no event name a private file."""
        private, screen = self.private_files, self.events.screen
        screen("selection_changed", private.selection)
        screen("editors_changed", private.snapshot)
        screen("some_editors_changed", private.snapshot)
        screen(
            "diagnostics_changed",
            lambda event: None if private.is_private_uri(event["uri"]) else event,
        )
        private.when_changed = self.state.diagnostics.clear
        self.events.subscribe("privacy_facts", private.apply_facts)

    async def stopped(self) -> None:
        """Report that the server has stopped."""
        self.private_files.watch(False)
        await self._port.call("host.stopped")

    def notify(self, text: str, level: str = "info") -> None:
        """Show one line (`debug`, `info`, `warn`, `error`) that causes no prompt."""
        self._port.notify("say.message.show", text, level)

    def announce(self, event: str, data: dict[str, Any]) -> None:
        """Raise a `User` event."""
        self._port.notify("say.announce.event", event, data)

    def explain(self, launch: str, path: str, words: str) -> None:
        """Say why the CLI of a launch edits a file; empty if the edit is over.

        Its diff may open later.
        """
        self._port.notify("diff.why.tell", launch, path, words)

    def clients_changed(self, count: int) -> None:
        """Report the number of connected clients."""
        self._port.notify("host.clients", count)

    async def run(self, function: str, *arguments: Any) -> Any:
        """Call a Lua function that only the caller needs. Raises `EditorError`."""
        return await self._checked(function, *arguments)

    # Buffers.

    async def editors(self) -> list[dict[str, Any]]:
        """Return the open file buffers as `getOpenEditors` describes them."""
        try:
            editors = list(await self._soon_json("file.open_editors.editors"))
        except TimeoutError:
            editors = self.state.editors
        return self.private_files.editors(editors)

    async def paths(self) -> list[str]:
        """Return the absolute paths of the open files."""
        paths = await self._fresh("file.open_editors.paths", last_known=lambda: self.state.paths)
        return self.private_files.paths(paths)

    async def folders(self) -> list[str]:
        """Return the working folders: the global one, then those of tabpages and windows."""
        return await self._fresh("file.folders.all", last_known=lambda: self.state.folders)

    async def current_path(self) -> str | None:
        """Return the path of the current file, or None."""
        function = "file.open_editors.current"
        return self.private_files.path(
            await self._fresh(function, last_known=lambda: self.state.current)
        )

    async def private(self, paths: Iterable[str]) -> dict[str, str]:
        """Return those of the files that stay in the editor, each with the reason."""
        return await self.private_files.among(paths)

    async def refusal(self, path: str) -> str:
        """Return in one line why a file stays in the editor; empty if it need not."""
        private = await self.private([path])
        return self.private_files.sentence(path, private[path]) if private else ""

    async def names_private(self, text: str) -> bool:
        """Return whether a text names a file that stays in the editor, and is or was open there."""
        return bool(await self._port.call("privacy.is_named", text))

    async def dirty(self, path: str) -> dict[str, bool]:
        """Return `{isOpen, isDirty, isUntitled}` of a file; only `isOpen` if it is not open."""

        def last_known() -> dict[str, bool]:
            known = self.state.editor(path)
            if known is None:
                return {"isOpen": False}
            return {"isOpen": True, "isDirty": known["isDirty"], "isUntitled": False}

        return await self._fresh("file.buffers.dirty", path, last_known=last_known)

    async def text(self, path: str, *, real: bool = False) -> str | None:
        """Return the text of a loaded file, saved or not; None if it is not loaded.

        `real` says that `path` has no links, so that none is followed.
        """
        found: dict[str, str] | None = await self._checked("file.buffers.text", path, real)
        return found["text"] if found else None

    async def modified(self, paths: Iterable[str]) -> set[str]:
        """Return those of the files whose buffers have unsaved changes."""
        return set(await self._port.call("file.buffers.modified", list(paths)))

    async def find(self, path: str, *, real: bool = False) -> dict[str, Any] | None:
        """Return `{bufnr, loaded, modified, listed}` of a file's buffer, or None."""
        found: dict[str, Any] | None = await self._checked("file.buffers.find", path, real)
        return found

    async def save(self, path: str) -> None:
        """Save a file's buffer as `:write` does."""
        await self._checked("file.buffers.save", path)

    async def reformat(self, path: str) -> str:
        """Format a file with the user's formatters; return a sentence on what has changed."""
        finished = await self._finish("format.reformat", path)
        return str(finished["report"])

    # Windows.

    async def open_file(self, request: dict[str, Any]) -> dict[str, Any]:
        """Open a file in a suitable window; `file/open.lua` describes the keys of `request`."""
        opened: dict[str, Any] = await self._checked("file.open.open_file", request)
        return opened

    async def open_files(self, paths: list[str]) -> tuple[list[str], list[str]]:
        """Open files; return the paths that are open now, and the errors of the others."""
        opened = await self._checked("file.open.open_files", paths)
        return list(opened["opened"]), list(opened["errors"])

    async def close_file(self, path: str) -> bool:
        """Close a file without losing changes; return whether it is closed."""
        closed = await self._checked("file.open.close_file", path)
        return bool(closed.get("closed"))

    # Selection and mentions.

    async def current_selection(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the current file; None outside files."""
        return self._shared(
            await self._fresh("selection.current", last_known=lambda: self.state.selection)
        )

    async def latest_selection(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the file where the user was last."""
        return self._shared(
            await self._fresh("selection.latest", last_known=lambda: self.state.selection)
        )

    def _shared(self, selection: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return a selection; None if it is in a private file."""
        shared = self.private_files.selection(selection)
        return None if shared and shared.get("filePath") == "" else shared

    async def mention(self, function: str, *arguments: Any) -> dict[str, Any]:
        """Return the parameters of `at_mentioned` (`selection/mention.lua`)."""
        mention: dict[str, Any] = await self._checked(f"selection.mention.{function}", *arguments)
        (shared,) = await self.shared_mentions([mention])
        checked: dict[str, Any] = without_error(shared)
        return checked

    async def shared_mentions(self, mentions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return mentions, those of private files as `{error: …}`."""
        paths = [mentioned_path(each.get("filePath", "")) for each in mentions]
        private = await self.private(path for path in paths if path)
        return [
            {"error": self.private_files.sentence(path, private[path])}
            if path in private
            else mention
            for path, mention in zip(paths, mentions, strict=True)
        ]

    # Diagnostics and writes.

    async def diagnostics(self, path: str) -> dict[str, Diagnostics]:
        """Return the diagnostics of one file, by uri; read in slices."""
        try:
            return await self._read_on(await self._first("diagnostics.read", path))
        except TimeoutError:
            return dict(self.state.diagnostics)

    async def all_diagnostics(self, seconds: float) -> dict[str, Diagnostics]:
        """Return the diagnostics of all files; the last known ones if Neovim is busy."""
        try:
            return await self.present_diagnostics(seconds)
        except TimeoutError:
            return dict(self.state.diagnostics)

    async def present_diagnostics(self, seconds: float) -> dict[str, Diagnostics]:
        """Return the diagnostics of all files, after Neovim has reloaded those written on disk.

        Language servers and linters get `seconds` to check the reloaded ones. Raises `TimeoutError`
        if Neovim is busy.
        """
        answer = await self._first("diagnostics.read_all")
        part = answer.get("first")
        if part is None:
            if unsettled := self._published.unsettled(decoded(answer["checks"])):
                await self.published(unsettled, seconds)
            part = await self._first("diagnostics.read", False)
        return await self._read_on(part)

    async def load(self, path: str) -> Loaded:
        """Load a file for a while, unseen, so that it is checked even if it is not open.

        Raises `TimeoutError` if Neovim is too busy.
        """
        return Loaded(**await self._soon("diagnostics.unopened.load", path))

    async def is_checked(self, path: str, seconds: float) -> bool:
        """Load a file; return whether it has been checked, or is checked now within `seconds`."""
        return await self.checked(await self.load(path), seconds)

    async def checked(self, loaded: Loaded, seconds: float) -> bool:
        """Return whether a file has been checked; one loaded just now is given `seconds`."""
        if loaded.is_cold:
            return await self.published([loaded.bufnr], seconds)
        return loaded.is_checked or bool(loaded.obstacle)

    async def before_write(self, path: str) -> tuple[dict[str, Diagnostics] | None, Loaded]:
        """Prepare for a file to be written by the client: load it, unless it is loaded.

        Returns the file's diagnostics by uri, or None if it was not loaded. Raises `TimeoutError`
        if Neovim is too busy.
        """
        answer = without_error(await self._first("diagnostics.before_write.read", path))
        first = answer.get("first")
        return first and await self._read_on(first), Loaded(**answer["loaded"])

    def release(self) -> None:
        """Unload the files that were loaded only to be checked."""
        self._port.notify("diagnostics.unopened.release")

    async def check(self, path: str, seconds: float) -> Diagnostics:
        """Return the diagnostics of one file after a check of at most `seconds`.

        Their `note` says if the check is missing, incomplete or of an older text.
        """
        try:
            loaded = await self.load(path)
            if loaded.obstacle:
                return Diagnostics(note=f"not checked: {loaded.obstacle}")
            # A separate call: servers may attach a moment after the load.
            begun = await self._soon("diagnostics.check.begin", loaded.bufnr)
            unsettled = self._published.unsettled(decoded(begun["checks"]))
            is_settled = loaded.bufnr not in unsettled or await self.published(
                [loaded.bufnr], seconds
            )
            read = await self._first("diagnostics.check.read", path, loaded.bufnr)
            known = next(iter((await self._read_on(read["first"])).values()), Diagnostics())
            known.note = (
                for_this_editor(BEHIND) if begun["is_behind"] else "" if is_settled else PENDING
            )
            if not read["is_checked"]:
                known.note = UNCHECKED
        except TimeoutError:
            return self._last_known(path)
        return known

    def last_known_diagnostics(self) -> dict[str, Diagnostics]:
        """Return the diagnostics from before Neovim became busy, each with a note that says so."""
        return {
            uri: Diagnostics(known.items, known.omitted, for_this_editor(BUSY))
            for uri, known in self.state.diagnostics.items()
        }

    def _last_known(self, path: str) -> Diagnostics:
        known = self.last_known_diagnostics()
        same = (known[uri] for uri in known if is_same(from_uri(uri), path))
        return next(same, Diagnostics(note=for_this_editor(BUSY)))

    async def _read_on(self, part: dict[str, Any]) -> dict[str, Diagnostics]:
        """Read the remaining slices; return the diagnostics of all slices by uri."""
        token, found = part["token"], dict[str, Diagnostics]()
        try:
            while True:
                for file in part["files"]:
                    if self.private_files.is_private_uri(file["uri"]):
                        continue
                    known = found.setdefault(file["uri"], Diagnostics())
                    known.items.extend(file["items"])
                    known.omitted += file["omitted"]
                if part["done"]:
                    return found
                part = await self._soon_json("diagnostics.next", token)
        except BaseException:
            self._port.notify("diagnostics.finish", token)
            raise

    async def _first(self, function: str, *arguments: Any) -> Any:
        """Begin to read diagnostics; a reading that begins too late is ended.

        Raises `TimeoutError`.
        """
        reading = self._port.json(function, *arguments)
        try:
            return await _in_time(reading)
        except BaseException:
            reading.add_done_callback(self._end_reading)
            raise

    def _end_reading(self, begun: "asyncio.Future[Any]") -> None:
        if begun.cancelled() or begun.exception() is not None:
            return
        answer = begun.result()
        token = {**answer, **(answer.get("first") or {})}.get("token")
        if token is not None:
            self._port.notify("diagnostics.finish", token)

    async def reload(self) -> list[int]:
        """Reload buffers whose files were written on disk, as one undoable change each.

        Returns the numbers of the reloaded buffers. Raises `TimeoutError` if Neovim is too busy to
        start.
        """
        await self._soon("host.server")
        return list(await self._checked("disk.reload.sync"))

    async def expect_write(self, path: str) -> None:
        """Have a file's buffer follow the next write, which the client is about to make."""
        await self._checked("disk.reload.expect", path)

    def announce_write(self, path: str, *agent: str) -> None:
        """Announce that the client, or an agent with this name, writes a file without a diff."""
        self._port.notify("disk.named_files.add", path, *agent)

    # The model's tools.

    async def use(self, function: str, arguments: dict[str, Any]) -> Any:
        """Run a tool of `lua/claude_ide/tools/` and return its answer.

        Cancelling this cancels the tool.
        """
        await self.private_files.update()
        return await self._tools.use(function, arguments)

    async def lines(self, wanted: list[dict[str, Any]]) -> list[list[str] | None]:
        """Return lines of loaded files, for each `{path, rows}`; None for a file that is not."""
        found = await self._port.json("tools.lines.loaded", wanted)
        return [each or None for each in found]

    def is_using(self, task: object) -> bool:
        """Return whether a task waits for such a tool."""
        return self._tools.is_waiting(task)

    def tools_are(self, names: list[str], others: list[str]) -> None:
        """Report the names of all tools, and of those that were not added in Neovim.

        Vim has no function to add one, and needs no names.
        """
        if editor_name() == NEOVIM:
            self._port.notify("tools.own.know", names, others)

    # Dialogues with the user.

    def new_token(self) -> int:
        """Return a token under which a dialogue can be opened, and opened again."""
        return self._finishing.new_token()

    async def ask(
        self,
        module: str,
        *arguments: Any,
        token: int = 0,
        press: Callable[[dict[str, Any]], Any] | None = None,
    ) -> dict[str, Any]:
        """Open a dialogue (`module.open`) and return the payload of its `answered` event.

        After each of its keys it shows (`module.show`) what `press` returns. Cancelling this closes
        the dialogue without an answer.
        """
        opened, shown, close = (f"{module}.{function}" for function in ("open", "show", "close"))

        def step(payload: dict[str, Any]) -> None:
            self._port.notify(shown, token, press and press(payload))

        return await self._finish(opened, *arguments, token=token, close=close, step=step)

    async def select(self, prompt: str, items: list[str]) -> int | None:
        """Return the 0-based index of the item that the user chooses; None if none."""
        answer = await self._question("dialogue.select", prompt, items)
        index = answer.get("index")
        return index - 1 if isinstance(index, int) else None

    async def choose(self, prompt: str, values: list[str], names: list[str] | None = None) -> str:
        """Return the value that the user chooses; empty if none. `names` are the labels."""
        index = await self.select(prompt, names or values) if values else None
        return "" if index is None else values[index]

    async def decide(self, prompt: str, values: list[str]) -> str:
        """Like `choose`, for a question that the user does not expect: it waits while they type."""
        answer = await self._question("dialogue.select_later", prompt, values)
        index = answer.get("index")
        return values[index - 1] if isinstance(index, int) else ""

    async def input(self, prompt: str, default: str = "") -> str | None:
        """Return the text that the user types; None if they cancel."""
        answer = await self._question("dialogue.input", prompt, default)
        text = answer.get("text")
        return text if isinstance(text, str) else None

    async def _question(self, function: str, *arguments: Any) -> dict[str, Any]:
        """Ask the user; cancelling this discards the question."""
        return await self._finish(function, *arguments, close="dialogue.close")

    # Ways to call.

    async def _fresh(self, function: str, *arguments: Any, last_known: Callable[[], T]) -> T:
        try:
            answer: T = await self._soon(function, *arguments)
        except TimeoutError:
            return last_known()
        return answer

    async def _soon(self, function: str, *arguments: Any) -> Any:
        """Call a function; raises `TimeoutError` if Neovim is too busy to answer."""
        return without_error(await _or_cancelled(self._port.call(function, *arguments)))

    async def _soon_json(self, function: str, *arguments: Any) -> Any:
        return await _or_cancelled(self._port.json(function, *arguments))

    async def _checked(self, function: str, *arguments: Any) -> Any:
        return without_error(await self._port.call(function, *arguments))


async def _in_time(answer: "asyncio.Future[T]") -> T:
    """Return an answer of Neovim; raises `TimeoutError` if it is too busy.

    An answer that arrives while this process itself stands still is not late.
    """
    for _ in range(BUSY_LOOKS):
        await asyncio.wait([answer], timeout=BUSY_SECONDS / BUSY_LOOKS)
        if answer.done():
            return answer.result()
    raise TimeoutError


async def _or_cancelled(answer: "asyncio.Future[T]") -> T:
    try:
        return await _in_time(answer)
    finally:
        answer.cancel()


def mentioned_path(path: str) -> str:
    """Return the path of a mention, which is quoted together with its lines if it has blanks."""
    return QUOTED_LINES.sub("", path[1:-1]) if path.startswith('"') else path
