--- The one window of an inline diff: that of the file itself, or one in a tab page of its own.
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local decision = require('claude_ide.diff.decision')
local diff_windows = require('claude_ide.diff.windows')
local looks = require('claude_ide.window.looks')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

-- Without a jump.
local function show(win, bufnr)
  api.nvim_win_call(win, function()
    vim.cmd.buffer({ bufnr, bang = true, mods = { keepjumps = true } })
  end)
  if api.nvim_win_get_buf(win) ~= bufnr then
    error('an autocommand opened something else', 0)
  end
end

---@class claude_ide.WindowMemory
---@field alternate integer the alternate file
---@field last_jump integer[] the mark '

local function memory_of(win)
  return api.nvim_win_call(win, function()
    return { alternate = vim.fn.bufnr('#'), last_jump = vim.fn.getpos("''") }
  end)
end

local function restore_memory(win, memory)
  api.nvim_win_call(win, function()
    vim.fn.setpos("''", memory.last_jump)
    if vim.fn.bufnr('#') ~= memory.alternate and api.nvim_buf_is_valid(memory.alternate) then
      vim.fn.setreg('#', memory.alternate)
    end
  end)
end

local function show_proposal(windows, diff)
  local win = windows.left
  borrowed_buffer.hide(windows.original)
  local seen = looks.read(win)
  windows.memory = memory_of(win)
  seen.wrap, seen.foldenable = vim.wo[win].wrap, false
  decision.match_file(diff, windows.unsaved or windows.original)
  show(win, diff.bufnr)
  looks.set(win, seen)
  windows.right = win
end

-- The file's window; nil if another buffer cannot or should not appear there.
local function own_window(diff)
  local win = diff_windows.window_of(diff)
  local is_unfit = win
    and (vim.wo[win].winfixbuf or not diff.focus and win == api.nvim_get_current_win())
  if diff_windows.has_diff() or is_unfit then
    return nil
  end
  return win
end

-- A window next to the file's own, which gets its room. Nil without room for one.
local function split(windows)
  local equalalways = vim.o.equalalways
  vim.o.equalalways = false
  local is_wide = api.nvim_win_get_width(windows.left) > 2 * vim.o.winminwidth + 1
  local ok, win = pcall(api.nvim_open_win, windows.original, false, {
    split = is_wide and 'right' or 'below',
    win = windows.left,
    noautocmd = true,
  })
  vim.o.equalalways = equalalways
  return ok and win or nil
end

-- The group of the autocommands that follow the window of a proposal.
local function group_of(bufnr, clear)
  return api.nvim_create_augroup('claude_ide_diff_inline_' .. bufnr, { clear = clear })
end

-- Neovim quits if its last window is closed.
local function on_quit(windows)
  local win = windows.left
  if api.nvim_get_current_win() ~= win or not window_close.is_last(win) then
    return
  end
  windows.stand_in = windows.stand_in or split(windows)
  -- Unsaved changes elsewhere may keep Neovim from closing anything.
  vim.schedule(function()
    if windows.stand_in and windows.left and windows.left ~= windows.stand_in then
      window_close.window(windows.stand_in)
      windows.stand_in = nil
    end
  end)
end

local function on_closed(windows, bufnr)
  local win = windows.left
  local other = vim.iter(vim.fn.win_findbuf(bufnr)):find(function(shown)
    return shown ~= win and api.nvim_win_get_config(shown).relative == ''
  end)
  local is_users = api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == bufnr
  local found = windows.stand_in or other or (is_users and split(windows)) or nil
  if not found then
    return
  end
  windows.left, windows.right, windows.borrowed.win = found, found, found
  windows.stand_in = nil
  visit.replace_window(win, found)
  if not other then
    -- The user is back in the file.
    group_of(bufnr, true)
  end
end

-- Keep the place of the file's window if the user closes it because a proposal is in it. `:q` there means the
-- proposal, not the window: Neovim closes the window, and another one with the file takes its place.
local function keep_place(windows, bufnr)
  local group = group_of(bufnr, true)
  api.nvim_create_autocmd('QuitPre', {
    group = group,
    callback = function()
      on_quit(windows)
    end,
  })
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = function(event)
      if tonumber(event.match) == windows.left then
        on_closed(windows, bufnr)
      end
    end,
  })
end

--- Show a proposal in place of its file, or in its own tab page if no window shows the file.
---@param windows claude_ide.DiffWindows empty
---@param diff claude_ide.Diff
---@param new_tabpage fun(): integer opens a tab page and returns its window
function M.open(windows, diff, new_tabpage)
  local win = own_window(diff)
  windows.left, windows.was_open = win, win ~= nil
  if win then
    diff_windows.show_original(windows, diff)
  else
    diff_windows.open_tab(windows, diff, new_tabpage)
  end
  show_proposal(windows, diff)
  if win then
    keep_place(windows, diff.bufnr)
  end
  if diff.focus then
    api.nvim_set_current_win(windows.right)
  end
end

--- Whether a window belongs to the diff of this proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
---@param win integer
---@return boolean
function M.has(windows, bufnr, win)
  local shown = api.nvim_win_get_buf(win)
  return shown == bufnr
    or (win == windows.left and shown == windows.original)
    or (win == windows.left and diff_windows.blank_buffer(win, bufnr) ~= nil)
end

-- Put the file back into its window, unless the user has put another one there.
local function show_original(windows, bufnr)
  local win = windows.left
  if not (win and api.nvim_win_is_valid(win) and M.has(windows, bufnr, win)) then
    return
  elseif not windows.was_open then
    return window_close.window(win)
  end
  local blank = diff_windows.blank_buffer(win, bufnr)
  if api.nvim_win_get_buf(win) ~= windows.original and api.nvim_buf_is_valid(windows.original) then
    show(win, windows.original)
  end
  restore_memory(win, windows.memory)
  if blank then
    window_close.buffer(blank)
  end
  if windows.borrowed then
    diff_windows.give_back(windows.borrowed)
  end
end

--- Show the file in its window again, and wipe out the proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
function M.close(windows, bufnr)
  api.nvim_del_augroup_by_id(group_of(bufnr, true))
  show_original(windows, bufnr)
  window_close.buffer(bufnr)
  if windows.original then
    borrowed_buffer.give_back(windows.original)
  end
  for field in pairs(windows) do
    windows[field] = nil
  end
end

return M
