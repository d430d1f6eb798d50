"""The tools for models, one module per noun; importing a module registers its tools."""

from claude_ide.mcp.model import (
    buffers,
    commands,
    diagnostics,
    edits,
    language,
    lists,
    screen,
    showing,
    symbols,
    syntax,
)
from claude_ide.mcp.tool import MODEL_TOOLS, Toolset

ALL = (language, symbols, diagnostics, edits, syntax, buffers, screen, lists, showing, commands)


def toolset() -> Toolset:
    """Return the tools of one Neovim, to which the user may add."""
    return Toolset(MODEL_TOOLS, MODEL_TOOLS.instructions)
