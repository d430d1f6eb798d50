--- Diffs that a function of the user's shows (`diff.layout`). What it has opened is closed again.
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local decision = require('claude_ide.diff.decision')
local diff_windows = require('claude_ide.diff.windows')
local float = require('claude_ide.window.float')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

---@class claude_ide.LayoutContext what a function gets that shows a diff
---@field original integer the buffer with the text before
---@field proposed integer the buffer with the proposal
---@field path string the file
---@field title string who proposes the change

-- Load the text to compare without showing it.
local function load(windows, diff)
  local blank = api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  local win = float.hidden(blank)
  local own = diff_windows.buffer_of(diff)
  local ok, reason = pcall(function()
    windows.original, windows.unsaved = borrowed_buffer.borrow(diff.path, win, own)
    borrowed_buffer.hide(windows.original)
  end)
  window_close.window(win)
  if not ok then
    error(reason, 0)
  elseif windows.unsaved then
    decision.set_filetype(windows.original, diff, windows.unsaved)
  end
  decision.match_file(diff, windows.unsaved or windows.original)
end

local function is_changed(window)
  local win = window.win
  return api.nvim_win_is_valid(win)
    and (api.nvim_win_get_buf(win) ~= window.bufnr or vim.wo[win].diff ~= window.options.diff)
end

local function is_blank(bufnr)
  return api.nvim_buf_is_loaded(bufnr)
    and api.nvim_buf_get_name(bufnr) == ''
    and vim.bo[bufnr].buftype == ''
    and not vim.bo[bufnr].modified
    and #vim.fn.win_findbuf(bufnr) == 0
end

-- `:tabnew` and `:new` leave an empty buffer when another one takes its place. Without this, each diff would
-- add one to the buffer list.
local function remove_blanks(bufnrs)
  for _, bufnr in ipairs(bufnrs) do
    if is_blank(bufnr) then
      window_close.buffer(bufnr)
    end
  end
end

local function added(before)
  return vim.tbl_filter(function(bufnr)
    return not vim.list_contains(before, bufnr)
  end, api.nvim_list_bufs())
end

-- Note what the function has done: the windows that are new, and those that it has used.
local function record(windows, bufnr, before)
  windows.used = vim.tbl_filter(is_changed, vim.tbl_values(before))
  windows.opened = vim.tbl_filter(function(win)
    return not before[win]
  end, api.nvim_list_wins())
  windows.right = vim.fn.win_findbuf(bufnr)[1]
end

--- Have the user's function show a proposal.
---
--- Raises an error if it fails, or does not show the proposal.
---@param windows claude_ide.DiffWindows empty
---@param diff claude_ide.Diff
---@param show fun(ctx: claude_ide.LayoutContext)
function M.open(windows, diff, show)
  load(windows, diff)
  local before = {} ---@type table<integer, claude_ide.BorrowedWindow>
  for _, win in ipairs(api.nvim_list_wins()) do
    before[win] = diff_windows.borrow(win)
  end
  local buffers = api.nvim_list_bufs()
  -- A window that is closed again, by the function or because it fails, must not wipe out the proposal.
  vim.bo[diff.bufnr].bufhidden = 'hide'
  local ok, reason = pcall(show, {
    original = windows.original,
    proposed = diff.bufnr,
    path = diff.path,
    title = diff.title,
  })
  if not api.nvim_buf_is_valid(diff.bufnr) then
    error('the function has wiped out the proposal', 0)
  end
  windows.added = added(buffers)
  remove_blanks(windows.added)
  record(windows, diff.bufnr, before)
  if not ok then
    error(reason, 0)
  elseif not windows.right then
    error('the function shows no proposal', 0)
  elseif diff.focus then
    api.nvim_set_current_win(windows.right)
  end
end

--- Whether a window belongs to the diff of this proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
---@param win integer
---@return boolean
function M.has(windows, bufnr, win)
  return api.nvim_win_get_buf(win) == bufnr or vim.list_contains(windows.opened or {}, win)
end

local function give_back(window, windows, bufnr)
  local win = window.win
  if not api.nvim_win_is_valid(win) then
    return
  end
  local shown = api.nvim_win_get_buf(win)
  local is_ours = shown == bufnr or shown == windows.original
  if is_ours and shown ~= window.bufnr and api.nvim_buf_is_valid(window.bufnr) then
    api.nvim_win_set_buf(win, window.bufnr)
  end
  diff_windows.give_back(window)
end

--- Close what the function has opened, and restore the windows that it has used.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
---@param keeps_proposal? boolean it will be shown in another way
function M.close(windows, bufnr, keeps_proposal)
  for _, window in ipairs(windows.used or {}) do
    give_back(window, windows, bufnr)
  end
  vim.iter(windows.opened or {}):each(window_close.window)
  remove_blanks(windows.added or {})
  if not keeps_proposal then
    window_close.buffer(bufnr)
  end
  if windows.original then
    borrowed_buffer.give_back(windows.original)
  end
  for field in pairs(windows) do
    windows[field] = nil
  end
end

return M
