"""The part that all clients share: connections, notifications, and queued mentions."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from claude_ide.base import git, program
from claude_ide.base.errors import EditorError, RpcError, TransportClosed, UserError
from claude_ide.base.git import Repository
from claude_ide.base.paths import real
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.editor.mentions import check_private, choose_elsewhere, mentioned_path
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import SelectionChanged
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import ClientConnection, Server
from claude_ide.transport.jsonrpc import Peer
from claude_ide.transport.websocket import Connection

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels

logger = logging.getLogger(__name__)

PING_SECONDS = 5.0
PONG_SECONDS = 3.0
LISTED_SECONDS = 0.5
WELCOME_PINGS = 3
WELCOME_PAUSE = 0.03
SILENT_SECONDS = 0.4
"""How long a client that answers no ping waits for the selection."""

SAVED = "saved; Claude gets it when it connects (:Claude)"


class _Text(NamedTuple):
    """Words that wait for a client, which the editor keeps under a number."""

    number: int
    words: str
    submit: bool


class Ide:
    """All clients of the server; `serve` runs one."""

    def __init__(
        self, editor: Editor, config: Config, kernels: "Callable[[], Kernels] | None" = None
    ) -> None:
        self.editor = editor
        self.config = config
        self._kernels = kernels
        self.mentions: deque[dict[str, Any]] = deque()
        self.texts: deque[_Text] = deque()
        """Words for the prompt of the next client."""
        self._served: dict[Client, ClientConnection] = {}
        editor.events.register(self)
        editor.reader.when_changed = self._diagnostics_changed

    @property
    def clients(self) -> list[Client]:
        """The clients that have finished `initialize`, in the order of connection."""
        return [client for client in self._served if client.initialized]

    async def serve(self, connection: Connection) -> None:
        """Serve one client until it leaves; then cancel its requests."""
        client = Client(self.editor, self.config, kernels=self._kernels)
        tasks: list[asyncio.Task[None]] = []

        def welcome() -> None:
            tasks.append(asyncio.ensure_future(self._welcome(client, served)))

        server = Server(client, welcome, self._report_pids)
        served = self._served[client] = ClientConnection(
            connection, server, lambda: client.shown_name
        )
        tasks.append(asyncio.ensure_future(self._keep_alive(client, served)))
        try:
            await served.serve()
        finally:
            for task in tasks:
                task.cancel()
            del self._served[client]
            self.editor.port.host.clients_changed(len(self.clients))
            self._report_pids()
            if not self._served:
                self.editor.port.diagnostics.release()

    def notify_all(self, method: str, params: Any, key: object | None = None) -> None:
        """Notify every client; a slow one gets only the latest notification with a `key`."""
        for client, served in self._served.items():
            if client.informed:
                served.notify(method, params, key)

    def mention(self, mention: dict[str, Any], client: Client | None) -> None:
        """Send a mention to a client; without one, it waits for the next that may learn of it."""
        served = self._served.get(client) if client else None
        if served is None:
            self.mentions.append(mention)
        else:
            served.notify("at_mentioned", mention)

    async def say(self, words: str, terminal: str = "") -> None:
        """Type words as a prompt into the terminal of the client that a mention would go to.

        A terminal with a name gets them in place of that.

        Raises `EditorError` if no terminal of this Neovim is found, and `UserError` if they mention
        a file that stays in the editor.
        """
        addressee = None if terminal else await self.addressee()
        pid = (addressee.pid or 0) if addressee else 0
        # A mention begins where the CLI works.
        running = await self.editor.port.terminals.running()
        own = [each.folder for each in running]
        own += map(program.working_folder, filter(None, [pid, *(each.pid for each in running)]))
        folders = dict.fromkeys([*await self.editor.folders(), *filter(None, own)])
        await check_private(self.editor, words, folders)
        await self.editor.typing.say(words, pid, terminal)

    async def keep(self, words: str, *, submit: bool) -> None:
        """Keep words for the prompt of the next client; the editor has them, too."""
        number = await self.editor.port.typing.hold(words)
        self.texts.append(_Text(number, words, submit))

    async def addressee(self, path: str = "", *, asks: bool = True) -> Client | None:
        """Return the client that words in a file, or a mention of it, go to; None if none listens.

        It is the one of this tab page, or else the one that was last active, of those that may
        learn of the file. If there are only others, it is one of them, for which it `asks`. Raises
        `UserError` if the user chooses none.
        """
        clients = self.clients
        may_learn = concerned(clients, path) if path else clients
        if not may_learn and asks and any(each.listening for each in clients):
            return await self._named([each for each in clients if each.listening], path)
        may_learn = [each for each in may_learn or clients if each.listening]
        near = await self.editor.port.terminals.here() if len(may_learn) > 1 else ()
        nearest = [client for client in may_learn if client.pid in near]
        return max(nearest or may_learn, key=lambda client: client.last_active, default=None)

    async def _named(self, clients: list[Client], path: str) -> Client:
        """Return the client that the user chooses for a file of another worktree."""

        async def name(client: Client) -> str:
            label = await self.editor.terminals.label(pid=client.pid or 0)
            return f"{client.shown_name} ({label or _place(client)})"

        names = [await name(each) for each in clients]
        chosen = clients[await choose_elsewhere(self.editor, path, names)]
        if chosen not in self._served:
            raise UserError(f"not sent: {chosen.shown_name} has gone")
        return chosen

    async def drain(self, seconds: float) -> None:
        """Reject every open diff; wait at most `seconds` until the clients have their answers."""
        for diff in self.editor.diffs:
            diff.withdraw()
        answering = [served.peer.drain(seconds) for served in self._served.values()]
        await asyncio.gather(*answering)

    @handles(SelectionChanged)
    def _selection_changed(self, event: SelectionChanged) -> None:
        for client in self._concerned(event.table):
            if client.informed:
                self._served[client].notify("selection_changed", event.table, "selection_changed")

    def _concerned(self, selection: dict[str, Any]) -> list[Client]:
        """Return the clients that may learn of a selection."""
        path, clients = selection.get("filePath"), list(self._served)
        return concerned(clients, path) if path else clients

    def _diagnostics_changed(self, uri: str) -> None:
        self.notify_all("diagnostics_changed", {"uri": uri}, key=("diagnostics_changed", uri))

    def _report_pids(self) -> None:
        self.editor.terminals.clients_run_as([client.pid for client in self.clients if client.pid])

    async def _welcome(self, client: Client, served: ClientConnection) -> None:
        """Send a new client the selection and the queued mentions.

        The CLI ignores notifications until its screen handles the connection's messages, several
        turns of its loop after `tools/list` (measured); each ping takes one turn. A client that
        answers no ping gets the selection after `SILENT_SECONDS`, and again at the end.
        """
        self.editor.port.host.clients_changed(len(self.clients))
        self._report_pids()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LISTED_SECONDS):
                await client.listed_tools.wait()
        silence = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._inform, client)
        try:
            for _ in range(WELCOME_PINGS):
                try:
                    await _ping(served.peer)
                except (TimeoutError, RpcError):
                    logger.info("%s does not answer a ping", client.name)
                await asyncio.sleep(WELCOME_PAUSE)
        except TransportClosed:
            return
        finally:
            silence.cancel()
        self._inform(client)
        client.listening = True
        for mention in [*self.mentions]:
            if concerned([client], mentioned_path(mention)):
                self.mentions.remove(mention)
                self._served[client].notify("at_mentioned", mention)
        while self.texts:
            await self._type(client, self.texts.popleft())

    async def _type(self, client: Client, text: _Text) -> None:
        typing = self.editor.port.typing
        try:
            await self.editor.typing.say(text.words, client.pid or 0, submits=text.submit)
        except EditorError as error:
            self.editor.notify(str(error), "warn")
        typing.finish(text.number)

    def _inform(self, client: Client) -> None:
        """Send the selection now, and changes from now on."""
        client.informed = True
        selection = self.editor.state.selection
        if selection is not None and client in self._concerned(selection):
            self._served[client].notify("selection_changed", selection, "selection_changed")

    async def _keep_alive(self, client: Client, served: ClientConnection) -> None:
        """Mark a client as unresponsive if it answers no ping; drop it if its process is gone.

        A suspended CLI (CTRL-Z) answers no ping either, and may continue.
        """
        while True:
            await asyncio.sleep(PING_SECONDS)
            if not client.initialized:
                continue
            try:
                await _ping(served.peer)
                client.responsive = True
            except RpcError:
                client.responsive = True  # an error is an answer, too
            except TimeoutError:
                client.responsive = False
                if client.pid is not None and not program.lives(client.pid):
                    logger.info("client %s has gone without closing its connection", client.pid)
                    await served.close()
            except TransportClosed:
                return


async def _ping(peer: Peer) -> None:
    # Not `wait_for`: it loses a cancellation that arrives together with the answer.
    async with asyncio.timeout(PONG_SECONDS):
        await peer.request("ping")


def described(mention: dict[str, Any]) -> str:
    """Return the file and the lines of a mention, like `/p/a.py#L3-9`."""
    path: str = mention["filePath"]
    if path.startswith('"'):
        return path[1:-1]  # together with its lines
    if "lineStart" not in mention:
        return path
    first, last = mention["lineStart"] + 1, mention["lineEnd"] + 1
    return f"{path}#L{first}" + (f"-{last}" if last != first else "")


def concerned(clients: Iterable[Client], path: str) -> list[Client]:
    """Return the clients that may learn what the user does in a file.

    They are those whose worktree, or else folder, contains it most closely; if none does, all but
    those of another worktree of its repository. A client whose folder is unknown always may.
    """
    file = Path(real(path))
    homes = {client: _home(client) for client in clients}
    roots = {home.root for home in homes.values() if home}
    nearest = next((each for each in (file, *file.parents) if each in roots), None)
    own = git.find_repository(file)

    def may_learn(home: Repository | None) -> bool:
        if home is None:
            return True
        is_elsewhere = own is not None and git.are_worktrees_of_one(own, home)
        return nearest in (None, home.root) and not is_elsewhere

    return [client for client, home in homes.items() if may_learn(home)]


def _home(client: Client) -> Repository | None:
    folder = client.folder
    return git.repository_of(Path(folder)) if folder else None


def _place(client: Client) -> str:
    home = _home(client)
    return home.root.name if home else client.shown_name
