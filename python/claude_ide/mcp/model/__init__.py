"""The tools for models, one module per noun; importing a module registers its tools."""

from claude_ide.mcp.model import buffers, code, language, lists, screen, syntax
from claude_ide.mcp.tool import MODEL_TOOLS, Toolset

ALL = (language, syntax, buffers, screen, lists, code)


def toolset() -> Toolset:
    """Return the tools of one Neovim, to which the user may add."""
    return Toolset(MODEL_TOOLS, MODEL_TOOLS.instructions)
