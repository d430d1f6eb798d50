--- Windows that are shown for a while and go without a trace: afterwards the user is where they were,
--- in a tab page that looks as it did.
---
--- A guest opens its windows in the current tab page, or in one of its own (`new_tabpage`). A visit
--- lasts from `open` to `close`; the caller holds it in between, and keeps its own fields in it.
local leaving = require('claude_ide.window.leaving')
local place = require('claude_ide.window.place')
local quiet = require('claude_ide.say.quiet')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')

local M = {}

local api = vim.api

---@class claude_ide.Guest
---@field kin? string guests of one kin share the way back and the shape that is restored, because one
---  may open over another and outlast it
---@field open fun(visit: any) opens the windows, and may fail in between
---@field close fun(visit: any) closes those that were opened, after the user has left them
---@field has fun(visit: any, win: integer): boolean whether a valid window belongs to it
---@field has_opened? fun(visit: any, win: integer): boolean whether it has opened a window in the
---  user's tab page
---@field has_user? fun(visit: any): boolean whether the user is in it; default: they have not left it

---@class claude_ide.Visit
---@field guest claude_ide.Guest
---@field bufnr? integer a buffer that the visit wipes out. The visit then watches whether the user
---  leaves, and closes before Neovim exits
---@field place claude_ide.Place the user's way back
---@field origin claude_ide.Place where the user was when it was shown
---@field shape claude_ide.TabShape what it looked like there
---@field own_tabpage? integer
---@field is_left boolean whether the user has gone elsewhere on their own
---@field autocommands integer[]

---@type table<claude_ide.Visit, true>
local visits = {}

-- Later: closing the windows moves the user, too, but not while the buffer is there.
local function watch_user(visit)
  return api.nvim_create_autocmd('WinEnter', {
    callback = vim.schedule_wrap(function()
      if api.nvim_buf_is_valid(visit.bufnr) then
        visit.is_left = not visit.guest.has(visit, api.nvim_get_current_win())
      end
    end),
  })
end

local function watch_exit(visit)
  return leaving.watch(function()
    M.close(visit)
  end)
end

--- Show a guest, quietly.
---
--- Raises an error when it cannot be shown; then nothing of it is left.
---@generic T
---@param guest claude_ide.Guest
---@param visit T the guest's own fields; the same table becomes the visit
---@return T|claude_ide.Visit
function M.open(guest, visit)
  local origin = place.current()
  visit.guest, visit.place, visit.origin, visit.is_left = guest, origin, origin, false
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

--- Open a tab page for a guest, and go there.
---
--- Raises an error when an autocommand has closed it.
---@param visit claude_ide.Visit
---@return integer win with an empty buffer, which goes when another one takes its window
function M.new_tabpage(visit)
  local win
  visit.own_tabpage, win = tiling.new_tabpage()
  vim.bo[api.nvim_win_get_buf(win)].bufhidden = 'wipe'
  return win
end

--- Whether the user is in a guest's windows, or was until they were closed.
---@param visit claude_ide.Visit
---@return boolean
function M.has_user(visit)
  local has_user = visit.guest.has_user
  if has_user then
    return has_user(visit)
  end
  return not visit.is_left
end

local function lies_over(other, visit)
  local has_opened = visit.guest.has_opened
  return other.place.tabpage == visit.own_tabpage
    or (has_opened ~= nil and has_opened(visit, other.place.win))
end

-- The user of a guest over this one goes back to where they would have gone from this one.
local function bequeath(visit)
  for other in pairs(visits) do
    local is_kin = visit.guest.kin and other.guest.kin == visit.guest.kin
    if is_kin and lies_over(other, visit) then
      other.place, other.origin = visit.place, visit.origin
      window_shape.release(other.shape)
      other.shape = window_shape.share(visit.shape)
    end
  end
end

-- Whether the user is in the guest's tab page, and nothing but a file tree, say, is there with it:
-- then the tab page closes with the guest.
local function is_alone(visit)
  return visit.own_tabpage == api.nvim_get_current_tabpage()
    and not window_close.has_work(visit.own_tabpage, function(win)
      return visit.guest.has(visit, win)
    end)
end

---@return boolean
local function go_back(visit)
  if is_alone(visit) then
    place.go_back(visit.origin)
  elseif M.has_user(visit) then
    place.go_back(visit.place)
  else
    return false
  end
  return true
end

local function take_down(visit)
  local restore = window_shape.release(visit.shape)
  local is_back = go_back(visit)
  visit.guest.close(visit)
  if visit.own_tabpage then
    window_close.deserted(visit.own_tabpage)
  end
  restore()
  return is_back
end

--- Close a guest's windows, quietly.
---@param visit claude_ide.Visit
---@return boolean is_back whether the user was taken back
function M.close(visit)
  if not visits[visit] then
    return false
  end
  visits[visit] = nil
  vim.iter(visit.autocommands):each(api.nvim_del_autocmd)
  bequeath(visit)
  return quiet.run(function()
    return take_down(visit)
  end)
end

return M
