"""The editor's half of the diff under test, without a host: asked by Lua, answered by events."""

import itertools
from pathlib import Path
from typing import Any

from support.neovim import Neovim, until

MODULE = "require('claude_ide.diff')"

FORWARD_USER_EVENTS = """
local channel = ...
require('claude_ide.channel').id = channel
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeDiff*',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', event.match, event.data)
  end,
})
"""

EVERYTHING = """
local function fields(source, names)
  local found = {}
  for _, name in ipairs(names) do
    found[name] = source[name]
  end
  return found
end

local options = { win = {}, global = {} }
for name, info in pairs(vim.api.nvim_get_all_options_info()) do
  if info.scope == 'win' then
    table.insert(options.win, name)
  elseif info.scope == 'global' then
    table.insert(options.global, name)
  end
end

local function folds()
  local found = {}
  for line = 1, vim.fn.line('$') do
    found[line] = ('%d %d'):format(vim.fn.foldlevel(line), vim.fn.foldclosed(line))
  end
  return found
end

local function window(win)
  local state = {
    win = win,
    buffer = vim.api.nvim_win_get_buf(win),
    size = { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) },
    position = vim.api.nvim_win_get_position(win),
    options = {},
  }
  for _, name in ipairs(options.win) do
    state.options[name] = vim.api.nvim_get_option_value(name, { win = win, scope = 'local' })
  end
  vim.api.nvim_win_call(win, function()
    state.view = vim.bo.buftype ~= 'terminal' and vim.fn.winsaveview() or nil
    state.folds = folds()
    state.alternate = vim.fn.bufnr('#')
    state.jumps = vim.fn.getjumplist()
    state.directory = vim.fn.getcwd()
  end)
  return state
end

local state = {
  tabpages = {},
  buffers = {},
  options = {},
  tabpage = vim.api.nvim_get_current_tabpage(),
  last_tabpage = vim.fn.tabpagenr('#'),
  win = vim.api.nvim_get_current_win(),
  -- Without one, CTRL-W p stays where it is.
  previous_win = vim.fn.winnr('#') > 0 and vim.fn.winnr('#') or vim.fn.winnr(),
  mode = vim.fn.mode(1),
  registers = {},
}
for number, tabpage in ipairs(vim.api.nvim_list_tabpages()) do
  state.tabpages[number] = {
    tabpage = tabpage,
    layout = vim.fn.winlayout(number),
    windows = vim.tbl_map(window, vim.api.nvim_tabpage_list_wins(tabpage)),
  }
end
for _, buffer in ipairs(vim.fn.getbufinfo()) do
  local found = fields(buffer, { 'bufnr', 'name', 'listed', 'loaded', 'changed', 'changedtick' })
  found.marks = vim.fn.getmarklist(buffer.bufnr)
  found.windows = buffer.windows
  if vim.bo[buffer.bufnr].buftype == 'terminal' then
    found.changedtick, found.marks = nil, nil
  elseif buffer.loaded == 0 then
    -- Set when the buffer is loaded.
    found.changedtick = nil
    found.marks = vim.tbl_filter(function(mark)
      return mark.mark ~= "'[" and mark.mark ~= "']" and mark.mark ~= "''"
    end, found.marks)
  end
  table.insert(state.buffers, found)
end
for _, name in ipairs(options.global) do
  state.options[name] = vim.api.nvim_get_option_value(name, { scope = 'global' })
end
for name in ('"/0-#'):gmatch('.') do
  state.registers[name] = vim.fn.getreg(name)
end
return state
"""


class Diffs:
    """Diffs of one Neovim, by the ids given out here."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, nvim: Neovim) -> "Diffs":
        """Have Neovim tell this test what it would tell a host."""
        await nvim.lua(FORWARD_USER_EVENTS, await nvim.channel())
        return cls(nvim)

    async def ask(
        self,
        path: Path | str,
        text: str | bytes,
        layout: str = "tab",
        title: str = "Claude Code",
        original: int | None = None,
        is_reported: bool = False,
    ) -> int:
        """Ask for a diff; it need not have appeared when this returns."""
        id_ = next(self._ids)
        request: dict[str, Any] = {
            "path": str(path),
            "text": text,
            "layout": layout,
            "title": title,
            "is_reported": is_reported,
        }
        if original is not None:
            request["original"] = original
        await self.nvim.lua(f"{MODULE}.open(...)", id_, request)
        return id_

    async def open(
        self,
        path: Path | str,
        text: str | bytes,
        layout: str = "tab",
        title: str = "Claude Code",
        original: int | None = None,
        is_reported: bool = False,
    ) -> int:
        """Show a diff, and wait until it takes keys."""
        id_ = await self.ask(path, text, layout, title, original, is_reported)
        await self.ready(id_)
        return id_

    async def ready(self, id_: int) -> None:
        """Wait until a diff takes keys."""
        await until(lambda: self.of("diff_shown", id_), f"diff {id_} is shown")

    def of(self, event: str, id_: int) -> list[Any]:
        """What was told so far about one diff."""
        return [payload for payload in self.nvim.events(event) if payload["id"] == id_]

    async def decision(self, id_: int) -> Any:
        """Wait for what the user decides: `{"id", "accepted", "text"?}`."""
        decisions = await until(lambda: self.of("diff_decided", id_), f"diff {id_} is decided")
        assert len(decisions) == 1
        return decisions[0]

    async def closed(self, id_: int) -> Any:
        """Wait until a diff has gone from the screen; the data of `User ClaudeDiffClosed`."""
        events = await until(lambda: self.of("ClaudeDiffClosed", id_), f"diff {id_} is closed")
        assert len(events) == 1
        return events[0]

    async def close(self, id_: int) -> None:
        """Close a diff as the host does."""
        await self.nvim.lua(f"{MODULE}.close(...)", id_)

    async def list(self) -> list[Any]:
        """The diffs that wait for a decision."""
        diffs: list[Any] = await self.nvim.lua(f"return {MODULE}.list()")
        return diffs


async def everything(nvim: Neovim) -> dict[str, Any]:
    """What a user can tell from looking and trying: windows, buffers, marks, options, focus."""
    state: dict[str, Any] = await nvim.lua(EVERYTHING)
    return state
