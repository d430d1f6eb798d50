"""What an agent learns about the client. Source: the ACP schema, `InitializeRequest`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from claude_ide import __version__

CLIENT = {"name": "claude-ide", "title": "Neovim", "version": __version__}

LIVE_OUTPUT = "terminal_output"
"""Claude's adapter sends a command's output while it runs to a client that has this in `_meta`."""

TERMINAL_LOGIN = "terminal-auth"
"""Some agents report only then how to log in in a terminal."""


def introduction(abilities: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return the params of `initialize` without the version; `abilities` are more capabilities."""
    capabilities = {
        **abilities,
        "elicitation": {"form": {}, "url": {}},
        "_meta": {LIVE_OUTPUT: True, TERMINAL_LOGIN: True},
    }
    return {"clientCapabilities": capabilities, "clientInfo": CLIENT}
