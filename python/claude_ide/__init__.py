"""Claude Code in Neovim: the MCP server that the Claude CLI looks for in an IDE."""

__version__ = "0.1.0"
