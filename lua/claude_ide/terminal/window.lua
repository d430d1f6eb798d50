--- The window of a terminal: opened at a side, found, and closed.
local location = require('claude_ide.window.location')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local SPLITS = {
  right = 'botright vsplit',
  left = 'topleft vsplit',
  above = 'topleft split',
  below = 'botright split',
}

---@class claude_ide.TerminalPlace
---@field side 'right'|'left'|'above'|'below'
---@field size number below 1 a share of the screen, else columns or lines

--- The window that shows a buffer in a tab page.
---@param bufnr integer
---@param tabpage? integer default: the current one
---@return integer?
function M.of(bufnr, tabpage)
  return vim.iter(api.nvim_tabpage_list_wins(tabpage or 0)):find(function(window)
    return api.nvim_win_get_buf(window) == bufnr
  end)
end

---@param bufnr integer
---@return boolean
function M.is_shown(bufnr)
  return #vim.fn.win_findbuf(bufnr) > 0
end

---@param place claude_ide.TerminalPlace
local function open_split(place)
  local is_wide = place.side == 'right' or place.side == 'left'
  local whole = is_wide and vim.o.columns or vim.o.lines
  local size = place.size < 1 and math.floor(whole * place.size) or place.size
  vim.cmd(SPLITS[place.side])
  local window = api.nvim_get_current_win()
  api[is_wide and 'nvim_win_set_width' or 'nvim_win_set_height'](window, math.floor(size))
end

--- Set the options of the current window, once it shows the terminal.
function M.set_options()
  local options = vim.wo[api.nvim_get_current_win()][0]
  options.number, options.relativenumber, options.signcolumn = false, false, 'no'
  options.foldcolumn, options.spell, options.list = '0', false, false
end

--- Show a buffer in a new window, and go there.
---@param bufnr integer
---@param place claude_ide.TerminalPlace
function M.open(bufnr, place)
  open_split(place)
  api.nvim_win_set_buf(0, bufnr)
end

--- Close a window, in which the user may be about to type.
---@param window integer
function M.close(window)
  location.cancel_insert()
  window_close.window(window)
end

return M
