--- The keys of a transcript.
local chat_code = require('claude_ide.chat.transcript.code')
local chat_keys = require('claude_ide.chat.keys')
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')

local M = {}

local ANSWERS = { 'y', 'a', 'n', 'N', 'c', 'd' }
-- These allow something, which the user must have seen first.
local ALLOWING = { y = true, a = true }
-- A request that is shown only in part: on either key, the host shows the rest.
local CUT = 'request:cut'
local PROMPTS = { turn = true, queued = true }
-- Without a mapping, Neovim would only show E21.
local CHANGING = { 'C', 'D', 'J', 'p', 'P', 'r', 's', 'S', 'u' }
local UNCHANGEABLE = 'the transcript cannot be changed; i goes to the prompt'
local NOT_RUNNING = 'the chat is not running: R restarts it'
local ANSWER = 'Answer the request under the cursor'

---@class claude_ide.TranscriptPanel functions of the panel, which is in a higher module
---@field enter_prompt fun(chat: integer)
---@field hide fun(chat: integer)
---@field go_to_part fun(chat: integer, part: integer, key: string)

local panel ---@type claude_ide.TranscriptPanel

--- Only for this module: the command that an <expr> mapping returns calls the panel through it.
---@param name 'enter_prompt'|'hide'|'go_to_part'
---@param ... integer|string
function M._call_panel(name, ...)
  panel[name](...)
end

local function row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

local function part_here(chat)
  return chat_parts.at(chat, row())
end

-- Report an event, or say that there is no host to do it.
local function ask_host(chat, event, fields)
  if not chat_state.emit(chat, event, fields) then
    message.show(NOT_RUNNING, 'info')
  end
end

local function press(chat)
  local part = part_here(chat)
  if part then
    ask_host(chat, 'press', { part = part.id, offset = row() - part.row })
  end
end

local function go_to(chat)
  local part = part_here(chat)
  if part then
    local line, column = unpack(vim.api.nvim_win_get_cursor(0))
    local offset = line - 1 - part.row
    ask_host(chat, 'go_to', { part = part.id, offset = offset, column = column })
  end
end

local function report_part(chat, event)
  local part = part_here(chat)
  if part then
    ask_host(chat, event, { part = part.id })
  end
end

local function withdraw(chat)
  local part = part_here(chat)
  if part and part.kind == 'queued' then
    ask_host(chat, 'withdraw', { part = part.id })
  end
end

-- Elsewhere `e` is the usual motion.
local function edit(chat)
  local part = vim.v.count == 0 and part_here(chat)
  if part and PROMPTS[part.kind] and not chat_state.lacks(chat, 'edit') then
    ask_host(chat, 'edit', { part = part.id })
    return '<Ignore>'
  end
  return 'e'
end

local function go_by_turn(chat, direction)
  local target = chat_parts.turn_row(chat, row(), direction * vim.v.count1)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
end

-- The object of `yc`. Only the object is ours, so registers and everything else of `y` work as usual.
local function code_object(chat)
  local first, last = chat_code.at(chat.transcript, row())
  if first and last then
    chat_code.unindent_yank(chat.transcript, first, last)
    return ('<Cmd>keepjumps normal! %dGV%dG<CR>'):format(first + 1, last)
  end
  message.show('there is no code block here', 'info')
  return '<Esc>'
end

---@return claude_ide.ChatPart? request
local function request_here(chat)
  return vim.v.count == 0 and chat_parts.request_at(chat, row()) or nil
end

-- For an <expr> mapping, which must not change windows itself.
local function call_panel(name, ...)
  local arguments = table.concat(vim.tbl_map(vim.inspect, { ... }), ', ')
  local command = '<Cmd>lua require("claude_ide.chat.transcript.keys")._call_panel("%s", %s)<CR>'
  return command:format(name, arguments)
end

local function of_panel(chat, name)
  return function()
    return call_panel(name, chat.id)
  end
end

local function is_seen(chat, part)
  return chat_parts.is_seen(chat, part, vim.api.nvim_get_current_win())
end

local function answer(chat, key, fallback)
  return function()
    local part = request_here(chat)
    if not part or not (chat_parts.is_old(part) or part.is_changed or part.is_presented) then
      return fallback()
    elseif not chat_parts.is_noticed(part, vim.api.nvim_get_current_win()) then
      -- The key was pressed again while the request was being shown, or before the user could read it.
      return '<Ignore>'
    end
    if ALLOWING[key] and part.kind ~= CUT and not is_seen(chat, part) then
      return call_panel('go_to_part', chat.id, part.id, key)
    end
    ask_host(chat, 'answer', { part = part.id, kind = part.kind, key = key })
    return '<Ignore>'
  end
