--- The number of requests that wait for the user, for the status line.
local chat_counts = require('claude_ide.chat.counts')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local plain = require('claude_ide.say.plain')

local M = {}

local WAITING = '%s is waiting for your answer (:ClaudeChat answer)'

local counts = chat_counts.new('ClaudeChatWaiting')

local function update_pin(chat, count, label)
  chat.requests, chat.label = count, label ~= '' and label or nil
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
  if chat and chat_counts.of(counts, id) > 0 and is_in_other_tabpage(chat) then
    local name = chat_state.agent_name(chat)
    local who = chat.label and ('%s (%s)'):format(name, plain.one_line(chat.label)) or name
    message.show(WAITING:format(who), 'info')
  end
end

--- Set the number of waiting requests of a chat.
---@param chat integer
---@param count integer
---@param label? string what tells the chat from others of its agent
function M.set(chat, count, label)
  local before = chat_counts.of(counts, chat)
  if before == count then
    return
  elseif count > before then
    moment.when_notifiable(function()
      notify(chat)
    end)
  end
  local known = chat_state.get(chat)
  if known then
    update_pin(known, count, label)
  end
  chat_counts.set(counts, chat, count)
end

--- What tells the chats with waiting requests from others.
---@return string[]
function M.labels()
  local found = {}
  for _, chat in ipairs(chat_state.list()) do
    if (chat.requests or 0) > 0 then
      found[#found + 1] = chat.label
    end
  end
  return found
end

---@return integer count in all chats
function M.count()
  return chat_counts.sum(counts)
end

return M
