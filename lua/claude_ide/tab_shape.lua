--- What a tabpage looks like, so that it can look like that again: sizes and views of its windows.
local tiling = require('claude_ide.tiling')

local M = {}

---@class claude_ide.TabShape
---@field tabpage integer
---@field holders integer how many want it restored
---@field layout any[] `winlayout()`
---@field room any[] what the windows share out among them
---@field sizes string `winrestcmd()`
---@field views table<integer, claude_ide.WindowView>
---@field settled? table<integer, integer[]> sizes while it is disturbed; others are the user's
---@field resized? boolean whether they are
---@field visited? boolean whether the user has come back to it on their own

---@class claude_ide.WindowView
---@field view vim.fn.winsaveview.ret
---@field scroll integer the option, which another height resets

---@type table<integer, claude_ide.TabShape>
local held = {}
local group = vim.api.nvim_create_augroup('claude_ide_tab_shape', { clear = true })

local function sizes(tabpage)
  return tiling.sizes(tiling.windows(tabpage))
end

local function views(tabpage)
  local list = {}
  for _, win in ipairs(tiling.windows(tabpage)) do
    -- A terminal's view follows its output.
    if vim.bo[vim.api.nvim_win_get_buf(win)].buftype ~= 'terminal' then
      list[win] = {
        view = vim.api.nvim_win_call(win, vim.fn.winsaveview),
        scroll = vim.wo[win].scroll,
      }
    end
  end
  return list
end

-- Entered again, a tabpage has got used to the tab line: what differs later is the user's doing.
local function on_enter()
  local shape = held[vim.api.nvim_get_current_tabpage()]
  if shape then
    shape.visited = true
    M.settle(shape)
  end
end

-- Other sizes of the same windows.
local function is_resized(shape)
  local now, settled = sizes(shape.tabpage), shape.settled
  return settled ~= nil
    and vim.deep_equal(vim.fn.sort(vim.tbl_keys(now)), vim.fn.sort(vim.tbl_keys(settled)))
    and not vim.deep_equal(now, settled)
end

local function on_resize()
  local shape = held[vim.api.nvim_get_current_tabpage()]
  if shape and is_resized(shape) then
    shape.resized = true
  end
end

--- Hold the current tabpage's shape, until as many have released it as hold it.
---@return claude_ide.TabShape
function M.hold()
  local tabpage = vim.api.nvim_get_current_tabpage()
  if held[tabpage] then
    return M.share(held[tabpage])
  end
  if next(held) == nil then
    vim.api.nvim_create_autocmd('TabEnter', { group = group, callback = on_enter })
    vim.api.nvim_create_autocmd('WinResized', { group = group, callback = on_resize })
  end
  held[tabpage] = {
    tabpage = tabpage,
    holders = 1,
    layout = vim.fn.winlayout(),
    room = tiling.room(),
    sizes = vim.fn.winrestcmd(),
    views = views(tabpage),
  }
  return held[tabpage]
end

--- Hold a shape that is already held.
---@param shape claude_ide.TabShape
---@return claude_ide.TabShape
function M.share(shape)
  shape.holders = shape.holders + 1
  return shape
end

--- The disturbance is complete: from here on, other sizes are the user's.
---@param shape claude_ide.TabShape
function M.settle(shape)
  shape.settled = shape.settled or sizes(shape.tabpage)
end

local function restore_views(shape)
  for win, saved in pairs(shape.views) do
    local cursor = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_cursor(win)
    if cursor and cursor[1] == saved.view.lnum and cursor[2] == saved.view.col then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(saved.view)
      end)
      if saved.scroll <= vim.api.nvim_win_get_height(win) then
        vim.wo[win].scroll = saved.scroll
      end
    end
  end
end

local function restore(shape)
  local is_alike = vim.deep_equal(vim.fn.winlayout(), shape.layout)
    and vim.deep_equal(tiling.room(), shape.room)
  if is_alike and not shape.resized then
    vim.cmd(shape.sizes)
  end
  if not shape.visited then
    restore_views(shape)
  end
end

--- Release a shape, before the disturbance is undone.
---@param shape claude_ide.TabShape
---@return fun() restore for afterwards: what the user has left alone, once nobody holds it any more
function M.release(shape)
  shape.holders = shape.holders - 1
  if vim.api.nvim_tabpage_is_valid(shape.tabpage) and is_resized(shape) then
    shape.resized = true
  end
  if shape.holders == 0 then
    held[shape.tabpage] = nil
  end
  if next(held) == nil then
    vim.api.nvim_clear_autocmds({ group = group })
  end
  return function()
    if shape.holders == 0 and vim.api.nvim_get_current_tabpage() == shape.tabpage then
      restore(shape)
    end
  end
end

return M
