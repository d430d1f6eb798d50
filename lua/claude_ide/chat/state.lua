--- The chats of this Neovim, by their ids (`new_id`).
local channel = require('claude_ide.channel')
local disk_change = require('claude_ide.disk.change')

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
---@field is_shown boolean what was last reported to the host
---@field width? integer of a row of the transcript, as last reported to the host
---@field requests? integer how many wait for the user
---@field cursors table<string, claude_ide.ChatCursor> of the windows that were hidden
---@field bars table<string, claude_ide.ChatBar> what the winbars say, by window
---@field pinned any[] rows of chunks
---@field pin? integer window
---@field drawing claude_ide.ChatDrawing
---@field images claude_ide.ChatImages
---@field history claude_ide.ChatHistory
---@field commands claude_ide.ChatCommand[]
---@field session? string
---@field unsent? string[] what was in the prompt when its buffer was unloaded
---@field is_orphan boolean whether no host runs it: it has ended, or does not run yet
---@field is_starting boolean whether it is waiting for its first host

---@class claude_ide.ChatOptions
---@field side 'right'|'left'|'above'|'below'|'float'|'tab'
---@field size number share of the screen below 1, else columns or lines
---@field title string
---@field root string the project's folder

---@type table<integer, claude_ide.Chat>
local chats = {}
local uses = 0
local last_id = 0
-- What the next host does with a chat of the one that has ended.
local REVIVING = { send = true, restart = true }

--- A new id, which no other chat of this Neovim has had. It outlives the host.
---@return integer
function M.new_id()
  last_id = last_id + 1
  return last_id
end

---@param id integer
---@return claude_ide.Chat?
function M.get(id)
  return chats[id]
end

---@param chat claude_ide.Chat
function M.add(chat)
  chats[chat.id] = chat
  disk_change.watch('chats', true)
end

---@param chat claude_ide.Chat
function M.remove(chat)
  chats[chat.id] = nil
  disk_change.watch('chats', next(chats) ~= nil)
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

--- Remember the session of a chat, which outlives the host.
---@param id integer
---@param session string
function M.remember(id, session)
  if chats[id] then
    chats[id].session = session
  end
end

--- Whether nothing was said in a chat: all that it may show is about the trust in its folder.
---@param chat claude_ide.Chat
---@return boolean
function M.is_empty(chat)
  local parts = vim.tbl_values(chat.drawing.parts)
  local is_trust = #parts > 0
    and vim.iter(parts):all(function(part)
      return part.kind == 'trust'
    end)
  return chat.drawing.count == 0 or is_trust
end

--- What another host needs to go on with a chat; nil while it has its own.
---@param chat claude_ide.Chat
---@return { root: string, session?: string, is_empty: boolean }?
function M.revival(chat)
  if not chat.is_orphan then
    return nil
  end
  return { root = chat.options.root, session = chat.session, is_empty = M.is_empty(chat) }
end

--- Tell the host what happened in a chat. One without a host goes on in the next.
---@param chat claude_ide.Chat
---@param event string
---@param fields? table
---@return boolean is_told
function M.tell(chat, event, fields)
  if chat.is_orphan and not (REVIVING[event] and require('claude_ide.host').start()) then
    return false
  elseif not channel.id then
    return false
  end
  local told = { chat = chat.id, event = event, revival = M.revival(chat) }
  channel.emit('chat', vim.tbl_extend('error', told, fields or {}))
  return true
end

return M
