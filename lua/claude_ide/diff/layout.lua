--- A diff as a visit: shown, and closed without a trace.
local diff_winbar = require('claude_ide.diff.winbar')
local diff_windows = require('claude_ide.diff.windows')
local visit = require('claude_ide.window.visit')

local M = {}

---@class claude_ide.DiffView: claude_ide.Visit
---@field bufnr integer the proposal
---@field diff claude_ide.Diff
---@field windows claude_ide.DiffWindows

local shown = 0
-- The user's 'scrollopt', from before the first diff: `:diffthis` adds "hor" to it, and `:diffoff`
-- removes that even if the user had set it.
local scrollopt ---@type string

--- Whether a window belongs to a diff.
---@param view claude_ide.DiffView
---@param win integer
---@return boolean
function M.has_window(view, win)
  return diff_windows.has(view.windows, view.bufnr, win)
end

---@class claude_ide.DiffGuest: claude_ide.Guest
local guest = { kin = 'proposal', has = M.has_window }

---@param view claude_ide.DiffView
function guest.open(view)
  if shown == 0 then
    scrollopt = vim.o.scrollopt
  end
  shown = shown + 1
  local windows = view.windows
  diff_windows.open(windows, view.diff, function()
    return visit.new_tabpage(view)
  end)
  diff_winbar.set(view.diff, windows.left, windows.right, windows.unsaved ~= nil)
end

---@param view claude_ide.DiffView
function guest.close(view)
  shown = shown - 1
  diff_windows.close(view.windows, view.bufnr)
  if shown == 0 then
    vim.o.scrollopt = scrollopt
  end
end

---@param view claude_ide.DiffView
function guest.has_opened(view, win)
  local windows = view.windows
  return win == windows.right or (win == windows.left and not windows.was_open)
end

-- If the user has put another buffer into the proposal's window, they are no longer in the diff.
---@param view claude_ide.DiffView
function guest.has_user(view)
  local win = vim.api.nvim_get_current_win()
  return not view.is_left and (win ~= view.windows.right or M.has_window(view, win))
end

--- Show the proposal `diff.bufnr` beside its file, and focus it.
---
--- Raises an error if it cannot be shown; then no window remains.
---@param diff claude_ide.Diff
---@return claude_ide.DiffView
function M.open(diff)
  local view = visit.open(guest, { bufnr = diff.bufnr, diff = diff, windows = {} })
  return view --[[@as claude_ide.DiffView]]
end

return M
