"""The tools for models, one module per noun; importing a module registers its tools."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from claude_ide.base.names import EXECUTE_CODE, VIM, editor_name
from claude_ide.mcp.model import buffers, commands, diagnostics, edits, language, screen, syntax  # noqa: F401
from claude_ide.mcp.tool import MODEL_TOOLS, Toolset

if TYPE_CHECKING:
    from claude_ide.jupyter.kernels import Kernels

SERVERS = "Vim has no client for language servers of its own; {} needs Neovim"
TREES = "Vim has no syntax trees; {} needs Neovim"
KERNELS = "the Jupyter kernel needs Neovim; {} does not work in Vim"

NEED_NEOVIM = {
    **dict.fromkeys(("definition", "type_definition", "implementation", "references"), SERVERS),
    **dict.fromkeys(("hover", "signature_help", "document_symbols", "workspace_symbols"), SERVERS),
    **dict.fromkeys(("incoming_calls", "outgoing_calls", "rename", "code_action"), SERVERS),
    **dict.fromkeys(("syntax_node", "outline", "enclosing", "tree_sitter_query"), TREES),
    EXECUTE_CODE: KERNELS,
}
"""The tools that Vim cannot answer, with the reason (`autoload/claude_ide/tools/`: the others)."""

VIM_INSTRUCTIONS = """\
These tools ask the user's Vim: what is open and on screen, texts that are not saved yet, which no \
file tool sees, diagnostics, lists, marks, registers and messages; some show the user something. \
Lines and columns count from 1, columns in characters. The user is asked before a file outside the \
working folders is read."""


def toolset(kernels: "Callable[[], Kernels] | None" = None) -> Toolset:
    """Return the tools of this editor, to which the user may add; code runs in its kernel."""
    if editor_name() == VIM:
        answered = {name: tool for name, tool in MODEL_TOOLS.items() if name not in NEED_NEOVIM}
        lacking = {name: reason.format(name) for name, reason in NEED_NEOVIM.items()}
        return Toolset(answered, VIM_INSTRUCTIONS, lacking=lacking)
    return Toolset(MODEL_TOOLS, MODEL_TOOLS.instructions, kernels)
