"""The names by which a model knows the tools of a server, and ours among these."""

SERVER = "neovim"
"""The name of the server of the editor's tools."""


def known_as(tool: str, server: str = SERVER) -> str:
    """Return the name of a server's tool in the CLI, such as `mcp__neovim__references`."""
    return f"mcp__{server}__{tool}"
