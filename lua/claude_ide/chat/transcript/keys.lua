--- The keys of a transcript.
local chat_code = require('claude_ide.chat.transcript.code')
local chat_page = require('claude_ide.chat.page')
local chat_transcript = require('claude_ide.chat.transcript')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')

local M = {}

local ANSWERS = { 'y', 'a', 'n', 'N', 'c', 'd' }
local PROMPTS = { turn = true, queued = true }

---@class claude_ide.TranscriptPanel functions of the panel, which is in a higher module
---@field enter_prompt fun(chat: integer)
---@field hide fun(chat: integer)
---@field answer fun(chat: integer, part: integer, key: string)

local function row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

-- Moves by turns.
local function go_by_turn(chat, direction)
  local target = chat_transcript.turn_row(chat, row(), direction * vim.v.count1)
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

--- Define the keys in a chat's transcript.
---@type fun(chat: claude_ide.Chat, panel: claude_ide.TranscriptPanel)
function M.define(chat, panel)
  -- Report an event of the part under the cursor, if it is of this kind, with where the cursor is in it.
  local function reporting(event, kind)
    return function()
      local part = chat_transcript.at(chat, row())
      if part and (not kind or part.kind == kind) then
        local column = vim.api.nvim_win_get_cursor(0)[2]
        local where = { part = part.id, offset = row() - part.row, column = column }
        chat_state.ask(chat, event, where)
      end
    end
  end
  local function calling(fn, ...)
    local arguments = { ... }
    return function()
      return fn(unpack(arguments))
    end
  end
  local function emitting(event)
    return calling(chat_state.emit, chat, event)
  end
  local function to_prompt()
    return calling(panel.enter_prompt, chat.id)
  end
  -- A key answers only what was not replaced just now, so that it is not meant for what was there before.
  local function answer(key)
    local part = vim.v.count == 0 and chat_transcript.request_at(chat, row())
    if part and (chat_transcript.is_old(part) or part.is_changed or part.is_presented) then
      return calling(panel.answer, chat.id, part.id, key)
    end
    return key == 'a' and to_prompt() or key
  end
  -- Elsewhere `e` is the usual motion.
  local function edit()
    local part = vim.v.count == 0 and chat_transcript.at(chat, row())
    local is_prompt = part and PROMPTS[part.kind] and not chat_state.lacks(chat, 'edit')
    return is_prompt and reporting('edit') or 'e'
  end
  -- Otherwise a recording could not be stopped here.
  local function hide()
    return vim.fn.reg_recording() ~= '' and 'q' or calling(panel.hide, chat.id)
  end
  local press = reporting('press')
  -- A click from Insert mode in the prompt keeps that mode for a moment.
  local function click()
    vim.cmd.stopinsert()
    press()
  end
  local function other_window()
    return chat.view and chat.view.windows.prompt
  end
  local object, go = calling(code_object, chat), 'Go to the prompt'
  local opens, edits = 'Open or fold this item', 'Edit this prompt, and continue from before it'
  local next_turn, previous = calling(go_by_turn, chat, 1), calling(go_by_turn, chat, -1)
  local background = 'Move this command to the background'
  local keys = {
    { 'n', { '<CR>', 'za', '<2-LeftMouse>' }, 'press', opens, press },
    { 'i', { '<2-LeftMouse>' }, 'press', opens, click, shown = {} },
    { 'n', { 'gf', 'gF' }, 'go-to', 'Go to the file and line', reporting('go_to') },
    { 'n', { 'gd' }, 'changes', "Review the turn's changes", reporting('changes') },
    { 'nxo', { ']]' }, 'next-turn', 'Next prompt', next_turn },
    { 'nxo', { '[[' }, 'previous-turn', 'Previous prompt', previous },
    { 'o', { 'c' }, 'code', 'Yank the code block', object, expr = true, shown = { 'yc' } },
  }
  for _, key in ipairs(ANSWERS) do
    local shown, desc = key == 'y' and ANSWERS or {}, 'Answer the request under the cursor'
    local run = calling(answer, key)
    table.insert(keys, { 'n', { key }, 'answer-' .. key, desc, run, expr = true, shown = shown })
  end
  vim.list_extend(keys, {
    { 'n', { 'e' }, 'edit', edits, edit, expr = true },
    { 'n', { 'x' }, 'withdraw', 'Withdraw a queued prompt', reporting('withdraw', 'queued') },
    { 'n', { 'gb' }, 'background', background, reporting('background') },
    { 'n', { 'gl' }, 'todos', 'Hide or show the todo list', emitting('todos') },
    { 'n', { '<C-c>' }, 'stop', 'Stop the turn', calling(chat_prompt.stop, chat) },
    { 'n', { '<S-Tab>' }, 'cycle-mode', 'Change the permission mode', emitting('cycle_mode') },
    { 'n', { 'i', 'I', 'A', 'o', 'O' }, 'write', go, to_prompt, expr = true },
    chat_page.to_window('j', 'Down', other_window),
    { 'n', { 'R' }, 'restart', 'Restart the agent', emitting('restart') },
    { 'n', { 'L' }, 'login', 'Log in to the agent', emitting('login') },
    { 'n', { 'q' }, 'hide', 'Hide the chat', hide, expr = true },
  })
  chat_page.define(chat.transcript, keys, 'keys', function()
    return chat.offer.lacks
  end)
end

return M
