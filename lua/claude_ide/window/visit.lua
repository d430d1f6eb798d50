--- Shows windows temporarily, and leaves no trace of them: closing them takes the user back, and
--- restores the tab page.
---
--- An owner opens its windows in the current tab page or in its own (`new_tabpage`). A visit lasts from
--- `open` to `close`. The caller holds the visit, and keeps its own fields in it.
local autocommands = require('claude_ide.messages.autocommands')
local location = require('claude_ide.window.location')
local quiet = require('claude_ide.messages.quiet')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_window_visit')

---@class claude_ide.VisitOwner
---@field group? string owners of the same group share the way back and the shape to restore, because one
---  may open over another and outlast it
---@field open fun(visit: any) opens the windows; it may fail half-way
---@field close fun(visit: any) closes the windows that were opened; called after the user has left
---  them
---@field has fun(visit: any, win: integer): boolean whether a valid window belongs to it
---@field has_opened? fun(visit: any, win: integer): boolean whether it has opened the window in the
---  user's tab page
---@field has_user? fun(visit: any): boolean whether the user is in it; default: the user has not left

---@class claude_ide.Visit
---@field owner claude_ide.VisitOwner
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

-- Whether the user leaves; and whether Neovim is certain to exit: that is before any `VimLeavePre`, in which
-- session managers record the windows.
local function watch(visit)
  -- Scheduled, so that a move caused by closing the windows does not count: the buffer is gone by then.
  local function moved()
    if api.nvim_buf_is_valid(visit.bufnr) then
      visit.is_left = not visit.owner.has(visit, api.nvim_get_current_win())
    end
  end
  local function exited()
    if vim.v.exiting ~= vim.NIL then
      M.close(visit)
    end
  end
  visit.autocommands = {
    on('WinEnter', nil, vim.schedule_wrap(moved)),
    -- A buffer that is closed has to trigger its own autocommands.
    on('BufWinLeave', nil, exited, { nested = true }),
  }
end

--- Open an owner's windows. Errors in autocommands are silenced.
---
--- Raises an error when they cannot be opened; the ones already open are closed again.
---@generic T: table
---@param owner claude_ide.VisitOwner
---@param fields T the owner's own fields; the same table becomes the visit
---@return T|claude_ide.Visit
function M.open(owner, fields)
  local origin = location.current()
  local visit = fields --[[@as claude_ide.Visit]]
  visit.owner, visit.destination, visit.origin, visit.is_left = owner, origin, origin, false
  visit.shape = window_shape.hold(owner.group or visit)
  visit.autocommands = {}
  visits[visit] = true
  if visit.bufnr then
    watch(visit)
  end
  local ok, reason = pcall(quiet.run, function()
    owner.open(visit)
  end)
  if not ok then
    M.close(visit)
    error(reason, 0)
  elseif not visit.own_tabpage then
    window_shape.settle(visit.shape)
  end
  return visit
end

--- Open a tab page for an owner, and enter it.
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
---@type fun(old: integer, new: integer)
function M.replace_window(old, new)
  window_shape.replace_window(old, new)
  for visit in pairs(visits) do
    for _, place in ipairs({ visit.destination, visit.origin }) do
      place.win = place.win == old and new or place.win
      place.previous_win = place.previous_win == old and new or place.previous_win
    end
  end
end

--- Whether the user is in an owner's windows, or was there when they were closed.
---@type fun(visit: claude_ide.Visit): boolean
function M.has_user(visit)
  local has_user = visit.owner.has_user
  return has_user and has_user(visit) or not has_user and not visit.is_left
end

-- Visits that were opened over this one inherit its way back and its shape.
local function pass_on(visit)
  local owner = visit.owner
  for other in pairs(visits) do
    local destination = other.destination
    local is_over = destination.tabpage == visit.own_tabpage
      or owner.has_opened and owner.has_opened(visit, destination.win)
    if owner.group and other.owner.group == owner.group and is_over then
      other.destination, other.origin = visit.destination, visit.origin
      window_shape.release(other.shape)
      other.shape = window_shape.share(visit.shape)
    end
  end
end

-- Take the user back and close the windows. The owner's own tab page closes with it if at most a sidebar is
-- there besides.
---@return boolean is_back
local function leave(visit)
  local own = visit.own_tabpage
  local is_alone = own == api.nvim_get_current_tabpage()
    and not window_close.has_work(own, function(win)
      return visit.owner.has(visit, win)
    end)
  local is_back = is_alone or M.has_user(visit)
  if is_back then
    location.go_back(is_alone and visit.origin or visit.destination)
  end
  visit.owner.close(visit)
  if own then
    window_close.deserted_tabpage(own)
  end
  return is_back
end

-- Call `fn`, which goes from one of two tab pages to the other and closes the first. If only two tab pages
-- have a tab line, it is hidden first. Otherwise it would resize the other tab page's windows twice at once,
-- and a program in a terminal there would draw in the wrong places.
local function without_tabline(fn)
  -- An autocommand may have set the option in the meantime.
  local function set(from, to)
    if vim.o.showtabline == from then
      without_events.run({ 'OptionSet' }, function()
        vim.o.showtabline = to
      end)
    end
  end
  local is_due = vim.o.showtabline == 1 and #api.nvim_list_tabpages() == 2
  set(is_due and 1, 0)
  local ok, result = pcall(fn)
  set(is_due and 0, 1)
  if not ok then
    error(result, 0)
  end
  return result
end

--- Close an owner's windows. Errors in autocommands are silenced.
---@param visit claude_ide.Visit
---@return boolean is_back whether the user was in its windows, and has been taken back
function M.close(visit)
  if not visits[visit] then
    return false
  end
  visits[visit] = nil
  for _, id in ipairs(visit.autocommands) do
    pcall(api.nvim_del_autocmd, id)
  end
  pass_on(visit)
  return quiet.run(function()
    local restore = window_shape.release(visit.shape)
    local function go()
      return leave(visit)
    end
    local has_tabpage = visit.own_tabpage and api.nvim_tabpage_is_valid(visit.own_tabpage)
    local is_back = has_tabpage and without_tabline(go) or not has_tabpage and go()
    restore()
    return is_back
  end) --[[@as boolean]]
end

return M
