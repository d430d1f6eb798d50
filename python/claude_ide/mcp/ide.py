"""What all clients share: who is connected, what they are told, and what waits to be told."""

import asyncio
import contextlib
import logging
import os
from collections import OrderedDict, deque
from collections.abc import Coroutine
from typing import Any

from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import RpcError, TransportClosed
from claude_ide.jsonrpc.peer import Peer
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import Server
from claude_ide.transport.websocket import Connection

logger = logging.getLogger(__name__)

PING_SECONDS = 5.0
PONG_SECONDS = 3.0
SETTLE_SECONDS = 0.5
LISTED_SECONDS = 0.5
WELCOME_PINGS = 3
WELCOME_PAUSE = 0.03
SILENT_SECONDS = 0.4
"""After so long a client that has not answered its pings is sent the selection all the same."""


class Outbox:
    """What one client is to be told, in order, by a task of its own: a slow one delays no other.

    Of notifications under the same key only the latest is kept.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._waiting: OrderedDict[object, tuple[str, Any]] = OrderedDict()
        self._filled = asyncio.Event()

    def put(self, method: str, params: Any, key: object | None = None) -> None:
        """Tell the client as soon as it reads."""
        self._waiting[key if key is not None else object()] = (method, params)
        self._filled.set()

    async def drain(self) -> None:
        """Send what comes, until the client leaves."""
        with contextlib.suppress(TransportClosed):
            while True:
                await self._filled.wait()
                while self._waiting:
                    _, (method, params) = self._waiting.popitem(last=False)
                    await self.peer.notify(method, params)
                self._filled.clear()


class Ide:
    """The server's shared side. Clients come and go through `serve`."""

    def __init__(self, editor: Editor, config: Config) -> None:
        self.editor = editor
        self.config = config
        self.mentions: deque[dict[str, Any]] = deque()
        self._outboxes: dict[Client, Outbox] = {}
        editor.events.subscribe("selection_changed", self._selection_changed)
        editor.events.subscribe("diagnostics_changed", self._diagnostics_changed)

    @property
    def clients(self) -> list[Client]:
        """Those that have finished `initialize`, in the order in which they came."""
        return [client for client in self._outboxes if client.initialized]

    async def serve(self, connection: Connection) -> None:
        """Converse with one client until it leaves; then all that it left open is closed."""
        client = Client(self.editor, self.config)
        async with asyncio.TaskGroup() as group:
            tasks: list[asyncio.Task[None]] = []

            def start(coroutine: Coroutine[Any, Any, None]) -> None:
                tasks.append(group.create_task(coroutine))

            server = Server(client, lambda: start(self._welcome(client, peer)), self._report_pids)
            peer = server.peer = Peer(connection, server)
            self._outboxes[client] = Outbox(peer)
            start(self._outboxes[client].drain())
            start(self._keep_alive(client, peer, connection))
            try:
                async for frame in connection.frames():
                    await peer.receive(frame)
            finally:
                del self._outboxes[client]
                self.editor.clients_changed(len(self.clients))
                self._report_pids()
                if not self._outboxes:
                    self.editor.release()
                for task in tasks:
                    task.cancel()
                await peer.close()

    def tell_all(self, method: str, params: Any, key: object | None = None) -> None:
        """Tell every client; under one `key`, a client that is behind gets the latest only."""
        for client, outbox in self._outboxes.items():
            if client.informed:
                outbox.put(method, params, key)

    def mention(self, mention: dict[str, Any]) -> Client | None:
        """Mention a file or a range to the client that was last active.

        While none listens it waits for one, and None is returned.
        """
        listening = [client for client in self.clients if client.listening]
        addressee = max(listening, key=lambda client: client.last_active, default=None)
        if addressee is None:
            self.mentions.append(mention)
        else:
            self._outboxes[addressee].put("at_mentioned", mention)
        return addressee

    async def settle(self) -> None:
        """Reject every open diff and wait, briefly, until their askers have been told."""
        self.editor.diffs.close_all()
        answering = [outbox.peer.settled(SETTLE_SECONDS) for outbox in self._outboxes.values()]
        await asyncio.gather(*answering)

    def _selection_changed(self, selection: dict[str, Any]) -> None:
        self.tell_all("selection_changed", selection, key="selection_changed")

    def _diagnostics_changed(self, changed: dict[str, Any]) -> None:
        uri = changed["uri"]
        self.tell_all("diagnostics_changed", {"uri": uri}, key=("diagnostics_changed", uri))

    def _report_pids(self) -> None:
        self.editor.clients_run_as([client.pid for client in self.clients if client.pid])

    async def _welcome(self, client: Client, peer: Peer) -> None:
        """Tell a new client where the user is, and what waited for it.

        The CLI does not hear a notification before its screen has taken over from its
        connection, some turns of its loop after `tools/list` (measured); each ping is a turn. One
        that answers none may hear all the same: it is sent the selection early, and once more.
        """
        self.editor.clients_changed(len(self.clients))
        self._report_pids()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LISTED_SECONDS):
                await client.listed_tools.wait()
        silence = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._inform, client)
        try:
            for _ in range(WELCOME_PINGS):
                try:
                    await _ping(peer)
                except (TimeoutError, RpcError):
                    logger.info("%s does not answer a ping", client.name)
                await asyncio.sleep(WELCOME_PAUSE)
        except TransportClosed:
            return
        finally:
            silence.cancel()
        self._inform(client)
        client.listening = True
        while self.mentions:
            self._outboxes[client].put("at_mentioned", self.mentions.popleft())

    def _inform(self, client: Client) -> None:
        """Send the selection, and what changes from now on."""
        client.informed = True
        if self.editor.state.selection is not None:
            selection = self.editor.state.selection
            self._outboxes[client].put("selection_changed", selection, "selection_changed")

    async def _keep_alive(self, client: Client, peer: Peer, connection: Connection) -> None:
        """Mark a client that does not answer; drop it only when its process is gone.

        A CLI that was suspended (CTRL-Z) is silent too, and comes back.
        """
        while True:
            await asyncio.sleep(PING_SECONDS)
            if not client.initialized:
                continue
            try:
                await _ping(peer)
                client.responsive = True
            except RpcError:
                client.responsive = True  # an answer all the same
            except TimeoutError:
                client.responsive = False
                if client.pid is not None and not _lives(client.pid):
                    logger.info("client %s has gone without closing its connection", client.pid)
                    await connection.close()
            except TransportClosed:
                return


async def _ping(peer: Peer) -> None:
    # Not `wait_for`: it forgets that it was cancelled when the answer came just then.
    async with asyncio.timeout(PONG_SECONDS):
        await peer.request("ping")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
