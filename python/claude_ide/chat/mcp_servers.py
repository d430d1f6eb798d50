"""`:ClaudeChat mcp`: the MCP servers of a chat's agent."""

import contextlib
from collections.abc import Awaitable

from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.base.errors import AgentError
from claude_ide.chat.chat import Chat
from claude_ide.editor.events import Run
from claude_ide.editor.port import Port
from claude_ide.ui.listing import Listing, every, item
from claude_ide.ui.page import META, WARNING, Row, row
from claude_ide.ui.text import counted, one_line

NAME, TITLE = "mcp", "MCP servers"
KEYS = (
    ("r", "reconnect", "Connect to the server again"),
    ("x", "on/off", "Turn the server on or off"),
    ("L", "log in", "Log in to servers, in a terminal"),
)
SECONDS = 2.0
"""How often an open list is updated."""

GROUPS = {
    ServerState.CONNECTED: "ClaudeFormPicked",
    ServerState.CONNECTING: "ClaudeChatToolRunning",
    ServerState.FAILED: "ClaudeChatError",
    ServerState.NEEDS_LOGIN: WARNING,
}
STATE_WIDTH = max(len(state.value) for state in ServerState) + 2
LONGEST_ERROR = 500


class McpServers:
    """The list for one chat at a time."""

    def __init__(self, port: Port, run: Run) -> None:
        self._listing = Listing(NAME, KEYS, port, run)
        self._chat: Chat | None = None
        self._servers: list[ToolServer] = []
        self._connecting: set[str] = set()

    async def open(self, chat: Chat) -> None:
        """Open the list of a chat's servers."""
        await chat.life.started("mcp")
        self._chat = chat
        self._servers = await chat.agent.tool_servers()
        await self._listing.open(
            TITLE, self._draw, lambda: every(SECONDS, lambda: self._update(chat))
        )

    async def press(self, key: str, name: str) -> None:
        """Handle a key of the list on a server."""
        if key == "closed":
            self._listing.end()
            self._chat = None
        elif key == "L" and self._chat is not None:
            await self._chat.logins.log_in_to_servers()
        elif self._chat is not None and name:
            agent = self._chat.agent
            off = [each.name for each in self._servers if each.state is ServerState.OFF]
            is_turn = key == "x"
            act = (
                agent.turn_server(name, on=name in off) if is_turn else agent.reconnect_server(name)
            )
            await self._during(act, self._chat, name)

    async def _during(self, action: Awaitable[None], chat: Chat, name: str) -> None:
        """Show a server as connecting during an action."""
        self._connecting.add(name)
        try:
            await self._draw()
            await action
        except AgentError as error:
            raise AgentError(f"{name}: {error}") from None
        finally:
            self._connecting.discard(name)
            await self._update(chat)

    async def _update(self, chat: Chat) -> None:
        with contextlib.suppress(AgentError):
            self._servers = await chat.agent.tool_servers()
        if chat is self._chat:
            await self._draw()

    async def _draw(self) -> None:
        items = [item(each.name, self._rows(each)) for each in self._servers]
        none = item("", [row(("no MCP server is configured", META))])
        await self._listing.show(TITLE, items or [none])

    def _rows(self, server: ToolServer) -> list[Row]:
        state = ServerState.CONNECTING if server.name in self._connecting else server.state
        tools = counted(server.tools, "tool") if state is ServerState.CONNECTED else ""
        about = " · ".join(filter(None, (tools, server.place)))
        first = row(
            (f"{state.value:<{STATE_WIDTH}}", GROUPS.get(state, META)),
            (one_line(server.name), ""),
            (f"  {about}", META),
        )
        if not server.error:
            return [first]
        error = one_line(server.error, LONGEST_ERROR)
        return [first, row((" " * STATE_WIDTH, ""), (error, "ClaudeChatError"))]
