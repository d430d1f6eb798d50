--- The one window of an inline diff: that of the file itself, or one in a tab page of its own.
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local borrowed_window = require('claude_ide.diff.borrowed_window')
local diff_windows = require('claude_ide.diff.windows')
local looks = require('claude_ide.window.looks')
local proposal = require('claude_ide.diff.proposal')
local stand_in = require('claude_ide.diff.stand_in')
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
  proposal.match_file(diff, windows.unsaved or windows.original)
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

--- Show a proposal in place of its file, or in its own tab page if no window shows the file.
---@param windows claude_ide.DiffWindows empty
---@param view claude_ide.DiffView
---@param new_tabpage fun(): integer opens a tab page and returns its window
function M.open(windows, view, new_tabpage)
  local diff = view.diff
  local win = own_window(diff)
  windows.left, windows.was_open = win, win ~= nil
  if win then
    diff_windows.show_original(windows, diff)
  else
    diff_windows.open_tab(windows, diff, new_tabpage)
  end
  show_proposal(windows, diff)
  if win then
    windows.stand_in = stand_in.watch(view)
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
    borrowed_window.give_back(windows.borrowed)
  end
end

--- Show the file in its window again, and wipe out the proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
function M.close(windows, bufnr)
  if windows.stand_in then
    stand_in.forget(windows.stand_in)
  end
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
