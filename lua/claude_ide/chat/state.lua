--- The chats of this Neovim, by the id that the host gave each.
local channel = require('claude_ide.channel')

local M = {}

---@class claude_ide.Chat
---@field id integer
---@field options claude_ide.ChatOptions
---@field transcript integer buffer
---@field prompt integer buffer
---@field used integer the higher, the later
---@field tabpage integer where it was opened
---@field view? claude_ide.ChatView while it is on screen
---@field is_wanted boolean whether it shall be on screen
---@field is_shown boolean what the host was told last
---@field cursors table<string, claude_ide.ChatCursor> of the windows that were hidden
---@field bars table<string, claude_ide.ChatBar> what the winbars say, by window
---@field pinned any[] rows of chunks
---@field pin? integer window
---@field drawing claude_ide.ChatDrawing
---@field images claude_ide.ChatImages
---@field history claude_ide.ChatHistory
---@field commands claude_ide.ChatCommand[]

---@class claude_ide.ChatOptions
---@field side 'right'|'left'|'above'|'below'|'float'|'tab'
---@field size number share of the screen below 1, else columns or lines
---@field title string

---@type table<integer, claude_ide.Chat>
local chats = {}
local uses = 0

---@param id integer
---@return claude_ide.Chat?
function M.get(id)
  return chats[id]
end

---@param chat claude_ide.Chat
function M.add(chat)
  chats[chat.id] = chat
end

---@param chat claude_ide.Chat
function M.remove(chat)
  chats[chat.id] = nil
end

--- All chats, the one used last first.
---@return claude_ide.Chat[]
function M.list()
  local list = vim.tbl_values(chats)
  table.sort(list, function(a, b)
    return a.used > b.used
  end)
  return list
end

---@param chat claude_ide.Chat
function M.use(chat)
  uses = uses + 1
  chat.used = uses
end

--- Tell the host what happened in a chat.
---@param chat claude_ide.Chat
---@param event string
---@param fields? table
function M.tell(chat, event, fields)
  channel.emit('chat', vim.tbl_extend('error', { chat = chat.id, event = event }, fields or {}))
end

return M
