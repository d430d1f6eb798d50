--- A diff as a visit: shown, and closed without a trace.
local diff_winbar = require('claude_ide.diff.winbar')
local diff_windows = require('claude_ide.diff.windows')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local own_options = require('claude_ide.own_options')
local plain = require('claude_ide.messages.plain')
local visit = require('claude_ide.window.visit')

local M = {}

---@class claude_ide.DiffGuest: claude_ide.Guest
local guest = { kin = 'proposal', has = diff_windows.has, close = diff_windows.close }

-- Show a diff by the user's function; false, after a message, if that fails.
local function open_custom(view, show)
  local diff = view.diff
  local ok, reason = pcall(require('claude_ide.diff.custom').open, view, show)
  if not ok then
    diff_windows.close(view, true)
    local problem = plain.one_line(tostring(reason))
    message.show(('diff.layout: %s; the usual layout is used'):format(problem), 'error')
  end
  if not diff.focus or not ok then
    location.stay(view.origin, function() end)
  end
  if vim.api.nvim_buf_is_valid(diff.bufnr) then
    vim.bo[diff.bufnr].bufhidden = 'wipe'
  end
  return ok
end

local function open_windows(view)
  local show = own_options.as_function('diff', 'layout')
  if show and open_custom(view, show) then
    return
  end
  view.is_inline = view.diff.layout == 'inline'
  local layout = view.is_inline and require('claude_ide.diff.inline') or diff_windows
  layout.open(view)
end

function guest.open(view)
  open_windows(view)
  diff_winbar.set(view)
end

function guest.has_opened(view, win)
  return vim.list_contains(view.opened, win)
end

-- If the user has put another buffer into the proposal's window, they are no longer in the diff.
function guest.has_user(view)
  local win = vim.api.nvim_get_current_win()
  return not view.is_left and (win ~= view.right or diff_windows.has(view, win))
end

--- Show the proposal `diff.bufnr`, and focus it if `diff.focus`.
---
--- Raises an error if it cannot be shown; then no window remains.
---@param diff claude_ide.Diff
---@return claude_ide.DiffView
function M.open(diff)
  local fields = { bufnr = diff.bufnr, diff = diff, opened = {}, used = {}, added = {} }
  local view = visit.open(guest, fields)
  view.is_left = not diff.focus
  return view --[[@as claude_ide.DiffView]]
end

return M
