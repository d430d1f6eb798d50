--- The keys of a transcript.
local chat_code = require('claude_ide.chat.transcript.code')
local chat_keys = require('claude_ide.chat.keys')
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')

local M = {}

local ANSWERS = { 'y', 'a', 'n', 'N', 'c', 'd' }
local PROMPTS = { turn = true, queued = true }
local ANSWER = 'Answer the request under the cursor'

---@class claude_ide.TranscriptPanel functions of the panel, which is in a higher module
---@field enter_prompt fun(chat: integer)
---@field hide fun(chat: integer)
---@field answer fun(chat: integer, part: integer, key: string)

local panel ---@type claude_ide.TranscriptPanel

--- Only for this module: the command that an <expr> mapping returns calls the panel through it.
---@param name 'enter_prompt'|'hide'|'answer'
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

-- Report an event of the part under the cursor, with where the cursor is in it.
---@param kind? string only of a part of this kind
local function report_part(chat, event, kind)
  local part = part_here(chat)
  if part and (not kind or part.kind == kind) then
    local column = vim.api.nvim_win_get_cursor(0)[2]
    chat_state.ask(chat, event, { part = part.id, offset = row() - part.row, column = column })
  end
end

-- Elsewhere `e` is the usual motion.
local function edit(chat)
  local part = vim.v.count == 0 and part_here(chat)
  if part and PROMPTS[part.kind] and not chat_state.lacks(chat, 'edit') then
    chat_state.ask(chat, 'edit', { part = part.id })
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

local function answer(chat, key, fallback)
  return function()
    local part = request_here(chat)
    if not part or not (chat_parts.is_old(part) or part.is_changed or part.is_presented) then
      return fallback and fallback() or key
    end
    return call_panel('answer', chat.id, part.id, key)
  end
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

  local press = with_chat(report_part, 'press')
  add('n', { '<CR>', 'za', '<2-LeftMouse>' }, 'press', 'Open or fold this item', press)
  -- A click from Insert mode in the prompt keeps that mode for a moment.
  add('i', { '<2-LeftMouse>' }, 'press', 'Open or fold this item', function()
    vim.cmd.stopinsert()
    press()
  end, { shown = {} })
  add('n', { 'gf', 'gF' }, 'go-to', 'Go to the file and line', with_chat(report_part, 'go_to'))
  add('n', { 'gd' }, 'changes', "Review the turn's changes", with_chat(report_part, 'changes'))
  add('nxo', { ']]' }, 'next-turn', 'Next prompt', with_chat(go_by_turn, 1))
  add('nxo', { '[[' }, 'previous-turn', 'Previous prompt', with_chat(go_by_turn, -1))
  local yc = { expr = true, shown = { 'yc' } }
  add('o', { 'c' }, 'code', 'Yank the code block', with_chat(code_object), yc)
  for _, key in ipairs(ANSWERS) do
    local hidden = { expr = true, shown = key == 'y' and ANSWERS or {} }
    local fallback = key == 'a' and to_prompt or nil
    add('n', { key }, 'answer-' .. key, ANSWER, answer(chat, key, fallback), hidden)
  end
  local editing = 'Edit this prompt, and continue from before it'
  add('n', { 'e' }, 'edit', editing, with_chat(edit), { expr = true })
  local withdraw = with_chat(report_part, 'withdraw', 'queued')
  add('n', { 'x' }, 'withdraw', 'Withdraw a queued prompt', withdraw)
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
