--- The sizes of a panel's windows, which stay when other windows open and close. Neovim itself would
--- resize their neighbours, even those with 'winfixheight'.
local chat_windows = require('claude_ide.chat.window')
local tiling = require('claude_ide.window.tiling')

local M = {}

local api = vim.api

---@class claude_ide.ChatSizes
---@field around claude_ide.Arrangement of their tab page
---@field heights table<integer, integer> lines by window, only where fixed
---@field widths table<integer, integer> columns by window, only where fixed
---@field is_disturbed? boolean whether a window has opened or closed since

--- Snapshot the sizes in the current tab page.
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

-- Whether no window of a layout can grow higher.
---@param layout vim.fn.winlayout.ret
local function is_fixed(layout)
  local kind, inside = layout[1], layout[2]
  if kind == 'leaf' then
    return vim.wo[inside].winfixheight
  elseif kind == 'row' then
    return vim.iter(inside):any(is_fixed)
  end
  return vim.iter(inside):all(is_fixed)
end

-- If all heights are fixed, Neovim gives the rows of a window that moves to an edge to the command line.
-- Then give them back and no longer fix the heights.
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

--- Note that a window has opened or is closing. `WinResized` follows later, when a window that has opened
--- may be closed again and the arrangement looks unchanged.
---@param view claude_ide.ChatView
---@param win integer
---@return boolean is_disturbed whether it is in the panel's tab page
function M.mark_disturbed(view, win)
  local is_beside = tiling.has(win) and api.nvim_win_get_tabpage(win) == view.tabpage
  if is_beside and view.sizes then
    view.sizes.is_disturbed = true
  end
  return is_beside
end

-- The rows that an arrangement has for windows.
---@param around claude_ide.Arrangement
local function rows(around)
  local lines = around.laststatus == 0 and 0 or 1
  return around.lines - around.cmdheight - lines - (around.has_tabline and 1 or 0)
end

-- If the screen has changed, the sizes at a side remain the same share of it. The neighbours alone would
-- lose the columns otherwise, down to one.
local function refit(view)
  local options, sizes = view.chat.options, view.sizes
  local is_wide = options.side == 'right' or options.side == 'left'
  local what = is_wide and 'columns' or 'lines'
  local before, now = sizes.around[what], vim.o[what]
  local fixed = is_wide and sizes.widths or sizes.heights
  for _, win in pairs(view.windows) do
    local is_ours = is_wide or win == view.windows.transcript
    if before ~= now and is_ours and fixed[win] then
      fixed[win] = chat_windows.refitted(fixed[win], before, now, options)
    end
  end
  local prompt, heights = view.windows.prompt, sizes.heights
  if is_wide and heights[prompt] then
    local room = rows(tiling.arrangement())
    heights[prompt] = chat_windows.refitted_prompt(heights[prompt], rows(sizes.around), room)
  end
end

local function is_same(sizes)
  return not sizes.is_disturbed and vim.deep_equal(sizes.around, tiling.arrangement())
end

--- Restore the sizes if other windows have opened or closed. Otherwise the user has changed them, and they
--- are kept from now on.
---@param view claude_ide.ChatView in the current tab page
function M.keep(view)
  local windows, sizes = view.windows, view.sizes
  if not (api.nvim_win_is_valid(windows.transcript) and api.nvim_win_is_valid(windows.prompt)) then
    return
  elseif not sizes or is_same(sizes) then
    view.sizes = M.snapshot(windows)
    return
  end
  refit(view)
  if unfix(windows, sizes) then
    view.sizes = M.snapshot(windows)
    return
  end
  sizes.around, sizes.is_disturbed = tiling.arrangement(), nil
  -- A window that the user has split off shares the columns of one of the two.
  local transcript, prompt = windows.transcript, windows.prompt
  local width = math.max(sizes.widths[transcript] or 0, sizes.widths[prompt] or 0)
  local rest = api.nvim_win_get_width(transcript) - api.nvim_win_get_width(prompt)
  if width > 0 then
    tiling.resize(rest < 0 and prompt or transcript, width)
    tiling.resize(rest < 0 and transcript or prompt, rest == 0 and width or math.floor(width / 2))
  end
  -- The transcript is resized again, because the prompt takes its rows from it.
  for _, win in ipairs({ transcript, prompt, transcript }) do
    tiling.resize(win, nil, sizes.heights[win])
  end
end

return M
