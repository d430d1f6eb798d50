--- Records the sizes and views of a tab page's windows, and restores them after a disturbance such
--- as a diff.
local autocommands = require('claude_ide.messages.autocommands')
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api

---@class claude_ide.TabShape
---@field tabpage integer
---@field owner any holders with the same owner share the shape
---@field holders integer how many want it restored
---@field arrangement claude_ide.Arrangement
---@field sizes table<integer, integer[]> width and height, by window
---@field views table<integer, claude_ide.WindowView>
---@field settled? { layout: any[], sizes: table<integer, integer[]> } once the disturbance is complete
---@field resized? boolean whether the user has changed the settled sizes
---@field visited? boolean whether the user came back before the sizes were settled

---@class claude_ide.WindowView
---@field bufnr integer
---@field view vim.fn.winsaveview.ret
---@field scroll integer the option 'scroll', which Neovim resets when the height changes

---@type claude_ide.TabShape[]
local held = {}
local on, group = autocommands.group('claude_ide_window_shape')

local function views(wins)
  local list = {}
  for _, win in ipairs(wins) do
    local bufnr = api.nvim_win_get_buf(win)
    -- A terminal's view follows its output.
    if vim.bo[bufnr].buftype ~= 'terminal' then
      local view = api.nvim_win_call(win, vim.fn.winsaveview)
      list[win] = { bufnr = bufnr, view = view, scroll = vim.wo[win].scroll }
    end
  end
  return list
end

-- The layout of all windows, and the sizes of those that the shape knows.
local function state(shape)
  local number = api.nvim_tabpage_get_number(shape.tabpage)
  return {
    layout = vim.fn.winlayout(number),
    sizes = tiling.sizes(vim.tbl_keys(shape.sizes)),
  }
end

--- The disturbance is complete: any later change of a size is the user's.
---@param shape claude_ide.TabShape
function M.settle(shape)
  shape.settled = shape.settled or state(shape)
end

--- Note whether the user has resized windows; call it before the disturbance's windows are closed. Once
--- windows have been opened or closed, that cannot be known: their neighbours change size, too.
---@param shape claude_ide.TabShape
function M.check(shape)
  local settled = shape.settled
  local now = settled and api.nvim_tabpage_is_valid(shape.tabpage) and state(shape)
  if settled and now and vim.deep_equal(now.layout, settled.layout) then
    shape.resized = not vim.deep_equal(now.sizes, settled.sizes)
  end
end

local function listen()
  on({ 'WinResized', 'TabEnter' }, nil, function(event)
    local here = api.nvim_get_current_tabpage()
    for _, shape in ipairs(held) do
      if shape.tabpage == here and event.event == 'WinResized' then
        M.check(shape)
      elseif shape.tabpage == here then
        -- A tab page that is entered again has already made room for the tab line. From then on, any
        -- change of a size is the user's.
        shape.visited = shape.visited or not shape.settled
        M.settle(shape)
      end
    end
  end)
end

--- Hold the shape of the current tab page, until every holder has released it.
---@param owner any holders with the same owner share a shape
---@return claude_ide.TabShape
function M.hold(owner)
  local tabpage = api.nvim_get_current_tabpage()
  for _, shape in ipairs(held) do
    if shape.tabpage == tabpage and shape.owner == owner then
      return M.share(shape)
    end
  end
  if #held == 0 then
    listen()
  end
  local wins = tiling.windows(tabpage)
  local shape = {
    tabpage = tabpage,
    owner = owner,
    holders = 1,
    arrangement = tiling.arrangement(),
    sizes = tiling.sizes(wins),
    views = views(wins),
  }
  table.insert(held, shape)
  return shape
end

--- Add a holder to a shape.
---@type fun(shape: claude_ide.TabShape): claude_ide.TabShape
function M.share(shape)
  shape.holders = shape.holders + 1
  return shape
end

-- Replace a window in the result of `winlayout()`.
local function replace_in(layout, old, new)
  if layout[1] == 'leaf' then
    layout[2] = layout[2] == old and new or layout[2]
    return
  end
  for _, child in ipairs(layout[2]) do
    replace_in(child, old, new)
  end
end

--- A window has taken the place of another one.
---@type fun(old: integer, new: integer)
function M.replace_window(old, new)
  for _, shape in ipairs(held) do
    if shape.sizes[old] then
      shape.sizes[new], shape.sizes[old] = shape.sizes[old], nil
      shape.views[old] = nil
      -- Closing the old one may resize the others.
      shape.settled = nil
      replace_in(shape.arrangement.layout, old, new)
    end
  end
end

-- A cursor that has moved shows that the user was there.
local function restore_view(win, saved)
  if not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= saved.bufnr then
    return
  end
  local row, column = unpack(api.nvim_win_get_cursor(win))
  if row == saved.view.lnum and column == saved.view.col then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(saved.view)
    end)
    -- The rows that scroll are all but the winbar.
    if saved.scroll <= vim.fn.getwininfo(win)[1].height then
      vim.wo[win].scroll = saved.scroll
    end
  end
end

-- `winrestcmd()` will not do: it names windows by numbers, which floats shift, and resizing the only window
-- resizes the command line. The second pass corrects the windows that lost room to their neighbours in the
-- first.
local function restore_sizes(shape)
  local cmdheight = vim.o.cmdheight
  for _ = 1, 2 do
    for win, size in vim.spairs(shape.sizes) do
      tiling.resize(win, size[1], size[2])
    end
  end
  if vim.o.cmdheight ~= cmdheight then
    vim.o.cmdheight = cmdheight
  end
end

-- In the shape's tab page.
local function restore(shape)
  if not shape.resized and vim.deep_equal(tiling.arrangement(), shape.arrangement) then
    restore_sizes(shape)
  end
  for win, saved in pairs(shape.visited and {} or shape.views) do
    restore_view(win, saved)
  end
end

--- Release a shape; call it before the disturbance is undone.
---@param shape claude_ide.TabShape
---@return fun() restore call it after that; it does nothing while others hold the shape
function M.release(shape)
  shape.holders = shape.holders - 1
  M.check(shape)
  held = vim.tbl_filter(function(other)
    return other.holders > 0
  end, held)
  if #held == 0 then
    api.nvim_clear_autocmds({ group = group })
  end
  return function()
    if shape.holders == 0 and api.nvim_tabpage_is_valid(shape.tabpage) then
      -- The user may be elsewhere.
      api.nvim_win_call(api.nvim_tabpage_get_win(shape.tabpage), function()
        restore(shape)
      end)
    end
  end
end

return M
