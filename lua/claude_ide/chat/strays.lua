--- Buffers that are opened in a window of the panel. They move to a window for files, and the panel's own
--- buffer returns.
local chat_state = require('claude_ide.chat.state')
local chat_placement = require('claude_ide.chat.placement')
local loading = require('claude_ide.file.load')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local quiet = require('claude_ide.say.quiet')
local window_choice = require('claude_ide.file.choice')

local M = {}

local api = vim.api

---@class claude_ide.Stray
---@field bufnr integer
---@field view vim.fn.winsaveview.ret its view in the panel's window
---@field has_user boolean whether the user is in that window
---@field has_moved boolean whether the cursor has moved since it arrived: to a match, a tag, an error

-- The cursor at the arrival of a buffer, by window.
local arrivals = {} ---@type table<integer, integer[]>

-- The chat that a window belongs to, and the window's name: 'transcript' or 'prompt'.
---@return claude_ide.Chat?
---@return string?
local function find(win)
  for _, chat in ipairs(chat_state.list()) do
    for name, own in pairs(chat.view and chat.view.windows or {}) do
      if own == win then
        return chat, name
      end
    end
  end
end

local function is_of_chat(bufnr)
  return vim.iter(chat_state.list()):any(function(chat)
    return bufnr == chat.transcript or bufnr == chat.prompt
  end)
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

local function restore_buffer(chat, name, win)
  quiet.run(function()
    api.nvim_win_set_buf(win, chat[name])
    chat_placement.restore_cursors(chat, { [name] = win })
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end)
end

local function show(win, stray)
  local is_shown = api.nvim_win_get_buf(win) == stray.bufnr
  if not is_shown then
    local _, reason = loading.in_window(win, stray.bufnr)
    if reason then
      return message.show(reason, 'error')
    end
  end
  if stray.has_moved or not is_shown then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(stray.view)
    end)
  end
end

local function move(chat, stray)
  if is_of_chat(stray.bufnr) then
    return
  elseif not stray.has_user then
    local win = window_choice.to_show(stray.bufnr)
    return win and show(win, stray)
  end
  local win = window_choice.to_enter(stray.bufnr)
  quiet.run(function()
    api.nvim_set_current_win(win)
    vim.cmd("normal! m'")
  end)
  show(win, stray)
  chat_placement.hide_float(chat.id)
end

local function send_away(win)
  local cursor = arrivals[win]
  arrivals[win] = nil
  local chat, name = find(win)
  if not (chat and api.nvim_win_is_valid(win) and api.nvim_buf_is_loaded(chat[name])) then
    return
  end
  local bufnr = api.nvim_win_get_buf(win)
  if bufnr == chat[name] then
    return
  end
  local stray = {
    bufnr = bufnr,
    view = api.nvim_win_call(win, vim.fn.winsaveview),
    has_user = api.nvim_get_current_win() == win,
    has_moved = not vim.deep_equal(api.nvim_win_get_cursor(win), cursor),
  }
  keeping(bufnr, function()
    restore_buffer(chat, name, win)
    move(chat, stray)
  end)
end

-- Deferred: the command that opens a buffer moves the cursor afterwards.
local function on_enter()
  local win = api.nvim_get_current_win()
  local chat, name = find(win)
  if not chat or api.nvim_win_get_buf(win) == chat[name] then
    return
  end
  local is_pending = arrivals[win] ~= nil
  arrivals[win] = api.nvim_win_get_cursor(win)
  if not is_pending then
    moment.when_possible(function()
      send_away(win)
    end, function(reason)
      message.show(('the chat cannot leave its window: %s'):format(reason), 'error')
    end)
  end
end

local function on_leave()
  local win = api.nvim_get_current_win()
  local chat, name = find(win)
  if chat and api.nvim_win_get_buf(win) == chat[name] then
    chat_placement.save_cursors(chat, { [name] = win })
  end
end

--- Move buffers that are opened in the panel's windows to other windows, from now on.
function M.watch()
  local group = api.nvim_create_augroup('claude_ide_chat_strays', { clear = true })
  api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, { group = group, callback = on_enter })
  api.nvim_create_autocmd('BufLeave', { group = group, callback = on_leave })
end

return M
