"""The name of the editor that this host serves, for the user, the CLI and the model."""

NEOVIM, VIM = "Neovim", "Vim"

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
