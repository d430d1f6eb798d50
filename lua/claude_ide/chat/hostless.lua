--- Chats without a host, which has ended or not started yet. Their transcripts and prompts stay, and the
--- next host continues them.
local buffers = require('claude_ide.file.buffers')
local chat_bar = require('claude_ide.chat.window.bar')
local chat_form = require('claude_ide.chat.form')
local chat_list = require('claude_ide.chat.list')
local chat_panel = require('claude_ide.chat.panel')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_sent = require('claude_ide.chat.sent')
local chat_state = require('claude_ide.chat.state')
local chat_placement = require('claude_ide.chat.placement')
local chat_status = require('claude_ide.chat.status')
local moment = require('claude_ide.timing.moment')
local own_options = require('claude_ide.own_options')

local M = {}

-- The host's defaults (`config.py`), until it has checked the options.
local SIDE, SIZE = 'right', 0.4
local SIDES = { 'right', 'left', 'above', 'below', 'float', 'tab' }

---@type claude_ide.ChatBar
local STARTING = { left = { { 'starting…', 'ClaudeChatToolRunning' } } }

---@type claude_ide.ChatBar
local STOPPED = {
  left = { { 'not running', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' restarts it', 'ClaudeChatMeta' } },
}

--- Open the panel of a new chat before the host runs, so that the user can type the prompt.
---@param given { agent?: string, asks?: boolean, root?: string } agent: its id, nil for the usual one; asks:
---  whether the user chooses it; root: default the folder of the current window
---@return integer id of the chat
function M.begin(given)
  local side, size = own_options.get('chat', 'side'), own_options.get('chat', 'size')
  local agent = given.agent or own_options.get('chat', 'agent')
  local name = type(agent) == 'string' and agent ~= '' and agent or 'Claude'
  local id = chat_state.new_id()
  chat_panel.open(id, {
    side = vim.list_contains(SIDES, side) and side or SIDE,
    size = type(size) == 'number' and size > 0 and size or SIZE,
    title = name,
    name = name:sub(1, 1):upper() .. name:sub(2),
    agent = given.agent,
    asks = given.asks,
    root = given.root or buffers.folder(),
  })
  local chat = assert(chat_state.get(id))
  chat.is_orphan, chat.is_starting = true, true
  chat_bar.set(chat, { transcript = STARTING })
  chat_sent.expect(chat, function()
    return chat.is_starting
  end)
  return id
end

--- Hide the chat of this tab page if its host is still starting, which would hide it too late.
---@return boolean is_hidden whether there was one
function M.hide_here()
  local here = chat_panel.here()
  local chat = here and chat_state.get(here.chat)
  if chat and chat.is_starting and chat.is_wanted and chat_placement.is_here(chat) then
    chat_panel.hide(chat.id)
    return true
  end
  return false
end

local function is_untouched(chat)
  local typed = table.concat(vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false))
  return not chat.session and chat_state.is_empty(chat) and not typed:find('%S')
end

--- Handle that a chat has no agent: close its panel if nothing is in it, otherwise show the reason.
---@param id integer
---@param reason? string none if it was ended on purpose
function M.give_up(id, reason)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  chat.is_starting, chat.is_silent = false, false
  chat_prompt.give_back(id)
  if not is_untouched(chat) then
    if reason then
      chat_sent.set_outage(chat, reason)
    end
    return chat_bar.set(chat, { transcript = STOPPED })
  end
  chat_panel.close(id, function()
    -- The next keys were meant for the prompt.
    moment.guard()
  end)
end

-- Once the end of the host is handled: the server's host may be restarted, too, and it is the same one.
local function restart_later(chat)
  if not chat.restarts then
    return
  end
  chat.restarts = false
  vim.schedule(function()
    if chat_state.get(chat.id) == chat then
      chat_state.emit(chat, 'restart')
    end
  end)
end

--- Handle the end of the host, which all chats share.
---@param reason? string none if it was ended on purpose
function M.host_ended(reason)
  for _, chat in ipairs(chat_state.list()) do
    chat.is_orphan = true
    chat_status.stop(chat)
    chat_list.close('tasks ' .. chat.id)
    M.give_up(chat.id, reason)
    restart_later(chat)
  end
  chat_form.close_all()
end

--- Carry out a subcommand of `:ClaudeChat` that must not wait for a host.
---@param what string
---@return boolean is_done false if the host should do it
function M.run(what)
  local here = chat_panel.here()
  local chat = here and chat_state.get(here.chat)
  if not chat then
    return false
  elseif what == 'stop' then
    chat_prompt.stop(chat)
    return true
  elseif what == 'end' and (chat.is_silent or chat.is_orphan and not chat.is_starting) then
    chat_state.emit(chat, 'closed')
    chat_panel.close(chat.id)
    return true
  end
  return false
end

--- Hand a chat to another host, whose first frame draws the whole transcript.
---@param id integer
---@param options claude_ide.ChatOptions
function M.adopt(id, options)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  chat.is_orphan, chat.is_starting = false, false
  chat.options, chat.pinned, chat.unpinned = options, {}, 0
  chat_sent.set_outage(chat, nil)
  chat_panel.name_buffers(chat)
  chat_pin.update(chat)
  chat_placement.report(chat)
end

return M
