--- The number of requests that wait for the user, for the status line.
local announce = require('claude_ide.say.announce')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')

local M = {}

local counts = {} ---@type table<integer, integer> by chat

local function update_pin(chat, count)
  chat.requests = count
  chat_pin.update(chat)
end

-- Whether a chat is on screen, but only in other tab pages. The host itself reports the requests of a
-- hidden chat.
local function is_in_other_tabpage(chat)
  local wins = vim.fn.win_findbuf(chat.transcript)
  vim.list_extend(wins, vim.fn.win_findbuf(chat.prompt))
  return #wins > 0
    and not vim.iter(wins):any(function(win)
      return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
    end)
end

local function notify(id)
  local chat = chat_state.get(id)
  if chat and counts[id] and is_in_other_tabpage(chat) then
    message.show('Claude is waiting for your answer (:ClaudeChat answer)', 'info')
  end
end

--- Set the number of waiting requests of a chat.
---@param chat integer
---@param count integer
function M.set(chat, count)
  local before = counts[chat] or 0
  if before == count then
    return
  elseif count > before then
    moment.when_notifiable(function()
      notify(chat)
    end)
  end
  counts[chat] = count > 0 and count or nil
  local known = chat_state.get(chat)
  if known then
    update_pin(known, count)
  end
  vim.cmd.redrawstatus()
  announce.event('ClaudeChatWaiting', { chat = chat, count = count })
end

---@return integer count in all chats
function M.count()
  local sum = 0
  for _, count in pairs(counts) do
    sum = sum + count
  end
  return sum
end

return M
