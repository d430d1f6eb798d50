"""The tools for models, one module per noun; importing a module registers its tools."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from claude_ide.mcp.model import (
    buffers,
    code,
    commands,
    diagnostics,
    edits,
    files,
    language,
    lists,
    screen,
    showing,
    symbols,
    syntax,
)
from claude_ide.mcp.tool import MODEL_TOOLS, Toolset

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels

ALL = (
    language,
    symbols,
    diagnostics,
    edits,
    syntax,
    buffers,
    files,
    screen,
    lists,
    showing,
    commands,
    code,
)


def toolset(kernels: "Callable[[], Kernels] | None" = None) -> Toolset:
    """Return the tools of one Neovim, to which the user may add; code runs in its kernel."""
    return Toolset(MODEL_TOOLS, MODEL_TOOLS.instructions, kernels)
