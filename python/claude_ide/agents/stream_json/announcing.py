"""Announces to a running CLI that servers of ours have other tools."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial

from claude_ide.agents.stream_json.wire.control import Controls
from claude_ide.agents.workbench import McpServer
from claude_ide.errors import AgentError, TransportClosed

logger = logging.getLogger(__name__)

LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Announcing:
    """Watches the servers until it is closed; several changes at once are announced once."""

    def __init__(self, servers: Mapping[str, McpServer], controls: Controls) -> None:
        self._controls = controls
        self._due: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unwatch: list[Callable[[], object]] = []
        self._servers = servers

    def begin(self) -> None:
        """Announce changes from now on: the CLI has started."""
        for name, server in self._servers.items():
            self._unwatch.append(server.watch(partial(self._changed, name)))

    def close(self) -> None:
        """The CLI has ended."""
        while self._unwatch:
            self._unwatch.pop()()
        for task in self._tasks:
            task.cancel()

    def _changed(self, name: str) -> None:
        if name not in self._due:
            self._due.add(name)
            task = asyncio.get_running_loop().create_task(self._announce(name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _announce(self, name: str) -> None:
        # A change during the request is another one.
        self._due.discard(name)
        try:
            await self._controls.request("mcp_message", server_name=name, message=LIST_CHANGED)
        except (AgentError, TransportClosed) as error:
            logger.info("the CLI does not learn of changed tools: %s", error)
