"""How the CLI is started for a one-off request: with limited tools and without a session."""

import os
from collections.abc import Sequence
from pathlib import Path

from claude_ide.agents.stream_json.wire.launch import Launch, command
from claude_ide.config import Config
from claude_ide.errors import UserError

ALONE = ("--strict-mcp-config", "--no-session-persistence")
"""No MCP servers, and no saved session."""


def launch(config: Config, cwd: str, tools: Sequence[str], model: str = "") -> Launch:
    """Return how to start the CLI in `cwd` with only these tools.

    Raises `AgentError` if there is no CLI, `UserError` if there is no such folder.
    """
    words = command(config.cmd)
    if not Path(cwd).is_dir():
        raise UserError(f"no such folder: {cwd}")
    return Launch(
        words,
        Path(cwd),
        os.environ,
        model=model or config.ask.model,
        arguments=(*ALONE, "--tools", ",".join(tools)),
    )
