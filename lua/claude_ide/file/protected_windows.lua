--- Windows whose buffer stays in them, those of the chat and of Claude's terminal. A buffer that is opened in
--- one moves to a window for files.
local loading = require('claude_ide.file.load')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local open_files = require('claude_ide.file.open')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local api = vim.api

--- What protects some windows.
---@class claude_ide.WindowOwner
---@field name string for messages
---@field buffer_of fun(win: integer): integer? the buffer that stays in a window; nil if it is not its window
---@field is_own? fun(bufnr: integer): boolean whether a buffer never moves to a window for files
---@field leaving? fun(win: integer) called before its buffer is replaced
---@field restored? fun(win: integer) called when its buffer has returned
---@field followed? fun(win: integer) called when the user has followed another buffer to a window for files

---@class claude_ide.MovedBuffer
---@field bufnr integer
---@field view vim.fn.winsaveview.ret its view in the protected window
---@field has_user boolean whether the user is in that window
---@field has_moved boolean whether the cursor has moved since it arrived: to a match, a tag, an error

local owners = {} ---@type table<string, claude_ide.WindowOwner> by name
-- The cursor at the arrival of a buffer, by window.
local arrivals = {} ---@type table<integer, integer[]>

-- The owner of a window, and the buffer that stays in it.
---@return claude_ide.WindowOwner?
---@return integer?
local function find(win)
  for _, owner in pairs(owners) do
    local bufnr = owner.buffer_of(win)
    if bufnr then
      return owner, bufnr
    end
  end
end

-- Call `fn` while a buffer is kept, even one that is wiped out when no window shows it.
local function keeping(bufnr, fn)
  local bufhidden = vim.bo[bufnr].bufhidden
  vim.bo[bufnr].bufhidden = 'hide'
  local ok, reason = pcall(fn)
  if api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].bufhidden = bufhidden
  end
  if not ok then
    error(reason, 0)
  end
end

local function restore_buffer(owner, win, bufnr)
  quiet.run(function()
    api.nvim_win_set_buf(win, bufnr)
    if owner.restored then
      owner.restored(win)
    end
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end)
end

local function show(win, moved)
  local is_shown = api.nvim_win_get_buf(win) == moved.bufnr
  if not is_shown then
    local _, reason = loading.in_window(win, moved.bufnr)
    if reason then
      return message.show(reason, 'error')
    end
  end
  if moved.has_moved or not is_shown then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(moved.view)
    end)
  end
end

local function move(owner, from, moved)
  if not moved.has_user then
    local win = open_files.to_show(moved.bufnr)
    return win and show(win, moved)
  end
  local win = open_files.to_enter(moved.bufnr)
  quiet.run(function()
    api.nvim_set_current_win(win)
    vim.cmd("normal! m'")
  end)
  show(win, moved)
  if owner.followed then
    owner.followed(from)
  end
end

local function send_away(win)
  local cursor = arrivals[win]
  arrivals[win] = nil
  local owner, own = find(win)
  if not (owner and own and api.nvim_win_is_valid(win) and api.nvim_buf_is_loaded(own)) then
    return
  end
  local bufnr = api.nvim_win_get_buf(win)
  if bufnr == own then
    return
  end
  local moved = {
    bufnr = bufnr,
    view = api.nvim_win_call(win, vim.fn.winsaveview),
    has_user = api.nvim_get_current_win() == win,
    has_moved = not vim.deep_equal(api.nvim_win_get_cursor(win), cursor),
  }
  keeping(bufnr, function()
    restore_buffer(owner, win, own)
    if not (owner.is_own and owner.is_own(bufnr)) then
      move(owner, win, moved)
    end
  end)
end

-- Deferred: the command that opens a buffer moves the cursor afterwards.
local function on_enter()
  local win = api.nvim_get_current_win()
  local owner, own = find(win)
  if not owner or api.nvim_win_get_buf(win) == own then
    return
  end
  local is_pending = arrivals[win] ~= nil
  arrivals[win] = api.nvim_win_get_cursor(win)
  if not is_pending then
    moment.when_possible(function()
      send_away(win)
    end, function(reason)
      message.show(('%s cannot leave its window: %s'):format(owner.name, reason), 'error')
    end)
  end
end

local function on_leave()
  local win = api.nvim_get_current_win()
  local owner, own = find(win)
  if owner and owner.leaving and api.nvim_win_get_buf(win) == own then
    owner.leaving(win)
  end
end

--- Protect the windows of an owner from now on.
---@param owner claude_ide.WindowOwner
function M.protect(owner)
  owners[owner.name] = owner
  local group = api.nvim_create_augroup('claude_ide_protected_windows', { clear = true })
  api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, { group = group, callback = on_enter })
  api.nvim_create_autocmd('BufLeave', { group = group, callback = on_leave })
end

return M
