"""The tools for models, one module per noun; importing a module registers its tools."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from claude_ide.editor_name import VIM, editor_name
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

IN_VIM = ("buffers", "buffer_text", "working_folders", "quickfix", "messages", "ex_output")
"""The tools that Vim answers (`autoload/claude_ide/tools/`): the others are not offered there."""

VIM_INSTRUCTIONS = """\
These tools ask the user's Vim: what is open, texts that are not saved yet, which no file tool \
sees, lists and messages. Lines and columns count from 1, columns in characters."""


def toolset(kernels: "Callable[[], Kernels] | None" = None) -> Toolset:
    """Return the tools of this editor, to which the user may add; code runs in its kernel."""
    if editor_name() == VIM:
        return Toolset({name: MODEL_TOOLS[name] for name in IN_VIM}, VIM_INSTRUCTIONS)
    return Toolset(MODEL_TOOLS, MODEL_TOOLS.instructions, kernels)
