--- The chats of this Neovim, by id; and what others are told about them: whether their agents work, how many
--- requests wait for the user, and how many tasks run in the background. Neovim 0.12 shows it with the option
--- 'busy' and progress messages.
local announce = require('claude_ide.messages.announce')
local channel = require('claude_ide.channel')
local chat_bar = require('claude_ide.chat.window.bar')
local message = require('claude_ide.messages.message')
local work = require('claude_ide.host.work')

local M = {}

local api = vim.api

-- The `User` events of the numbers of a chat.
local COUNTS = { requests = 'ClaudeChatWaiting', tasks = 'ClaudeChatTasks' }
-- The events for which a new host is started to continue a chat.
local REVIVING = { send = true, restart = true }
-- The kinds of parts that are not part of a conversation: those of `ui/sheet.py`, and the greeting.
local BESIDE = { late = true, trust = true, welcome = true }

local has_option = vim.fn.exists('+busy') == 1

---@class claude_ide.ChatFacts what the host sets
---@field requests integer number of requests that wait for the user
---@field tasks integer number of tasks that run in the background
---@field bars table<string, claude_ide.ChatBar> by name of a window: 'transcript' or 'prompt'
---@field pinned { lines: string[], marks: any[] } a page in the transcript's top right corner
---@field offer claude_ide.ChatOffer
---@field session? string id of the agent's session, which outlives the host
---@field work? claude_ide.ChatWork

---@class claude_ide.Chat: claude_ide.ChatFacts
---@field id integer
---@field options claude_ide.ChatOptions
---@field named? string the agent's name in those of the buffers
---@field transcript integer buffer
---@field prompt integer buffer
---@field used integer higher if used later
---@field tabpage integer where it was opened
---@field view? claude_ide.ChatView while it is on screen
---@field is_wanted? boolean whether it should be on screen
---@field place claude_ide.ChatPlace as last reported to the host
---@field cursors table<string, claude_ide.ChatCursor> by name of a window that was hidden
---@field is_reading? boolean whether the user has moved up in the transcript, to read
---@field pin? integer window of the pinned rows
---@field drawing claude_ide.ChatDrawing
---@field images claude_ide.ChatImages
---@field history claude_ide.ChatHistory
---@field unsent? string lines of the prompt when its buffer was unloaded
---@field sent claude_ide.SentPrompt[] those that have not begun, oldest first
---@field outage? string why the host does not answer
---@field is_orphan? boolean whether no host runs it: the host has ended, or has not started yet
---@field is_starting? boolean whether it is waiting for its first host
---@field is_working? boolean whether its agent is working
---@field is_silent? boolean whether its host has not answered for a long time
---@field restarts? boolean whether the next host restarts its agent

---@class claude_ide.ChatOptions
---@field side 'right'|'left'|'above'|'below'|'float'|'tab'
---@field size number below 1: a share of the screen; otherwise columns or lines
---@field title string
---@field root string the project's folder
---@field agent? string id of the agent; nil for the usual one, which the host knows
---@field asks? boolean whether the user chooses the agent
---@field name? string the agent's name

---@class claude_ide.ChatOffer
---@field name string the agent's name
---@field commands table[] entries of the prompt's menu (`:help complete-items`)
---@field choices table<string, string[]> words by subcommand, also by `config` and a setting
---@field lacks string[] missing subcommands of `:ClaudeChat`, and names of missing keys

---@class claude_ide.ChatWork
---@field text string what the agent does, or how its turn ended
---@field status claude_ide.WorkStatus

---@type table<integer, claude_ide.Chat>
local chats = {}
local uses = 0
local last_id = 0

--- Return an id that no other chat of this Neovim has had. It outlives the host.
---@return integer
function M.new_id()
  last_id = last_id + 1
  return last_id
end

---@type fun(id: integer): claude_ide.Chat?
function M.get(id)
  return chats[id]
end

--- Have a function of a chat take its id instead, as the host names it. Without the chat nothing happens.
---@param fn fun(chat: claude_ide.Chat, ...): any
---@param otherwise? any what is returned without the chat
---@return fun(id: integer, ...): any
function M.of_id(fn, otherwise)
  return function(id, ...)
    if not chats[id] then
      return otherwise
    end
    return fn(chats[id], ...)
  end
end

---@param chat claude_ide.Chat
function M.add(chat)
  chats[chat.id] = chat
  require('claude_ide.disk_changes.watch').watch('chats', true)
end

