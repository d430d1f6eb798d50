--- What a tabpage looked like before a panel took room in it, so that it can look so again.
local tiling = require('claude_ide.tiling')

local M = {}

---@class claude_ide.ChatShape
---@field tabpage integer
---@field layout any[] `winlayout()`
---@field room any[]
---@field sizes string `winrestcmd()`
---@field views table<integer, { tick: integer, view: vim.fn.winsaveview.ret }>
---@field settled? table<integer, integer[]> sizes beside the panel; others are the user's

local function tick(win)
  return vim.api.nvim_buf_get_changedtick(vim.api.nvim_win_get_buf(win))
end

local function sizes(shape)
  return tiling.sizes(vim.tbl_keys(shape.views))
end

--- Take note of the current tabpage.
---@return claude_ide.ChatShape
function M.take()
  local views = {}
  for _, win in ipairs(tiling.windows(0)) do
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    views[win] = { tick = tick(win), view = view }
  end
  return {
    tabpage = vim.api.nvim_get_current_tabpage(),
    layout = vim.fn.winlayout(),
    room = tiling.room(),
    sizes = vim.fn.winrestcmd(),
    views = views,
  }
end

--- The panel is there: from here on, other sizes are the user's.
---@param shape claude_ide.ChatShape
function M.settle(shape)
  shape.settled = sizes(shape)
end

--- Whether the user has left the sizes alone; to be asked before the panel goes.
---@param shape claude_ide.ChatShape
---@return boolean
function M.is_settled(shape)
  return vim.deep_equal(shape.settled, sizes(shape))
end

local function restore_view(win, before)
  local line, column = unpack(vim.api.nvim_win_get_cursor(win))
  local is_same = line == before.view.lnum and column == before.view.col
  if is_same and tick(win) == before.tick then
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(before.view)
    end)
  end
end

--- Give the windows their sizes back, and their views where the user has not moved since.
---@param shape claude_ide.ChatShape
function M.restore(shape)
  local is_there = vim.api.nvim_get_current_tabpage() == shape.tabpage
  if not is_there or not vim.deep_equal(vim.fn.winlayout(), shape.layout) then
    return
  elseif not vim.deep_equal(tiling.room(), shape.room) then
    return
  end
  vim.cmd(shape.sizes)
  for win, before in pairs(shape.views) do
    restore_view(win, before)
  end
end

return M
