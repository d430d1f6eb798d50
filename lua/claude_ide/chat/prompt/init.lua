--- The prompt: an ordinary buffer, sent by a key or by `:w`.
local chat_clipboard = require('claude_ide.chat.prompt.clipboard')
local chat_completion = require('claude_ide.chat.prompt.completion')
local chat_hint = require('claude_ide.chat.hint')
local chat_history = require('claude_ide.chat.prompt.history')
local chat_keys = require('claude_ide.chat.keys')
local chat_mentions = require('claude_ide.chat.prompt.mentions')
local chat_offer = require('claude_ide.chat.offer')
local chat_sent = require('claude_ide.chat.sent')
local chat_state = require('claude_ide.chat.state')
local chat_stopping = require('claude_ide.chat.prompt.stopping')
local command_buffer = require('claude_ide.file.command_buffer')

local M = {}

local api = vim.api

local function lines_of(chat)
  return api.nvim_buf_get_lines(chat.prompt, 0, -1, false)
end

-- Without leading and trailing blank lines.
local function trim(lines)
  local first, last = 1, #lines
  while first <= last and not lines[first]:find('%S') do
    first = first + 1
  end
  while last >= first and not lines[last]:find('%S') do
    last = last - 1
  end
  return vim.list_slice(lines, first, last)
end

-- Close the menu, whose entries belong to the text that was replaced.
local function end_completion(bufnr)
  if bufnr == api.nvim_get_current_buf() and vim.fn.mode(1) == 'ic' then
    api.nvim_feedkeys(vim.keycode('<C-x><C-z>'), 'in', false)
  end
end

-- Replace lines as one undo step.
local function replace(chat, first, last, lines)
  local options = vim.bo[chat.prompt]
  options.undolevels = options.undolevels
  api.nvim_buf_set_lines(chat.prompt, first, last, false, lines)
  options.undolevels = options.undolevels
  end_completion(chat.prompt)
end

