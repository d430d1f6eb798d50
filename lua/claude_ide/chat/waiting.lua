--- How many requests of chats wait for the user, for the status line.
local announce = require('claude_ide.announce')
local chat_pin = require('claude_ide.chat.pin')
local chat_state = require('claude_ide.chat.state')

local M = {}

local counts = {} ---@type table<integer, integer> by chat

local function uncover(chat, count)
  chat.requests = count
  chat_pin.update(chat)
end

---@param chat integer
---@param count integer
function M.set(chat, count)
  if (counts[chat] or 0) == count then
    return
  end
  counts[chat] = count > 0 and count or nil
  if chat_state.get(chat) then
    uncover(chat_state.get(chat), count)
  end
  vim.cmd.redrawstatus()
  announce.event('ClaudeChatWaiting', { chat = chat, count = count })
end

---@return integer
function M.count()
  local sum = 0
  for _, count in pairs(counts) do
    sum = sum + count
  end
  return sum
end

return M
