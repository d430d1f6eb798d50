"""`:ClaudeChat mcp`: the MCP servers of a chat's agent."""

import contextlib
from collections.abc import Awaitable

from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.base.errors import AgentError, UserError
from claude_ide.base.names import SERVER
from claude_ide.chat.chat_context import ChatContext, ChatPart, subcommand
from claude_ide.chat.life import Life, Logins
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


class McpServers(ChatPart):
    """The list of one chat's servers."""

    def __init__(self, chat: ChatContext, life: Life, logins: Logins) -> None:
        super().__init__(chat)
        self._life = life
        self._logins = logins
        self.list_name = f"{NAME} {chat.id}"
        self._listing = Listing(self.list_name, KEYS, self._editor.port, chat.run)
        self._servers: list[ToolServer] = []
        self._connecting: set[str] = set()

    @subcommand("mcp")
    async def open(self) -> None:
        """Open the list."""
        await self._life.started("mcp")
        self._servers = await self._agent.tool_servers()
        await self._listing.open(TITLE, self._draw, lambda: every(SECONDS, self._update))

    def close(self) -> None:
        self._listing.end()

    async def press(self, key: str, name: str) -> None:
        """Handle a key of the list on a server."""
        if key == "closed":
            self._listing.end()
        elif key == "L":
            await self._logins.log_in_to_servers()
        elif key == "x" and name:
            off = [each.name for each in self._servers if each.state is ServerState.OFF]
            await self._during(self._agent.turn_server(name, on=name in off), name)
        elif name == SERVER:
            raise UserError(f"{SERVER} is the server of this Neovim: it needs no connection")
        elif name:
            await self._during(self._agent.reconnect_server(name), name)

    async def _during(self, action: Awaitable[None], name: str) -> None:
        """Show a server as connecting during an action."""
        self._connecting.add(name)
        try:
            await self._draw()
            await action
        except AgentError as error:
            raise AgentError(f"{name}: {error}") from None
        finally:
            self._connecting.discard(name)
            await self._update()

    async def _update(self) -> None:
        with contextlib.suppress(AgentError):
            self._servers = await self._agent.tool_servers()
        if self._listing.is_open:
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
