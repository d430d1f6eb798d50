"""The tools, one module per noun; importing a module registers its tools."""

from claude_ide.mcp.tools import code, diagnostics, diffs, documents, editors, selection

ALL = (diffs, documents, editors, selection, diagnostics, code)
