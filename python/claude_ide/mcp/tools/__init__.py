"""The tools, one noun a module; importing a module registers what is in it."""

from claude_ide.mcp.tools import code, diagnostics, diffs, documents, editors, selection

ALL = (diffs, documents, editors, selection, diagnostics, code)
