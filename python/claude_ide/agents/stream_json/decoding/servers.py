"""The CLI's MCP servers: as `mcp_status` describes them, and as each turn reports them."""

from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.agents.events import Event, ServersFailed
from claude_ide.agents.fields import mappings, sequence, text
from claude_ide.agents.stream_json.wire.frames import Frame

STATES = {
    "connected": ServerState.CONNECTED,
    "pending": ServerState.CONNECTING,
    "failed": ServerState.FAILED,
    "needs-auth": ServerState.NEEDS_LOGIN,
    "disabled": ServerState.OFF,
}
BROKEN = (ServerState.FAILED, ServerState.NEEDS_LOGIN)


def tool_servers(answer: Frame) -> list[ToolServer]:
    """Decode the answer to `mcp_status`."""
    return [_server(server) for server in mappings(answer.get("mcpServers"))]


def _server(server: Frame) -> ToolServer:
    config = server.get("config")
    kind = text(server.get("transport")) or text(config.get("type") if config else "")
    place = (kind, text(server.get("scope")))
    return ToolServer(
        text(server.get("name")),
        _state(server),
        text(server.get("error")),
        len(sequence(server.get("tools"))),
        " · ".join(filter(None, place)),
    )


def _state(server: Frame) -> ServerState:
    return STATES.get(text(server.get("status")), ServerState.UNKNOWN)


class Servers:
    """Reports each server once that cannot be used."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def apply(self, frame: Frame) -> list[Event]:
        """Apply an `init`; return the event about servers that have failed."""
        listed = mappings(frame.get("mcp_servers"))
        broken = [text(server.get("name")) for server in listed if _state(server) in BROKEN]
        new = tuple(name for name in broken if name and name not in self._reported)
        self._reported.update(new)
        return [ServersFailed(new)] if new else []
