"""The names of the editor and of its tools, as the user, the CLI and the model know them."""

NEOVIM, VIM = "Neovim", "Vim"

SERVER = "neovim"
"""The name of the server of the editor's tools."""

EXECUTE_CODE = "execute_code"
"""The tool that runs code. It asks the user itself, unless the agent has."""

EXECUTE_CODE_TITLE = "Run code in the Jupyter kernel"
"""Its title for people."""

_name = NEOVIM


def editor_name() -> str:
    """Return `Neovim` or `Vim`."""
    return _name


def check_command() -> str:
    """Return the command with which the user checks the plugin."""
    return ":ClaudeCheck" if _name == VIM else ":checkhealth claude_ide"


def serve_vim() -> None:
    """Call the editor Vim from now on."""
    global _name
    _name = VIM


def for_this_editor(text: str) -> str:
    """Return a text that names Neovim, with the name of this editor instead."""
    return text.replace(NEOVIM, _name)


def known_as(tool: str, server: str = SERVER) -> str:
    """Return the name of a server's tool in the CLI, such as `mcp__neovim__references`."""
    return f"mcp__{server}__{tool}"
