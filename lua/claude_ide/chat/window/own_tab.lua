--- A tabpage of its own for a buffer, that goes without a trace.
local filling = require('claude_ide.window.filling')
local leaving = require('claude_ide.window.leaving')
local place = require('claude_ide.window.place')
local quiet = require('claude_ide.say.quiet')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')

local M = {}

local api = vim.api

---@class claude_ide.OwnTab
---@field bufnr integer
---@field place claude_ide.Place where the user was
---@field shape claude_ide.TabShape what it looked like there
---@field tabpage? integer its own
---@field is_left boolean whether the user has gone elsewhere on their own
---@field watcher integer autocommand
---@field leaver integer autocommand
---@field is_closed? boolean

local OPTIONS = {
  breakindent = true,
  cursorbind = false,
  diff = false,
  foldenable = false,
  linebreak = true,
  scrollbind = false,
  winfixbuf = true,
  wrap = true,
}

-- Later: closing the windows moves the user, too, but not while the buffer is there.
local function watch(tab)
  return api.nvim_create_autocmd('WinEnter', {
    callback = vim.schedule_wrap(function()
      if api.nvim_buf_is_valid(tab.bufnr) then
        tab.is_left = api.nvim_get_current_buf() ~= tab.bufnr
      end
    end),
  })
end

--- Whether the user is there, or was until its windows were closed.
---@param tab claude_ide.OwnTab
---@return boolean
function M.has_user(tab)
  return not tab.is_left
end

local function build(tab)
  local win
  tab.tabpage, win = tiling.new_tabpage()
  vim.bo[api.nvim_win_get_buf(win)].bufhidden = 'wipe'
  vim.wo[win].winfixbuf = false
  filling.run(function()
    api.nvim_win_set_buf(win, tab.bufnr)
  end)
  for name, value in pairs(OPTIONS) do
    vim.wo[win][0][name] = value
  end
  -- CTRL-O would go to a buffer that is no more.
  api.nvim_win_call(win, vim.cmd.clearjumps)
end

--- Show a buffer, and go there.
---
--- Raises an error when it cannot be shown; then nothing of it is left.
---@param bufnr integer
---@return claude_ide.OwnTab
function M.open(bufnr)
  local tab = {
    bufnr = bufnr,
    place = place.current(),
    shape = window_shape.hold('diff'),
    is_left = false,
  }
  tab.watcher = watch(tab)
  tab.leaver = leaving.watch(function()
    M.close(tab)
  end)
  local ok, err = pcall(quiet.run, function()
    build(tab)
  end)
  if not ok then
    M.close(tab)
    error(err, 0)
  end
  return tab
end

--- Go to where it is shown, if it still is.
---@param tab claude_ide.OwnTab
function M.enter(tab)
  local win = vim.fn.win_findbuf(tab.bufnr)[1]
  if win then
    api.nvim_set_current_win(win)
  end
end

-- In a file tree, say, whose tab page goes with it.
local function is_beside(tab)
  return tab.tabpage == api.nvim_get_current_tabpage()
    and not window_close.has_work(tab.tabpage, function(win)
      return api.nvim_win_get_buf(win) == tab.bufnr
    end)
end

local function take_down(tab)
  local restore = window_shape.release(tab.shape)
  if M.has_user(tab) or is_beside(tab) then
    place.go_back(tab.place)
  end
  vim.iter(vim.fn.win_findbuf(tab.bufnr)):each(window_close.window)
  window_close.buffer(tab.bufnr)
  if tab.tabpage then
    window_close.deserted(tab.tabpage)
  end
  restore()
end

--- Close its windows; the user is back where they were.
---@param tab claude_ide.OwnTab
function M.close(tab)
  if tab.is_closed then
    return
  end
  tab.is_closed = true
  api.nvim_del_autocmd(tab.watcher)
  api.nvim_del_autocmd(tab.leaver)
  quiet.run(function()
    take_down(tab)
  end)
end

return M
