--- Chats whose host has ended: what they show and what is typed there stays, and another host goes
--- on with them.
local chat_bar = require('claude_ide.chat.bar')
local chat_form = require('claude_ide.chat.form')
local chat_pin = require('claude_ide.chat.pin')
local chat_plan = require('claude_ide.chat.plan')
local chat_state = require('claude_ide.chat.state')
local chat_transcript = require('claude_ide.chat.transcript')
local chat_waiting = require('claude_ide.chat.waiting')

local M = {}

---@type claude_ide.ChatBar
local BAR = {
  left = { { 'the Python host has ended', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' goes on', 'ClaudeChatMeta' } },
}

--- The host of all chats has ended.
function M.host_ended()
  for _, chat in ipairs(chat_state.list()) do
    chat.is_orphan = true
    chat_waiting.set(chat.id, 0)
    chat_bar.set(chat, { transcript = BAR })
  end
  chat_form.close_all()
  chat_plan.close_all()
end

--- Another host goes on with a chat, and draws all of it again.
---@param id integer
---@param options claude_ide.ChatOptions
function M.adopt(id, options)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  chat.is_orphan, chat.options, chat.pinned = false, options, {}
  chat_pin.update(chat)
  chat_transcript.clear(chat)
  chat_state.tell(chat, 'visible', { shown = chat.is_shown })
end

return M
