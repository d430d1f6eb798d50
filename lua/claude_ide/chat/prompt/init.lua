--- The prompt: an ordinary buffer, sent by a key or by `:w`.
local chat_clipboard = require('claude_ide.chat.prompt.clipboard')
local chat_completion = require('claude_ide.chat.prompt.completion')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_keys = require('claude_ide.chat.keys')
local chat_sent = require('claude_ide.chat.sent')
local chat_state = require('claude_ide.chat.state')
local command_buffer = require('claude_ide.file.command_buffer')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')

local M = {}

local api = vim.api
local TWICE_WITHIN = 1000 -- milliseconds
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt', { clear = true })

-- Hand a prompt to the host; the transcript then shows its end.
---@param chat claude_ide.Chat
---@param prompt { text: string, how: 'send'|'steer'|'redirect', images?: any[], number?: integer }
---@return boolean is_sent
local function hand_over(chat, prompt)
  prompt.number = chat_sent.add(chat, prompt.text)
  if chat_state.emit(chat, 'send', prompt) then
    chat_follow.follow(chat.transcript)
    return true
  end
  chat_sent.take(chat.id, { prompt.number })
  prompt_buffer.hint(chat.prompt, 'not sent: the chat is not running', 'warn')
  return false
end

---@param chat claude_ide.Chat
---@param how 'send'|'steer'|'redirect'
---@return boolean has_text whether there was anything to send
local function send(chat, how)
  local lines = prompt_buffer.trim(prompt_buffer.lines(chat.prompt))
  if #lines == 0 then
    return false
  end
  local text = table.concat(lines, '\n')
  if hand_over(chat, { text = text, how = how, images = chat_clipboard.images(chat, text) }) then
    prompt_buffer.remember(chat.history, lines)
    prompt_buffer.replace(chat.prompt, 0, -1, { '' })
  end
  return true
end

local function send_or_answer(chat)
  if not send(chat, 'send') then
    chat_state.emit(chat, 'answers')
  end
end

-- `<Esc>` in Normal mode: only the second one within a second stops the agent, because Vim's users press
-- <Esc> without thinking.
local function stop_twice(chat, stop)
  local pressed = -math.huge
  return function()
    local now = vim.uv.now()
    local is_second = now - pressed <= TWICE_WITHIN
    pressed = is_second and -math.huge or now
    if not (chat.is_working or #chat.sent > 0) then
      return
    elseif is_second then
      stop()
    else
      local text = ('<Esc> again stops %s'):format(chat.offer.name)
      prompt_buffer.hint_beside(chat.prompt, text, TWICE_WITHIN)
    end
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
    if chat_state.lacks(chat, 'paste-image') then
      local reason = ('%s cannot accept images'):format(chat.offer.name)
      return prompt_buffer.hint(chat.prompt, reason, 'warn')
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
  add('n', { '<Esc>' }, 'stop-twice', 'Stop the turn (press it twice)', stop_twice(chat, stop))
  prompt_buffer.add_history_keys(add)
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

-- `:w` needs 'acwrite'. While the user is elsewhere, 'nofile' keeps file trees and window pickers from
-- opening files in the prompt's window.
local function refuse_files(bufnr)
  local function on(events, buftype)
    api.nvim_create_autocmd(events, {
      group = augroup,
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
  chat.prompt, chat.offer = bufnr, chat_state.unknown_offer()
  chat.history = prompt_buffer.new_history()
  chat.images = chat_clipboard.new()
  prompt_buffer.add(chat)
  chat_keys.define(bufnr, list(chat))
  chat_completion.attach(chat)
  refuse_files(bufnr)
  command_buffer.listen(bufnr, function()
    send(chat, 'send')
  end)
  return bufnr
end

-- What the user has not typed here is no command for the shell.
local function not_a_command(text)
  return (text:gsub('^!', '\\!'))
end

--- Send a text that was composed elsewhere; return it to the user if that is impossible.
---@param chat claude_ide.Chat
---@param text string
function M.say(chat, text)
  text = not_a_command(text)
  if not hand_over(chat, { text = text, how = 'send' }) then
    prompt_buffer.put(chat.prompt, text)
  end
end

--- Return a text to the user if the prompt is empty.
---@param id integer
---@param text string
---@return boolean was_empty
function M.put_if_empty(id, text)
  local chat = chat_state.get(id)
  local is_empty = chat ~= nil and prompt_buffer.is_empty(chat.prompt)
  if chat and is_empty then
    prompt_buffer.put(chat.prompt, not_a_command(text))
  end
  return is_empty
end

--- Replace the text of the prompt, which remains in the history.
---@param id integer
---@param text string
---@param images? { data: string, media_type: string }[] data is base64
---@return string text the one that was there
function M.replace(id, text, images)
  local chat = chat_state.get(id)
  if not chat then
    return ''
  end
  local before = prompt_buffer.lines(chat.prompt)
  local written = prompt_buffer.trim(before)
  if #written > 0 then
    prompt_buffer.remember(chat.history, written)
  end
  local adopted = chat_clipboard.adopt(chat, text, images or {})
  prompt_buffer.replace(chat.prompt, 0, -1, vim.split(adopted, '\n'))
  prompt_buffer.go_to_end(chat.prompt)
  return table.concat(before, '\n')
end

--- Return prompts that were sent to the user.
---@param id integer
---@param numbers? integer[] nil for all that have not begun
---@param is_unclaimed? boolean only those that were not handed to the agent
---@return integer[] numbers those that were returned
function M.give_back(id, numbers, is_unclaimed)
  local prompts = chat_sent.take(id, numbers, is_unclaimed)
  if #prompts > 0 then
    prompt_buffer.put(chat_state.get(id).prompt, chat_sent.join(prompts))
  end
  return vim.tbl_map(function(prompt)
    return prompt.number
  end, prompts)
end

--- Return prompts to the user that were sent, but not handed to the agent.
---@param id integer
---@param numbers? integer[] only these
---@return integer[] numbers those that were returned
function M.take_back(id, numbers)
  return M.give_back(id, numbers, true)
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
  prompt_buffer.replace(chat.prompt, -2, -1, { last .. gap .. mention .. ' ' })
  prompt_buffer.go_to_end(chat.prompt)
end

return M