end

local function refuse_change()
  message.show(UNCHANGEABLE, 'info')
  return '<Ignore>'
end

-- The keys for changes to which neither the user nor a plugin has given another meaning.
local function unmapped_changes()
  return vim.tbl_filter(function(key)
    local map = vim.fn.maparg(key, 'n', false, true)
    return map.lhs == nil or map.buffer == 1
  end, CHANGING)
end

---@param chat claude_ide.Chat
---@return claude_ide.ChatKey[]
local function list(chat)
  local keys, add = chat_keys.list()
  local function with_chat(fn, ...)
    local arguments = { ... }
    return function()
      return fn(chat, unpack(arguments))
    end
  end
  local function emit(event)
    return with_chat(chat_state.emit, event)
  end
  local to_prompt, hide = of_panel(chat, 'enter_prompt'), of_panel(chat, 'hide')

  add('n', { '<CR>', 'za', '<2-LeftMouse>' }, 'press', 'Open or fold this item', with_chat(press))
  -- A click from Insert mode in the prompt keeps that mode for a moment.
  add('i', { '<2-LeftMouse>' }, 'press', 'Open or fold this item', function()
    vim.cmd.stopinsert()
    press(chat)
  end, { shown = {} })
  add('n', { 'gf', 'gF' }, 'go-to', 'Go to the file and line', with_chat(go_to))
  add('n', { 'gd' }, 'changes', "Review the turn's changes", with_chat(report_part, 'changes'))
  add('nxo', { ']]' }, 'next-turn', 'Next prompt', with_chat(go_by_turn, 1))
  add('nxo', { '[[' }, 'previous-turn', 'Previous prompt', with_chat(go_by_turn, -1))
  local yc = { expr = true, shown = { 'yc' } }
  add('o', { 'c' }, 'code', 'Yank the code block', with_chat(code_object), yc)
  local fallbacks = { a = to_prompt, c = refuse_change, d = refuse_change }
  for _, key in ipairs(ANSWERS) do
    local fallback = fallbacks[key] or function()
      return key
    end
    local name = 'answer-' .. key
    local hidden = { expr = true, shown = key == 'y' and ANSWERS or {} }
    add('n', { key }, name, ANSWER, answer(chat, key, fallback), hidden)
  end
  local hidden_change = { expr = true, shown = {} }
  add('n', unmapped_changes(), 'change', 'Explain why not', refuse_change, hidden_change)
  local editing = 'Edit this prompt, and continue from before it'
  add('n', { 'e' }, 'edit', editing, with_chat(edit), { expr = true })
  add('n', { 'x' }, 'withdraw', 'Withdraw a queued prompt', with_chat(withdraw))
  local gb = with_chat(report_part, 'background')
  add('n', { 'gb' }, 'background', 'Move this command to the background', gb)
  add('n', { 'gl' }, 'todos', 'Hide or show the todo list', emit('todos'))
  add('n', { '<C-c>' }, 'stop', 'Stop the turn', with_chat(chat_prompt.stop))
  add('n', { '<S-Tab>' }, 'cycle-mode', 'Change the permission mode', emit('cycle_mode'))
  add('n', { 'i', 'I', 'A', 'o', 'O' }, 'write', 'Go to the prompt', to_prompt, { expr = true })
  local other = chat_keys.to_window('j', 'Down', function()
    return chat.view and chat.view.windows.prompt
  end)
  table.insert(keys, other)
  add('n', { 'R' }, 'restart', 'Restart the agent', emit('restart'))
  add('n', { 'L' }, 'login', 'Log in to the agent', emit('login'))
  add('n', { 'q' }, 'hide', 'Hide the chat', function()
    -- Otherwise a recording could not be stopped here.
    return vim.fn.reg_recording() ~= '' and 'q' or hide()
  end, { expr = true })
  add('n', { 'g?' }, 'keys', 'Show these keys', function()
    chat_keys.show(keys, chat.offer.lacks)
  end)
  return keys
end

--- Define the keys in a chat's transcript.
---@param chat claude_ide.Chat
---@param functions claude_ide.TranscriptPanel
function M.define(chat, functions)
  panel = functions
  chat_keys.define(chat.transcript, list(chat))
end

return M
