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

local owners = {} ---@type table<string, claude_ide.WindowOwner> by name
-- The cursor at the arrival of a buffer, by window: it moves to a match, a tag, an error.
local arrivals = {} ---@type table<integer, integer[]>

-- The owner of a window, if it is there and shows another buffer than the owner's; and that buffer.
---@return claude_ide.WindowOwner?
---@return integer? own
---@return boolean? is_left
local function find(win)
  for _, owner in pairs(owners) do
    local own = api.nvim_win_is_valid(win) and owner.buffer_of(win)
    if own then
      return owner, own, api.nvim_win_get_buf(win) ~= own
    end
  end
end

-- Show the buffer in a window for files, with the view that it had, unless it is there and has not moved.
local function move(owner, from, bufnr, view, has_moved)
  local has_user = api.nvim_get_current_win() == from
  local win = has_user and open_files.to_enter(bufnr) or open_files.to_show(bufnr)
  if not win then
    return
  elseif has_user then
    quiet.run(function()
      api.nvim_set_current_win(win)
      vim.cmd("normal! m'")
    end)
  end
  local is_shown = api.nvim_win_get_buf(win) == bufnr
  local reason = not is_shown and select(2, loading.in_window(win, bufnr))
  if reason then
    message.show(reason, 'error')
  elseif has_moved or not is_shown then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
  if has_user and owner.followed then
    owner.followed(from)
  end
end

local function send_away(win)
  local cursor = arrivals[win]
  arrivals[win] = nil
  local owner, own, is_left = find(win)
  if not (owner and own and is_left and api.nvim_buf_is_loaded(own)) then
    return
  end
  local bufnr, view = api.nvim_win_get_buf(win), api.nvim_win_call(win, vim.fn.winsaveview)
  local has_moved = not vim.deep_equal(api.nvim_win_get_cursor(win), cursor)
  -- It may be one that is wiped out when no window shows it.
  local bufhidden = vim.bo[bufnr].bufhidden
  vim.bo[bufnr].bufhidden = 'hide'
  local ok, reason = pcall(function()
    quiet.run(function()
      api.nvim_win_set_buf(win, own)
      if owner.restored then
        owner.restored(win)
      end
      api.nvim_win_call(win, vim.cmd.clearjumps)
    end)
    if not (owner.is_own and owner.is_own(bufnr)) then
      move(owner, win, bufnr, view, has_moved)
    end
  end)
  if api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].bufhidden = bufhidden
  end
  if not ok then
    error(reason, 0)
  end
end

-- Deferred: the command that opens a buffer moves the cursor afterwards.
local function on_enter()
  local win = api.nvim_get_current_win()
  local owner, _, is_left = find(win)
  if not owner or not is_left then
    return
  end
  local is_pending = arrivals[win] ~= nil
  arrivals[win] = api.nvim_win_get_cursor(win)
  if not is_pending then
    moment.when_possible(function()
      send_away(win)
    end, message.failure(owner.name .. ' cannot leave its window: %s'))
  end
end

local function on_leave()
  local win = api.nvim_get_current_win()
  local owner, _, is_left = find(win)
  if owner and owner.leaving and not is_left then
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
