"""The names by which a model knows the tools of a server, and ours among these."""

SERVER = "neovim"
"""The name of the server of the editor's tools."""

EXECUTE_CODE = "execute_code"
"""The tool that runs code. It asks the user itself, unless the agent has."""

EXECUTE_CODE_TITLE = "Run code in the Jupyter kernel"
"""Its title for people."""


def known_as(tool: str, server: str = SERVER) -> str:
    """Return the name of a server's tool in the CLI, such as `mcp__neovim__references`."""
    return f"mcp__{server}__{tool}"
