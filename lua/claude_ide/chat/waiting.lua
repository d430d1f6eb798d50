--- How many requests of chats wait for the user, for the status line.
local announce = require('claude_ide.announce')

local M = {}

local counts = {} ---@type table<integer, integer> by chat

---@param chat integer
---@param count integer
function M.set(chat, count)
  if (counts[chat] or 0) == count then
    return
  end
  counts[chat] = count > 0 and count or nil
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
