"""How an ACP agent is started."""

from dataclasses import dataclass, field
from pathlib import Path

from claude_ide.agents.acp.logins import Logins


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent is started; `method` is the login that it wants each time, if any.

    `mcp` is `http` if it refuses MCP servers over `stdio`.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    method: str = ""
    logins: Logins = field(default_factory=Logins)
    mcp: str = "stdio"
