"""The user's own tools: from Lua and Vimscript in Neovim, and from Python packages."""


class WrongError(Exception):
    """A tool, its schema, or arguments: the text has the place and the problem."""
