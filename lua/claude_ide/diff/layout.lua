--- A diff comes into sight, and goes without a trace.
local diff_winbar = require('claude_ide.diff.winbar')
local diff_windows = require('claude_ide.diff.windows')
local leaving = require('claude_ide.window.leaving')
local place = require('claude_ide.window.place')
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')

local M = {}

---@class claude_ide.DiffView
---@field place claude_ide.Place where the user was
---@field shape claude_ide.TabShape what it looked like there
---@field windows claude_ide.DiffWindows
---@field proposal integer buffer
---@field is_left boolean whether the user has gone elsewhere on their own
---@field watcher integer autocommand
---@field leaver integer autocommand

---@type table<claude_ide.DiffView, true>
local views = {}
-- Before the first of them; `:diffthis` adds to it, and `:diffoff` takes away what the user had.
local scrollopt ---@type string

--- Whether a window belongs to a diff.
---@param view claude_ide.DiffView
---@param win integer
---@return boolean
function M.has_window(view, win)
  return diff_windows.has(view.windows, view.proposal, win)
end

-- Later: closing a diff's windows moves the user, too, but not while its proposal is there.
local function watch(view)
  return vim.api.nvim_create_autocmd('WinEnter', {
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(view.proposal) then
        view.is_left = not M.has_window(view, vim.api.nvim_get_current_win())
      end
    end),
  })
end

--- Whether the user is in a diff, or was until its windows were closed.
---@param view claude_ide.DiffView
---@return boolean
function M.has_user(view)
  local win = vim.api.nvim_get_current_win()
  local shows_other = win == view.windows.right and not M.has_window(view, win)
  return not view.is_left and not shows_other
end

local function build(view, diff)
  diff_windows.open(view.windows, diff)
  local windows = view.windows
  diff_winbar.set(diff, windows.left, windows.right, windows.unsaved ~= nil)
end

--- Show the proposal `diff.bufnr` beside its file, the proposal focused.
---
--- Raises an error when it cannot be shown; then nothing of it is left.
---@param diff claude_ide.Diff
---@return claude_ide.DiffView
function M.open(diff)
  local view = {
    place = place.current(),
    shape = window_shape.hold('diff'),
    windows = {},
    proposal = diff.bufnr,
    is_left = false,
  }
  if next(views) == nil then
    scrollopt = vim.o.scrollopt
  end
  views[view] = true
  view.watcher = watch(view)
  view.leaver = leaving.watch(function()
    M.close(view)
  end)
  local ok, err = pcall(quiet.run, function()
    build(view, diff)
  end)
  if not ok then
    M.close(view)
    error(err, 0)
  end
  if not view.windows.tabpage then
    window_shape.settle(view.shape)
  end
  return view
end

local function is_in(windows, origin)
  return origin.tabpage == windows.tabpage
    or origin.win == windows.right
    or (origin.win == windows.left and not windows.is_users)
end

-- A diff that was opened over this one goes back to where this one would have gone.
local function bequeath(view)
  for other in pairs(views) do
    if is_in(view.windows, other.place) then
      other.place = view.place
      window_shape.release(other.shape)
      other.shape = window_shape.share(view.shape)
    end
  end
end

-- Whether the user is in a file tree, say, whose tab page is closed with the diff.
local function is_beside(view)
  local tabpage = view.windows.tabpage
  return tabpage == vim.api.nvim_get_current_tabpage()
    and not window_close.has_work(tabpage, function(win)
      return M.has_window(view, win)
    end)
end

local function take_down(view)
  local restore = window_shape.release(view.shape)
  if M.has_user(view) or is_beside(view) then
    place.go_back(view.place)
  end
  diff_windows.close(view.windows, view.proposal)
  restore()
  if next(views) == nil then
    vim.o.scrollopt = scrollopt
  end
end

--- Close a diff.
---@param view claude_ide.DiffView
function M.close(view)
  if not views[view] then
    return
  end
  views[view] = nil
  vim.api.nvim_del_autocmd(view.watcher)
  vim.api.nvim_del_autocmd(view.leaver)
  bequeath(view)
  quiet.run(function()
    take_down(view)
  end)
end

return M
