"""How the CLI is started for a single question: what it may use, and what is left behind."""

import os
from collections.abc import Sequence
from pathlib import Path

from claude_ide.agents.stream_json.wire.launch import Launch, command
from claude_ide.config import Config
from claude_ide.errors import UserError

ALONE = ("--strict-mcp-config", "--no-session-persistence")
"""No servers but ours, of which there are none; and no session among those to be resumed."""


def launch(config: Config, cwd: str, tools: Sequence[str], model: str = "") -> Launch:
    """Return how to start the CLI in `cwd` with these of its tools and no others.

    Raises `AgentError` if there is none, `UserError` if there is no such folder.
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
