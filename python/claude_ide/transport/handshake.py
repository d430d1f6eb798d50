"""The parts of the opening handshake that both sides know. Source: doc/protocol.md."""

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"
"""The header with the token."""

SUBPROTOCOL = "mcp"

PATHS = ("/", "/mcp")
"""The paths of the server that the CLI connects to."""

TOOLS_PATH = "/neovim"
"""The path at which a client gets the editor's tools, and hears of nothing but their changes."""

LARGEST_MESSAGE = 64 * 2**20
"""Bytes; a larger message ends the connection."""