local function go_to_end(chat)
  for _, win in ipairs(vim.fn.win_findbuf(chat.prompt)) do
    local last = api.nvim_buf_line_count(chat.prompt)
    local text = api.nvim_buf_get_lines(chat.prompt, last - 1, last, false)[1]
    api.nvim_win_set_cursor(win, { last, #text })
  end
end

---@param chat claude_ide.Chat
---@param how 'send'|'steer'|'redirect'
---@return boolean has_text whether there was anything to send
local function send(chat, how)
  local lines = trim(lines_of(chat))
  if #lines == 0 then
    return false
  end
  local text = table.concat(lines, '\n')
  local number = chat_sent.add(chat, text)
  local prompt = { number = number, text = text, how = how }
  prompt.images = chat_clipboard.images(chat, text)
  if not chat_state.emit(chat, 'send', prompt) then
    chat_sent.take(chat, { number })
    chat_hint.show(chat.prompt, 'not sent: the chat is not running', 'warn')
    return true
  end
  chat_history.add(chat.history, lines)
  chat.draft = nil
  replace(chat, 0, -1, { '' })
  return true
end

local function send_or_answer(chat)
  if not send(chat, 'send') then
    chat_state.emit(chat, 'answers')
  end
end

local function browse(chat, direction)
  local lines = chat_history.go(chat.history, lines_of(chat), direction * vim.v.count1)
  if lines then
    replace(chat, 0, -1, lines)
    if direction > 0 then
      go_to_end(chat)
    else
      -- On the first line, <Up> continues to older prompts.
      api.nvim_win_set_cursor(0, { 1, #lines[1] })
    end
  end
end

local function browsing(chat, key, direction)
  return function()
    local line = api.nvim_win_get_cursor(0)[1]
    local edge = direction < 0 and 1 or api.nvim_buf_line_count(chat.prompt)
    if line ~= edge or vim.fn.pumvisible() == 1 then
      return key
    end
    local call = '<Cmd>lua require("claude_ide.chat.prompt").browse(%d, %d)<CR>'
    return call:format(chat.id, direction)
  end
end

-- In Vim's popup menu a key keeps its usual meaning.
local function unless_popup(key, run)
  return function()
    if vim.fn.pumvisible() == 1 then
      return key
    end
    run()
    return '<Ignore>'
  end
end

---@param chat claude_ide.Chat
---@return claude_ide.ChatKey[]
local function list(chat)
  local keys, add = chat_keys.list()
  local function emit(event)
    return function()
      chat_state.emit(chat, event)
    end
  end
  local function sending(how)
    return function()
      send(chat, how)
    end
  end
  local function send_here()
    send_or_answer(chat)
  end
  local function paste()
    if chat_offer.lacks(chat, 'paste-image') then
      local reason = ('%s cannot accept images'):format(chat.offer.name)
      return chat_hint.show(chat.prompt, reason, 'warn')
    end
    chat_clipboard.paste(chat)
  end

  add('ni', { '<C-s>' }, 'send', 'Send the prompt; if empty, answer a request', send_here)
  add('n', { '<CR>' }, 'send', 'Send the prompt (Normal mode)', send_here)
  add('n', { 'gs' }, 'steer', 'Send into the current turn', sending('steer'))
  add('n', { 'gr' }, 'redirect', 'Stop the turn and send this instead', sending('redirect'))
  local function stop()
    M.stop(chat)
  end
  add('ni', { '<C-c>' }, 'stop', 'Stop the turn', stop)
  add(
    'n',
    { '<Esc>' },
    'stop-twice',
    'Stop the turn (press it twice)',
    chat_stopping.twice(chat, stop)
  )
  local older, newer = browsing(chat, '<Up>', -1), browsing(chat, '<Down>', 1)
  add('ni', { '<Up>' }, 'older', 'Previous prompt (on the first line)', older, { expr = true })
  add('ni', { '<Down>' }, 'newer', 'Next prompt (on the last line)', newer, { expr = true })
  local cycle = unless_popup('<C-p>', emit('cycle_mode'))
  add('ni', { '<S-Tab>' }, 'cycle-mode', 'Change the permission mode', cycle, { expr = true })
  local accept = chat_completion.accept
  add('i', { '<Tab>' }, 'complete', 'Accept the completion', accept, { expr = true })
  add('n', { 'gp' }, 'paste-image', 'Paste an image from the clipboard', paste)
  add('i', { '<C-g>p' }, 'paste-image', 'Paste an image (Insert mode)', paste)
  add(
    'n',
    { 'gx' },
    'drop-context',
    'Leave the selection out, or leave an edit',
    emit('drop_context')
  )
  local other = chat_keys.to_window('k', 'Up', function()
    return chat.view and chat.view.windows.transcript
  end)
  table.insert(keys, other)
  add('n', { 'g?' }, 'keys', 'Show these keys', function()
    chat_keys.show(keys, chat.offer.lacks)
  end)
  return keys
end

--- Show another prompt of the history, for `<Up>` and `<Down>`.
---@param id integer
---@param direction -1|1
function M.browse(id, direction)
  local chat = chat_state.get(id)
  if chat then
    browse(chat, direction)
  end
end

-- `:w` needs 'acwrite'. While the user is elsewhere, 'nofile' keeps file trees and window pickers from
-- opening files in the prompt's window.
local function refuse_files(bufnr)
  local function on(events, buftype)
    api.nvim_create_autocmd(events, {
      buffer = bufnr,
      callback = function()
        vim.bo[bufnr].buftype = buftype
      end,
    })
  end
  vim.bo[bufnr].buftype = 'nofile'
  on({ 'BufEnter', 'InsertEnter', 'CmdlineEnter' }, 'acwrite')
  on('BufLeave', 'nofile')
end

--- Create a chat's prompt.
---@param chat claude_ide.Chat
---@return integer bufnr
function M.create(chat)
  local bufnr = api.nvim_create_buf(false, true)
  local options = vim.bo[bufnr]
  options.bufhidden, options.swapfile = 'hide', false
  options.modeline, options.textwidth = false, 0
  chat.prompt, chat.offer = bufnr, chat_offer.unknown()
  chat.history = chat_history.new()
  chat.images = chat_clipboard.new()
  chat_keys.define(bufnr, list(chat))
  chat_completion.attach(chat)
  chat_mentions.attach(chat)
  refuse_files(bufnr)
  command_buffer.listen(bufnr, function()
    send(chat, 'send')
  end)
  return bufnr
end

-- Return text to the user: as the prompt if it is empty, otherwise below its text.
local function put(chat, text)
  local lines = vim.split(text, '\n')
  if #trim(lines_of(chat)) == 0 then
    replace(chat, 0, -1, lines)
    go_to_end(chat)
  else
    replace(chat, -1, -1, lines)
  end
end

--- Send a text that the user has written elsewhere; return it to them if that is impossible.
---@param chat claude_ide.Chat
---@param text string
function M.say(chat, text)
  local number = chat_sent.add(chat, text)
  if not chat_state.emit(chat, 'send', { number = number, text = text, how = 'send' }) then
    chat_sent.take(chat, { number })
    put(chat, text)
    chat_hint.show(chat.prompt, 'not sent: the chat is not running', 'warn')
  end
end

--- Return a text to the user if the prompt is empty.
---@param id integer
---@param text string
---@return boolean was_empty
function M.put_if_empty(id, text)
  local chat = chat_state.get(id)
  local is_empty = chat ~= nil and #trim(lines_of(chat)) == 0
  if chat and is_empty then
    put(chat, text)
  end
  return is_empty
end

-- Keep the present text in the history.
local function keep(chat)
  local lines = trim(lines_of(chat))
  if #lines > 0 then
    chat_history.add(chat.history, lines)
  end
end

--- Replace the prompt by an earlier one, which the user edits. The present text remains in the history.
---@param id integer
---@param text string
---@param images { data: string, media_type: string }[] data is base64
function M.edit(id, text, images)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  keep(chat)
  chat.draft = chat.draft or lines_of(chat)
  replace(chat, 0, -1, vim.split(chat_clipboard.adopt(chat, text, images), '\n'))
  go_to_end(chat)
end

--- Replace an earlier prompt, which remains in the history, by the text that was there before it.
---@param id integer
function M.leave_edit(id)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  keep(chat)
  replace(chat, 0, -1, chat.draft or { '' })
  chat.draft = nil
  go_to_end(chat)
end

local function put_all(chat, prompts)
  if #prompts > 0 then
    put(chat, chat_sent.join(prompts))
  end
end

--- Return prompts that were sent to the user.
---@param id integer
---@param numbers? integer[] nil for all that have not begun
function M.give_back(id, numbers)
  local chat = chat_state.get(id)
  if chat then
    put_all(chat, chat_sent.take(chat, numbers))
  end
end

--- Return prompts to the user that were sent, but not handed to the agent.
---@param id integer
---@param numbers? integer[] only these
---@return integer[] numbers those that were returned
function M.take_back(id, numbers)
  local chat = chat_state.get(id)
  if not chat then
    return {}
  end
  local prompts = chat_sent.take_unclaimed(chat, numbers)
  put_all(chat, prompts)
  return vim.tbl_map(function(prompt)
    return prompt.number
  end, prompts)
end

--- Stop: take back the prompts that have not reached the agent, and end its turn.
---@param chat claude_ide.Chat
function M.stop(chat)
  chat_state.emit(chat, 'stop', { taken = M.take_back(chat.id) })
end

--- Append a mention to the prompt, with the cursor after it.
---@param id integer
---@param mention string such as `@a.py#L3-9`
function M.mention(id, mention)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  local last = api.nvim_buf_get_lines(chat.prompt, -2, -1, false)[1]
  local gap = last:find('%S$') and ' ' or ''
  replace(chat, -2, -1, { last .. gap .. mention .. ' ' })
  go_to_end(chat)
end

return M
