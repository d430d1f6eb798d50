--- What others are told about chats: whether their agents work, how many requests wait for the user, and how
--- many tasks run in the background. The status line shows it, and Neovim 0.12 with the option 'busy' and
--- progress messages.
local activity = require('claude_ide.activity')
local announce = require('claude_ide.messages.announce')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local plain = require('claude_ide.messages.plain')
local work = require('claude_ide.host.work')

local M = {}

local api = vim.api

local WAITING = '%s is waiting for your answer (:ClaudeChat answer)'
local has_option = vim.fn.exists('+busy') == 1

---@class claude_ide.ChatWork: claude_ide.Figures
---@field text string what the agent does, or how its turn ended
---@field status claude_ide.WorkStatus

local function source(chat)
  return 'chat.' .. chat.id
end

--- Show what a chat's agent does.
---@param chat claude_ide.Chat
---@param doing claude_ide.ChatWork
function M.set_work(chat, doing)
  local is_working = doing.status == 'running'
  chat.is_working = is_working
  activity.set(source(chat), {
    is_working = is_working,
    model = doing.model,
    context = doing.context,
    cost = doing.cost,
  })
  if has_option and api.nvim_buf_is_valid(chat.transcript) then
    local value = is_working and 1 or 0
    api.nvim_set_option_value('busy', value, { buf = chat.transcript })
  end
  work.report(source(chat), chat.options.title, doing.text, doing.status)
end

-- Set a number of a chat, and report a change.
---@param chat claude_ide.Chat
---@param what 'requests'|'tasks'
---@param event string a `User` event
---@param count integer
local function set_count(chat, what, event, count)
  if count ~= chat[what] then
    chat[what] = count
    activity.changed()
    announce.event(event, { chat = chat.id, count = count })
  end
end

-- Whether a window of the current tab page shows a chat.
local function is_visible(chat)
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
    local bufnr = api.nvim_win_get_buf(win)
    return bufnr == chat.transcript or bufnr == chat.prompt
  end)
end

local function notify(chat)
  if chat_state.get(chat.id) == chat and chat.requests > 0 and not is_visible(chat) then
    local name = chat_state.agent_name(chat)
    local who = chat.label and ('%s (%s)'):format(name, plain.one_line(chat.label)) or name
    message.show(WAITING:format(who), 'info')
  end
end

--- Set the number of waiting requests of a chat.
---@param id integer
---@param count integer
---@param label? string what tells the chat from others of its agent
function M.set_requests(id, count, label)
  local chat = chat_state.get(id)
  if not chat or count == chat.requests then
    return
  elseif count > chat.requests then
    moment.when_notifiable(function()
      notify(chat)
    end)
  end
  chat.label = label ~= '' and label or nil
  set_count(chat, 'requests', 'ClaudeChatWaiting', count)
  chat_pin.update(chat)
end

--- Set the number of a chat's tasks that run in the background.
---@param id integer
---@param count integer
function M.set_tasks(id, count)
  local chat = chat_state.get(id)
  if chat then
    set_count(chat, 'tasks', 'ClaudeChatTasks', count)
  end
end

--- Show that a chat or its host has ended.
---@param chat claude_ide.Chat
function M.stop(chat)
  M.set_work(chat, { text = 'ended', status = 'cancel' })
  activity.remove(source(chat))
  M.set_requests(chat.id, 0)
  M.set_tasks(chat.id, 0)
end

local function sum(what)
  return vim.iter(chat_state.list()):fold(0, function(count, chat)
    return count + chat[what]
  end)
end

--- How many requests wait in all chats.
---@return integer
function M.requests()
  return sum('requests')
end

--- How many tasks run in the background in all chats.
---@return integer
function M.tasks()
  return sum('tasks')
end

--- What tells the chats with waiting requests from others.
---@return string[]
function M.labels()
  local found = {}
  for _, chat in ipairs(chat_state.list()) do
    if chat.requests > 0 then
      found[#found + 1] = chat.label
    end
  end
  return found
end

return M
