--- Shows windows temporarily, and leaves no trace of them: closing them takes the user back, and
--- restores the tab page.
---
--- A guest opens its windows in the current tab page or in its own (`new_tabpage`). A visit lasts from
--- `open` to `close`. The caller holds the visit, and keeps its own fields in it.
local location = require('claude_ide.window.location')
local quiet = require('claude_ide.messages.quiet')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_window_visit', { clear = true })

---@class claude_ide.Guest
---@field kin? string guests of the same kin share the way back and the shape to restore, because one
---  may open over another and outlast it
---@field open fun(visit: any) opens the windows; it may fail half-way
---@field close fun(visit: any) closes the windows that were opened; called after the user has left
---  them
---@field has fun(visit: any, win: integer): boolean whether a valid window belongs to it
---@field has_opened? fun(visit: any, win: integer): boolean whether it has opened the window in the
---  user's tab page
---@field has_user? fun(visit: any): boolean whether the user is in it; default: the user has not left

---@class claude_ide.Visit
---@field guest claude_ide.Guest
---@field bufnr? integer a buffer that is wiped out when the visit ends. With one, the visit watches
---  whether the user leaves, and closes before Neovim exits
---@field destination claude_ide.Location where the user goes when the visit ends
---@field origin claude_ide.Location where the user was when it was opened
---@field shape claude_ide.TabShape of the tab page in which it was opened
---@field own_tabpage? integer set by `new_tabpage`
---@field is_left boolean whether the user has gone elsewhere on their own
---@field autocommands integer[]

---@type table<claude_ide.Visit, true>
local visits = {}

-- Scheduled, so that a move caused by closing the windows does not count: the buffer is gone by then.
local function watch_user(visit)
  return api.nvim_create_autocmd('WinEnter', {
    group = augroup,
    callback = vim.schedule_wrap(function()
      if api.nvim_buf_is_valid(visit.bufnr) then
        visit.is_left = not visit.guest.has(visit, api.nvim_get_current_win())
      end
    end),
  })
end

-- Once Neovim is certain to exit: before any `VimLeavePre`, in which session managers record the windows.
local function watch_exit(visit)
  return api.nvim_create_autocmd('BufWinLeave', {
    group = augroup,
    -- A buffer that is closed has to trigger its own autocommands.
    nested = true,
    callback = function()
      if vim.v.exiting ~= vim.NIL then
        M.close(visit)
      end
    end,
  })
end

--- Open a guest's windows. Errors in autocommands are silenced.
---
--- Raises an error when they cannot be opened; the ones already open are closed again.
---@generic T: table
---@param guest claude_ide.Guest
---@param fields T the guest's own fields; the same table becomes the visit
---@return T|claude_ide.Visit
function M.open(guest, fields)
  local origin = location.current()
  local visit = fields --[[@as claude_ide.Visit]]
  visit.guest, visit.destination, visit.origin, visit.is_left = guest, origin, origin, false
  visit.shape = window_shape.hold(guest.kin or visit)
  visit.autocommands = visit.bufnr and { watch_user(visit), watch_exit(visit) } or {}
  visits[visit] = true
  local ok, reason = pcall(quiet.run, function()
    guest.open(visit)
  end)
  if not ok then
    M.close(visit)
    error(reason, 0)
  elseif not visit.own_tabpage then
    window_shape.settle(visit.shape)
  end
  return visit
end

--- Open a tab page for a guest, and enter it.
---
--- Raises an error when an autocommand has closed it.
---@param visit claude_ide.Visit
---@return integer win its buffer is empty, and wiped out when another one replaces it
function M.new_tabpage(visit)
  local win
  visit.own_tabpage, win = tiling.new_tabpage()
  vim.bo[api.nvim_win_get_buf(win)].bufhidden = 'wipe'
  return win
end

--- A window of the user's has taken the place of another one.
---@param old integer
---@param new integer
function M.replace_window(old, new)
  window_shape.replace_window(old, new)
  for visit in pairs(visits) do
    for _, location_of in ipairs({ visit.destination, visit.origin }) do
      for _, field in ipairs({ 'win', 'previous_win' }) do
        location_of[field] = location_of[field] == old and new or location_of[field]
      end
    end
  end
end

--- Whether the user is in a guest's windows, or was there when they were closed.
---@param visit claude_ide.Visit
---@return boolean
function M.has_user(visit)
  local has_user = visit.guest.has_user
  return has_user and has_user(visit) or not has_user and not visit.is_left
end

local function is_over(other, visit)
  local has_opened = visit.guest.has_opened
  return other.destination.tabpage == visit.own_tabpage
    or (has_opened ~= nil and has_opened(visit, other.destination.win))
end

-- A visit that was opened over this one inherits its way back and its shape.
local function bequeath(visit)
  for other in pairs(visits) do
    local is_kin = visit.guest.kin and other.guest.kin == visit.guest.kin
    if is_kin and is_over(other, visit) then
      other.destination, other.origin = visit.destination, visit.origin
      window_shape.release(other.shape)
      other.shape = window_shape.share(visit.shape)
    end
  end
end

-- Whether the user is in the guest's own tab page, with at most a sidebar besides the guest. Then
-- the tab page closes with the guest.
local function is_alone(visit)
  return visit.own_tabpage == api.nvim_get_current_tabpage()
    and not window_close.has_work(visit.own_tabpage, function(win)
      return visit.guest.has(visit, win)
    end)
end

---@return boolean is_back
local function leave(visit)
  local is_alone_here = is_alone(visit)
  local is_back = is_alone_here or M.has_user(visit)
  if is_back then
    location.go_back(is_alone_here and visit.origin or visit.destination)
  end
  visit.guest.close(visit)
  if visit.own_tabpage then
    window_close.deserted_tabpage(visit.own_tabpage)
  end
  return is_back
end

local function dismantle(visit)
  local restore = window_shape.release(visit.shape)
  local has_tabpage = visit.own_tabpage and api.nvim_tabpage_is_valid(visit.own_tabpage)
  local is_back = has_tabpage and tiling.without_tabline(leave, visit)
    or not has_tabpage and leave(visit)
  restore()
  return is_back
end

--- Close a guest's windows. Errors in autocommands are silenced.
---@param visit claude_ide.Visit
---@return boolean is_back whether the user was in the guest, and has been taken back
function M.close(visit)
  if not visits[visit] then
    return false
  end
  visits[visit] = nil
  for _, id in ipairs(visit.autocommands) do
    pcall(api.nvim_del_autocmd, id)
  end
  bequeath(visit)
  return quiet.run(function()
    return dismantle(visit)
  end) --[[@as boolean]]
end

return M
