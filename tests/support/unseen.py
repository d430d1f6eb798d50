"""Signs at lines that the user has not seen, in a Neovim under test."""

from pathlib import Path
from typing import Any

from support.chunks import chunk
from support.disk_changes import replace, shows
from support.neovim import Neovim, until

SIGNS = chunk("unseen/signs")
ON = "require('claude_ide').setup({ changes = { signs = true } })"
OFF = "require('claude_ide').setup({ changes = { signs = false } })"
NAME = "require('claude_ide.disk_changes.report').announce(...)"
REPORT = "require('claude_ide.disk_changes.tool_writes').reported({ ... })"
AUTOCOMMANDS = """
return #vim.tbl_filter(function(each)
  return (each.group_name or ''):find('^claude_ide_unseen') ~= nil
end, vim.api.nvim_get_autocmds({}))
"""


async def signs(nvim: Neovim) -> str:
    """Return the lines with signs: `2 3`; `4_` if lines are removed below, `1^` if above."""
    return str(await nvim.lua(SIGNS))


async def has_signs(nvim: Neovim, wanted: str) -> None:
    """Wait until the current buffer has these signs."""

    async def same() -> bool:
        return await signs(nvim) == wanted

    try:
        await until(same)
    except AssertionError:
        assert await signs(nvim) == wanted


async def write(nvim: Neovim, path: Path, text: str) -> None:
    """Write the file of a loaded buffer as Claude does, and wait until the buffer follows."""
    await nvim.lua(NAME, str(path))
    replace(path, text)
    await shows(nvim, path, text)


def hunk(old: int, new: int, *lines: str) -> dict[str, Any]:
    """Return a hunk as `ClaudeToolEnd` has it; it begins at these lines."""
    counts = [sum(line[0] in signs for line in lines) for signs in (" -", " +")]
    return {
        "old_start": old,
        "old_lines": counts[0],
        "new_start": new,
        "new_lines": counts[1],
        "lines": list(lines),
    }


async def report(nvim: Neovim, path: Path, *hunks: dict[str, Any]) -> None:
    """Report what a tool has changed in a file."""
    await nvim.lua(REPORT, {"path": str(path), "hunks": list(hunks)})


async def autocommands(nvim: Neovim) -> int:
    """Return the number of autocommands that the signs need now."""
    return int(await nvim.lua(AUTOCOMMANDS))
