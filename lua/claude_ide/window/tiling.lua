--- The tiled windows of a tab page, that is, all but its floats: their arrangement and their sizes.
local M = {}

local api = vim.api

---@class claude_ide.Arrangement
---@field layout any[] `winlayout()`
---@field lines integer
---@field columns integer
---@field cmdheight integer
---@field laststatus integer
---@field has_tabline boolean

--- The layout of the current tab page, and everything that determines the room for it. Two
--- arrangements are equal if nothing but the sizes of windows has changed.
---@return claude_ide.Arrangement
function M.arrangement()
  local options = vim.o
  return {
    layout = vim.fn.winlayout(),
    lines = options.lines,
    columns = options.columns,
    cmdheight = options.cmdheight,
    laststatus = options.laststatus,
    -- The tab line costs every tab page a row.
    has_tabline = options.showtabline == 2
      or (options.showtabline == 1 and #api.nvim_list_tabpages() > 1),
  }
end

--- Whether a window exists and is not a float.
---@type fun(win: integer): boolean
function M.has(win)
  -- An autocommand may have closed it since it was listed.
  return api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative == ''
end

--- The tiled windows of a tab page.
---@param tabpage integer
---@return integer[] wins
function M.windows(tabpage)
  return vim.tbl_filter(M.has, api.nvim_tabpage_list_wins(tabpage))
end

--- Open a tab page and enter it, even if an autocommand moves the user elsewhere.
---
--- Raises an error when an autocommand has closed it.
---@return integer tabpage
---@return integer win its only window
function M.new_tabpage()
  local before = api.nvim_list_tabpages()
  vim.cmd.tabnew()
  local tabpage = vim.iter(api.nvim_list_tabpages()):find(function(candidate)
    return not vim.list_contains(before, candidate)
  end)
  local win = tabpage and M.windows(tabpage)[1]
  if not win then
    error('an autocommand has closed the tab page', 0)
  elseif api.nvim_get_current_win() ~= win then
    api.nvim_set_current_win(win)
  end
  return tabpage, win
end

--- The sizes of the windows that still exist.
---@param wins integer[]
---@return table<integer, { [1]: integer, [2]: integer }> sizes width and height, by window
function M.sizes(wins)
  local sizes = {}
  for _, win in ipairs(wins) do
    if api.nvim_win_is_valid(win) then
      sizes[win] = { api.nvim_win_get_width(win), api.nvim_win_get_height(win) }
    end
  end
  return sizes
end

--- Resize a window, unless it already has that size.
---@type fun(win: integer, width?: integer, height?: integer)
function M.resize(win, width, height)
  if width and api.nvim_win_get_width(win) ~= width then
    api.nvim_win_set_width(win, width)
  end
  if height and api.nvim_win_get_height(win) ~= height then
    api.nvim_win_set_height(win, height)
  end
end

return M
