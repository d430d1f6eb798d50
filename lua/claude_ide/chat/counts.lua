--- A number for each chat, such as that of its waiting requests. The status line shows their sum.
local activity = require('claude_ide.activity')
local announce = require('claude_ide.say.announce')

local M = {}

---@class claude_ide.ChatCounts
---@field event string fires when a number has changed, with `chat` and `count`
---@field by_chat table<integer, integer>

---@param event string a `User` event
---@return claude_ide.ChatCounts
function M.new(event)
  return { event = event, by_chat = {} }
end

---@param counts claude_ide.ChatCounts
---@param chat integer
---@return integer
function M.of(counts, chat)
  return counts.by_chat[chat] or 0
end

--- Set the number of a chat, and report it if it has changed.
---@param counts claude_ide.ChatCounts
---@param chat integer
---@param count integer
function M.set(counts, chat, count)
  if count == M.of(counts, chat) then
    return
  end
  counts.by_chat[chat] = count > 0 and count or nil
  activity.changed()
  announce.event(counts.event, { chat = chat, count = count })
end

--- The sum of all chats.
---@param counts claude_ide.ChatCounts
---@return integer
function M.sum(counts)
  local sum = 0
  for _, count in pairs(counts.by_chat) do
    sum = sum + count
  end
  return sum
end

return M
