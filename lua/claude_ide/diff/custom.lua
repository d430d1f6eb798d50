--- Diffs that a function of the user's shows (`diff.layout`).
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
local function load(view)
  local blank = api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  local win = float.hidden(blank)
  local ok, reason = pcall(function()
    diff_windows.load(view, win)
    borrowed_buffer.hide(view.original)
  end)
  window_close.window(win)
  if not ok then
    error(reason, 0)
  end
  decision.match_file(view.diff, view.unsaved or view.original)
end

-- Note what the function has done: the windows and buffers that are new, and the windows that it has used.
local function record(view, borrowed, buffers)
  local function is_changed(window)
    local win = window.win
    return api.nvim_win_is_valid(win)
      and (api.nvim_win_get_buf(win) ~= window.bufnr or vim.wo[win].diff ~= window.options.diff)
  end
  view.used = vim.tbl_filter(is_changed, vim.tbl_values(borrowed))
  view.opened = vim.tbl_filter(function(win)
    return not borrowed[win]
  end, api.nvim_list_wins())
  view.added = vim.tbl_filter(function(added)
    return not vim.list_contains(buffers, added)
  end, api.nvim_list_bufs())
  diff_windows.remove_blanks(view.added)
  view.right = vim.fn.win_findbuf(view.bufnr)[1]
end

--- Have the user's function show a proposal.
---
--- Raises an error if it fails, or does not show the proposal.
---@type fun(view: claude_ide.DiffView, show: fun(ctx: claude_ide.LayoutContext))
function M.open(view, show)
  local diff = view.diff
  load(view)
  local borrowed = {} ---@type table<integer, claude_ide.BorrowedWindow>
  for _, win in ipairs(api.nvim_list_wins()) do
    borrowed[win] = diff_windows.borrow(win)
  end
  local buffers = api.nvim_list_bufs()
  -- A window that is closed again, by the function or because it fails, must not wipe out the proposal.
  vim.bo[diff.bufnr].bufhidden = 'hide'
  local ok, reason = pcall(show, {
    original = view.original,
    proposed = diff.bufnr,
    path = diff.path,
    title = diff.title,
  })
  if not api.nvim_buf_is_valid(diff.bufnr) then
    error('the function has wiped out the proposal', 0)
  end
  record(view, borrowed, buffers)
  if not ok then
    error(reason, 0)
  elseif not view.right then
    error('the function shows no proposal', 0)
  elseif diff.focus then
    api.nvim_set_current_win(view.right)
  end
end

return M
