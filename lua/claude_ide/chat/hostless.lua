--- Chats without a host: it has ended, or does not run yet. What they show and what is typed there
--- stays, and the next host goes on with them.
local buffers = require('claude_ide.file.buffers')
local chat_bar = require('claude_ide.chat.window.bar')
local chat_busy = require('claude_ide.chat.busy')
local chat_form = require('claude_ide.chat.form')
local chat_outage = require('claude_ide.chat.outage')
local chat_panel = require('claude_ide.chat.panel')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_plan = require('claude_ide.chat.plan')
local chat_state = require('claude_ide.chat.state')
local chat_view = require('claude_ide.chat.placement')
local chat_waiting = require('claude_ide.chat.waiting')
local moment = require('claude_ide.when.moment')

local M = {}

-- Until the host says how it is: its own defaults (`config.py`).
local SIDE, SIZE = 'right', 0.4
local SIDES = { 'right', 'left', 'above', 'below', 'float', 'tab' }

---@type claude_ide.ChatBar
local STARTING = { left = { { 'starting…', 'ClaudeChatToolRunning' } } }

---@type claude_ide.ChatBar
local STOPPED = {
  left = { { 'not running', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' restarts it', 'ClaudeChatMeta' } },
}

--- Open the panel of a new chat, before a host has it: what is typed meanwhile is for its prompt.
function M.begin()
  local wanted = vim.tbl_get(vim.g.claude_ide or {}, 'chat')
  wanted = type(wanted) == 'table' and wanted or {}
  local is_size = type(wanted.size) == 'number' and wanted.size > 0
  local id = chat_state.new_id()
  chat_panel.open(id, {
    side = vim.list_contains(SIDES, wanted.side) and wanted.side or SIDE,
    size = is_size and wanted.size or SIZE,
    title = 'Claude',
    root = buffers.folder(),
  })
  local chat = chat_state.get(id)
  chat.is_orphan, chat.is_starting = true, true
  chat_bar.set(chat, { transcript = STARTING })
end

--- Hide the chat of this tabpage if no host has it yet: by then it would be too late.
---@return boolean is_hidden
function M.hide_here()
  local here = chat_panel.here()
  local chat = here and chat_state.get(here.chat)
  local hides = chat and chat.is_starting and chat.is_wanted and chat_view.is_here(chat)
  if hides then
    chat_panel.hide(chat.id)
  end
  return hides == true
end

local function is_untouched(chat)
  local typed = table.concat(vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false))
  return not chat.session and chat_state.is_empty(chat) and not typed:find('%S')
end

--- There is no agent for a chat: close its panel if nothing is in it, else say why.
---@param id integer
---@param reason? string
function M.give_up(id, reason)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  chat.is_starting = false
  if not is_untouched(chat) then
    if reason then
      chat_outage.show(chat, reason)
    end
    return chat_bar.set(chat, { transcript = STOPPED })
  end
  chat_panel.close(id, function()
    -- What is typed on was meant for the prompt.
    moment.guard(function() end)
  end)
end

--- The host of all chats has ended.
---@param reason? string why, if it was not meant to
function M.host_ended(reason)
  for _, chat in ipairs(chat_state.list()) do
    chat.is_orphan = true
    chat_waiting.set(chat.id, 0)
    chat_busy.stop(chat)
    M.give_up(chat.id, reason)
  end
  chat_form.close_all()
  chat_plan.close_all()
end

--- Another host goes on with a chat, and draws all of it again with its first frame.
---@param id integer
---@param options claude_ide.ChatOptions
function M.adopt(id, options)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  chat.is_orphan, chat.is_starting = false, false
  chat.options, chat.pinned = options, {}
  chat_outage.clear(chat)
  chat_pin.update(chat)
  chat_view.report(chat)
end

return M
