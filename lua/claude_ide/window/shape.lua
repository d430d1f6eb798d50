--- Records the sizes and views of a tab page's windows, and restores them after a disturbance such
--- as a diff.
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
---@field settled? table<integer, integer[]> sizes once the disturbance is complete
---@field resized? boolean whether the user has changed the settled sizes
---@field visited? boolean whether the user came back before the sizes were settled

---@class claude_ide.WindowView
---@field bufnr integer
---@field view vim.fn.winsaveview.ret
---@field scroll integer the option 'scroll', which Neovim resets when the height changes

---@type claude_ide.TabShape[]
local held = {}
local group = api.nvim_create_augroup('claude_ide_window_shape', { clear = true })

local function sizes(tabpage)
  return tiling.sizes(tiling.windows(tabpage))
end

local function views(tabpage)
  local list = {}
  for _, win in ipairs(tiling.windows(tabpage)) do
    local bufnr = api.nvim_win_get_buf(win)
    -- A terminal's view follows its output.
    if vim.bo[bufnr].buftype ~= 'terminal' then
      list[win] = {
        bufnr = bufnr,
        view = api.nvim_win_call(win, vim.fn.winsaveview),
        scroll = vim.wo[win].scroll,
      }
    end
  end
  return list
end

-- Note whether the user has resized windows. That cannot be known if windows have been opened or
-- closed: their neighbours change size, too.
local function compare(shape)
  local now, settled = sizes(shape.tabpage), shape.settled
  if not settled or vim.tbl_count(now) ~= vim.tbl_count(settled) then
    return
  end
  local is_resized = false
  for win in pairs(settled) do
    if not now[win] then
      return
    elseif shape.sizes[win] and not vim.deep_equal(now[win], settled[win]) then
      is_resized = true
    end
  end
  shape.resized = is_resized
end

local function find(tabpage, owner)
  return vim.iter(held):find(function(shape)
    return shape.tabpage == tabpage and shape.owner == owner
  end)
end

local function listen(event, fn)
  api.nvim_create_autocmd(event, {
    group = group,
    callback = function()
      for _, shape in ipairs(held) do
        if shape.tabpage == api.nvim_get_current_tabpage() then
          fn(shape)
        end
      end
    end,
  })
end

--- Hold the shape of the current tab page, until every holder has released it.
---@param owner any holders with the same owner share a shape
---@return claude_ide.TabShape
function M.hold(owner)
  local tabpage = api.nvim_get_current_tabpage()
  local known = find(tabpage, owner)
  if known then
    return M.share(known)
  elseif #held == 0 then
    listen('WinResized', compare)
    -- A tab page that is entered again has already made room for the tab line. From then on, any change of a
    -- size is the user's.
    listen('TabEnter', function(entered)
      entered.visited = entered.visited or not entered.settled
      M.settle(entered)
    end)
  end
  local shape = {
    tabpage = tabpage,
    owner = owner,
    holders = 1,
    arrangement = tiling.arrangement(),
    sizes = sizes(tabpage),
    views = views(tabpage),
  }
  table.insert(held, shape)
  return shape
end

--- Add a holder to a shape.
---@param shape claude_ide.TabShape
---@return claude_ide.TabShape
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
---@param old integer
---@param new integer
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

--- The disturbance is complete: any later change of a size is the user's.
---@param shape claude_ide.TabShape
function M.settle(shape)
  shape.settled = shape.settled or sizes(shape.tabpage)
end

--- Note whether the user has resized windows; call it before the disturbance's windows are closed.
---@param shape claude_ide.TabShape
function M.check(shape)
  if api.nvim_tabpage_is_valid(shape.tabpage) then
    compare(shape)
  end
end

local function is_unmoved(win, saved)
  if not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= saved.bufnr then
    return false
  end
  local row, column = unpack(api.nvim_win_get_cursor(win))
  return row == saved.view.lnum and column == saved.view.col
end

local function restore_views(shape)
  for win, saved in pairs(shape.views) do
    if is_unmoved(win, saved) then
      api.nvim_win_call(win, function()
        -- Restoring a view redraws the window.
        if not vim.deep_equal(vim.fn.winsaveview(), saved.view) then
          vim.fn.winrestview(saved.view)
        end
      end)
      -- The rows that scroll are all but the winbar.
      local rows = vim.fn.getwininfo(win)[1].height
      if vim.wo[win].scroll ~= saved.scroll and saved.scroll <= rows then
        vim.wo[win].scroll = saved.scroll
      end
    end
  end
end

-- Set only the sizes that differ. `winrestcmd()` will not do: it names windows by numbers, which
-- floats shift, and resizing the only window resizes the command line. The second pass corrects the
-- windows that lost room to their neighbours in the first.
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

local function restore(shape)
  if not shape.resized and vim.deep_equal(tiling.arrangement(), shape.arrangement) then
    restore_sizes(shape)
  end
  if not shape.visited then
    restore_views(shape)
  end
end

--- Release a shape; call it before the disturbance is undone.
---@param shape claude_ide.TabShape
---@return fun() restore call it after that; it does nothing while others hold the shape
function M.release(shape)
  shape.holders = shape.holders - 1
  M.check(shape)
  if shape.holders == 0 then
    held = vim.tbl_filter(function(other)
      return other ~= shape
    end, held)
  end
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
