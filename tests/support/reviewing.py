"""What files show of what waits for review, in either editor."""

import re

from support.either_editor import Editor
from support.neovim import until
from support.vim import Vim

MARKS = """
local found = {}
local space = vim.api.nvim_create_namespace('claude_ide_review')
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, line in ipairs(mark[4].virt_lines or {}) do
    found[#found + 1] = ('%d-%s'):format(mark[2] + 1, vim.trim(line[1][1]))
  end
  if mark[4].hl_group == 'ClaudeIdeAdded' then
    found[#found + 1] = ('%d+%d'):format(mark[2] + 1, mark[4].end_row - mark[2])
  end
  if mark[4].virt_text then
    found[#found + 1] = ('%d%s'):format(mark[2] + 1, mark[4].virt_text[1][1])
  end
end
return found
"""
PROPS = (
    "prop_list(1, {'end_lnum': -1})"
    "->filter({_, v -> get(v, 'type', '') =~# '^claude_ide_\\%(added\\|removed\\)$'})"
)


async def _marks(nvim: Editor) -> list[str]:
    """Return the removed lines above others, and the written ones: line, sign, text or number."""
    if not isinstance(nvim, Vim):
        return list(await nvim.lua(MARKS))
    found, first = [], 0
    for each in await nvim.eval(PROPS):
        line = each["lnum"]
        if each["type"] == "claude_ide_removed":
            found.append(f"{line}-")
            continue
        first = line if each["start"] else first
        if each["end"]:
            found.append(f"{first}+{line - first + 1}")
    return found


async def drawn(nvim: Editor, *expected: str) -> None:
    """Wait until the current buffer shows these hunks. Vim does not tell the removed lines."""
    if isinstance(nvim, Vim):
        expected = tuple(re.sub("-.*", "-", each) for each in expected)

    async def is_drawn() -> bool:
        return sorted(await _marks(nvim)) == sorted(expected)

    await until(is_drawn, f"the file shows {expected}")


async def drawn_also(nvim: Editor, *expected: str) -> None:
    """Wait until the current buffer shows these hunks; others that were drawn may be gone."""

    async def is_drawn() -> bool:
        return {*expected} <= {*await _marks(nvim)}

    await until(is_drawn, f"the file shows {expected}")