---@param chat claude_ide.Chat
function M.remove(chat)
  chats[chat.id] = nil
  require('claude_ide.disk_changes.watch').watch('chats', next(chats) ~= nil)
end

--- All chats, most recently used first.
---@return claude_ide.Chat[]
function M.list()
  local list = vim.tbl_values(chats)
  table.sort(list, function(a, b)
    return a.used > b.used
  end)
  return list
end

--- The chat to which a buffer belongs.
---@param bufnr integer
---@return integer? id
function M.of_buffer(bufnr)
  for id, chat in pairs(chats) do
    if chat.transcript == bufnr or chat.prompt == bufnr then
      return id
    end
  end
end

--- Note that the user uses a chat now.
---@param chat claude_ide.Chat
function M.mark_used(chat)
  uses = uses + 1
  chat.used = uses
end

--- The name of a chat's agent.
---@type fun(chat: claude_ide.Chat): string
function M.agent_name(chat)
  return chat.options.name or 'Claude'
end

--- Whether a chat's agent lacks a feature.
---@param chat claude_ide.Chat
---@param feature string a subcommand, or the name of a key
---@return boolean
function M.lacks(chat, feature)
  return vim.list_contains(chat.offer.lacks, feature)
end

--- Whether a chat has no conversation: it shows nothing, or only a greeting and a question of trust.
---@type fun(chat: claude_ide.Chat): boolean
function M.is_empty(chat)
  local parts = vim.tbl_values(chat.drawing.parts)
  local is_beside = vim.iter(parts):all(function(part)
    return BESIDE[part.kind]
  end)
  return chat.drawing.count == 0 or #parts > 0 and is_beside
end

--- What a new host needs to continue a chat; nil while the chat has a host.
---@param chat claude_ide.Chat
---@return { root: string, agent?: string, asks?: boolean, session?: string, is_empty: boolean }?
function M.revival(chat)
  if not chat.is_orphan then
    return nil
  end
  return {
    root = chat.options.root,
    agent = chat.options.agent,
    asks = chat.options.asks,
    session = chat.session,
    is_empty = M.is_empty(chat),
  }
end

--- Report an event of a chat to the host. For some events, a chat without a host starts a new one.
---@param chat claude_ide.Chat
---@param event string
---@param fields? table
---@return boolean is_sent
function M.emit(chat, event, fields)
  if event == 'restart' and chat.is_silent then
    chat.restarts = true
    return require('claude_ide.host').kill()
  elseif chat.is_orphan and not (REVIVING[event] and require('claude_ide.host').start()) then
    return false
  elseif not channel.id then
    return false
  end
  local given = { chat = chat.id, event = event, revival = M.revival(chat) }
  channel.emit('chat', vim.tbl_extend('error', given, fields or {}))
  return true
end

--- Report an event to the host, or tell the user that there is none.
---@type fun(chat: claude_ide.Chat, event: string, fields?: table)
function M.ask(chat, event, fields)
  if not M.emit(chat, event, fields) then
    message.show('the chat is not running: R restarts it', 'info')
  end
end

---@param doing claude_ide.ChatWork
local function show_work(chat, doing)
  chat.is_working = doing.status == 'running'
  if has_option and api.nvim_buf_is_valid(chat.transcript) then
    local value = chat.is_working and 1 or 0
    api.nvim_set_option_value('busy', value, { buf = chat.transcript })
  end
  work.report('chat.' .. chat.id, chat.options.title, doing.text, doing.status)
end

--- Called by the host: set what it knows about a chat, and show it.
---@type fun(id: integer, facts: claude_ide.ChatFacts|table)
M.set = M.of_id(function(chat, facts)
  local before = { requests = chat.requests, tasks = chat.tasks }
  for name, value in pairs(facts) do
    chat[name] = name == 'bars' and vim.tbl_extend('force', chat.bars, value) or value
  end
  for name, event in pairs(COUNTS) do
    if chat[name] ~= before[name] then
      announce.event(event, { chat = chat.id, count = chat[name] })
    end
  end
  if facts.work then
    show_work(chat, facts.work)
  end
  if facts.bars then
    chat_bar.apply(chat)
  end
  if facts.pinned or chat.requests ~= before.requests then
    chat_bar.pin(chat)
  end
end)

--- Show that a chat or its host has ended.
---@param chat claude_ide.Chat
function M.stop(chat)
  local ended = { text = 'ended', status = 'cancel' }
  M.set(chat.id, { work = ended, requests = 0, tasks = 0 })
end

return M
