--- The sizes of a panel's windows, which windows that come and go beside it do not change: Neovim
--- takes the room for one, and gives that of one, to whoever stands there, 'winfixheight' or not.
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api

---@class claude_ide.ChatSizes
---@field around claude_ide.Arrangement of the tab page that they are in
---@field heights table<integer, integer> of the windows where they are fixed
---@field widths table<integer, integer>
---@field is_disturbed? boolean whether a window has come or gone since

--- Take note of the sizes in the current tabpage.
---@param windows claude_ide.ChatWindows
---@return claude_ide.ChatSizes
function M.snapshot(windows)
  local sizes = { around = tiling.arrangement(), heights = {}, widths = {} }
  for _, win in pairs(windows) do
    if tiling.has(win) then
      sizes.heights[win] = vim.wo[win].winfixheight and api.nvim_win_get_height(win) or nil
      sizes.widths[win] = vim.wo[win].winfixwidth and api.nvim_win_get_width(win) or nil
    end
  end
  return sizes
end

-- Whether no window of a layout can take more rows.
local function is_fixed(layout)
  local kind, inside = layout[1], layout[2]
  if kind == 'leaf' then
    return vim.wo[inside].winfixheight
  elseif kind == 'row' then
    return vim.iter(inside):any(is_fixed)
  end
  return vim.iter(inside):all(is_fixed)
end

-- Moved to an edge of the screen, a window of a fixed height would leave its rows to the command line.
local function unfix(windows, sizes)
  local cmdheight = sizes.around.cmdheight
  if vim.o.cmdheight <= cmdheight or not is_fixed(vim.fn.winlayout()) then
    return false
  end
  for _, win in pairs(windows) do
    vim.wo[win].winfixheight = false
  end
  vim.o.cmdheight = cmdheight
  return true
end

--- A window comes, or goes. Neovim says which sizes are others only once that is over: by then one
--- that came may have gone again.
---@param view claude_ide.ChatView
---@param win integer
---@return boolean is_disturbed
function M.mark_disturbed(view, win)
  local is_beside = tiling.has(win) and api.nvim_win_get_tabpage(win) == view.tabpage
  if is_beside and view.sizes then
    view.sizes.is_disturbed = true
  end
  return is_beside
end

local function is_alike(sizes)
  return not sizes.is_disturbed and vim.deep_equal(sizes.around, tiling.arrangement())
end

--- Give the windows their sizes back when others have come or gone; else the user has changed them.
---@param view claude_ide.ChatView of the current tabpage
function M.keep(view)
  local windows, sizes = view.windows, view.sizes
  if not (api.nvim_win_is_valid(windows.transcript) and api.nvim_win_is_valid(windows.prompt)) then
    return
  elseif not sizes or is_alike(sizes) then
    view.sizes = M.snapshot(windows)
    return
  end
  if unfix(windows, sizes) then
    view.sizes = M.snapshot(windows)
    return
  end
  sizes.around, sizes.is_disturbed = tiling.arrangement(), nil
  -- What the prompt gives, or takes, is the transcript's.
  for _, win in ipairs({ windows.transcript, windows.prompt, windows.transcript }) do
    tiling.resize(win, sizes.widths[win], sizes.heights[win])
  end
end

return M
