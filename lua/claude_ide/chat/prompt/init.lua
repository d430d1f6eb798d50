--- The prompt: an ordinary buffer, sent by a key or by `:w`.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_completion = require('claude_ide.chat.prompt.completion')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_page = require('claude_ide.chat.page')
local chat_sent = require('claude_ide.chat.sent')
local chat_state = require('claude_ide.chat.state')
local command_buffer = require('claude_ide.file.command_buffer')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')
local suggestion = require('claude_ide.chat.prompt.suggestion')

local M = {}

local api = vim.api
local TWICE_WITHIN = 1000 -- milliseconds
local KEPT = 8 -- images of a chat
local PLACEHOLDER = '[Image %d]' -- stands for an image, which the host reads from the clipboard
local on = autocommands.group('claude_ide_chat_prompt')
local image_marks = api.nvim_create_namespace('claude_ide_chat_clipboard')

---@alias claude_ide.ChatImage { data: string, media_type: string } data is base64

---@class claude_ide.ChatImages
---@field count integer number of images pasted so far
---@field data table<integer, claude_ide.ChatImage> by number

---@param images claude_ide.ChatImages
---@param image claude_ide.ChatImage
---@return string placeholder
local function add_image(images, image)
  images.count = images.count + 1
  images.data[images.count] = image
  images.data[images.count - KEPT] = nil
  return PLACEHOLDER:format(images.count)
end

-- Read an image from the clipboard, and insert its placeholder at the present cursor.
local function paste(chat)
  if chat_state.lacks(chat, 'paste-image') then
    local reason = ('%s cannot accept images'):format(chat.offer.name)
    return prompt_buffer.hint(chat.prompt, reason, 'warn')
  elseif not channel.id then
    return prompt_buffer.hint(chat.prompt, 'the chat is not running', 'warn')
  end
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local mark = api.nvim_buf_set_extmark(chat.prompt, image_marks, row - 1, column, {
    -- Text that is typed before the image has arrived follows the placeholder.
    right_gravity = false,
  })
  channel.emit('prompt_image', { bufnr = chat.prompt, mark = mark })
end

--- Called by the host: insert an image, or say why there is none.
---@param bufnr integer a prompt
---@param mark integer where the cursor was
---@param image { data?: string, media_type?: string, problem?: string }
function M.insert_image(bufnr, mark, image)
  local chat = prompt_buffer.of(bufnr) --[[@as claude_ide.Chat?]]
  if not chat or not api.nvim_buf_is_loaded(bufnr) then
    return
  elseif image.problem then
    prompt_buffer.hint(bufnr, image.problem, 'warn')
  else
    local row, column = unpack(api.nvim_buf_get_extmark_by_id(bufnr, image_marks, mark, {}))
    prompt_buffer.put_text(bufnr, row, column, column, add_image(chat.images, image))
  end
  api.nvim_buf_del_extmark(bufnr, image_marks, mark)
end

-- Add the images of an earlier prompt; their placeholders in its text get their new numbers.
---@param images claude_ide.ChatImage[] in the order of their placeholders
---@return string text with a placeholder for each image
local function adopt_images(chat, text, images)
  local placeholders, used = {}, 0
  text = text:gsub('%[Image #?(%d+)%]', function(number)
    if not placeholders[number] and used < #images then
      used = used + 1
      placeholders[number] = add_image(chat.images, images[used])
    end
    return placeholders[number]
  end)
  for index = used + 1, #images do
    text = vim.trim(('%s %s'):format(text, add_image(chat.images, images[index])))
  end
  return text
end

-- The images whose placeholders are in a text.
---@return claude_ide.ChatImage[]
local function images_in(chat, text)
  local list, seen = {}, {}
  for number in text:gmatch('%[Image (%d+)%]') do
    local image = chat.images.data[tonumber(number)]
    if image and not seen[number] then
      seen[number] = true
      table.insert(list, image)
    end
  end
  return list
end

-- Hand a prompt to the host; the transcript then shows its end.
---@param prompt { text: string, how: 'send'|'steer'|'redirect', images?: any[], number?: integer }
---@return boolean is_sent
local function hand_over(chat, prompt)
  prompt.number = chat_sent.add(chat, prompt.text)
  if chat_state.emit(chat, 'send', prompt) then
    suggestion.suggest(chat.prompt, '')
    chat_follow.follow(chat.transcript)
    return true
  end
  chat_sent.take(chat.id, { prompt.number })
  prompt_buffer.hint(chat.prompt, 'not sent: the chat is not running', 'warn')
  return false
end

---@return boolean has_text whether there was anything to send
local function send(chat, how)
  local text = prompt_buffer.text(chat.prompt)
  if text == '' then
    return false
  end
  if hand_over(chat, { text = text, how = how, images = images_in(chat, text) }) then
    prompt_buffer.remember(chat.history, text)
    prompt_buffer.replace(chat.prompt, 0, -1, '')
  end
  return true
end

--- Stop: take back the prompts that have not reached the agent, and end its turn.
---@param chat claude_ide.Chat
function M.stop(chat)
  chat_state.emit(chat, 'stop', { taken = M.take_back(chat.id) })
end

-- `<Esc>` in Normal mode: only the second one within a second stops the agent, because Vim's users press
-- <Esc> without thinking.
local function stop_twice(chat)
  local pressed = -math.huge
  return function()
    local now = vim.uv.now()
    local is_second = now - pressed <= TWICE_WITHIN
    pressed = is_second and -math.huge or now
    if not (chat.is_working or #chat.sent > 0) then
      return
    elseif is_second then
      M.stop(chat)
    else
      local text = ('<Esc> again stops %s'):format(chat.offer.name)
      prompt_buffer.hint_beside(chat.prompt, text, TWICE_WITHIN)
    end
  end
end

---@return claude_ide.ChatKey[]
local function list(chat)
  local function calling(fn, ...)
    local arguments = { ... }
    return function()
      return fn(chat, unpack(arguments))
    end
  end
  local function send_or_answer()
    if not send(chat, 'send') then
      chat_state.emit(chat, 'answers')
    end
  end
  -- In Vim's popup menu the key keeps its usual meaning.
  local function cycle()
    return vim.fn.pumvisible() == 1 and '<C-p>' or calling(chat_state.emit, 'cycle_mode')
  end
  local function other_window()
    return chat.view and chat.view.windows.transcript
  end
  local stop, drop = calling(M.stop), calling(chat_state.emit, 'drop_context')
  local sends, cycles = 'Send the prompt; if empty, answer a request', 'Change the permission mode'
  local drops, older, newer =
    'Leave the selection out, or leave an edit', prompt_buffer.history_keys(chat)
  return {
    { 'ni', { '<C-s>' }, 'send', sends, send_or_answer },
    { 'n', { '<CR>' }, 'send', 'Send the prompt (Normal mode)', send_or_answer },
    { 'n', { 'gs' }, 'steer', 'Send into the current turn', calling(send, 'steer') },
    { 'n', { 'gr' }, 'redirect', 'Stop the turn and send this instead', calling(send, 'redirect') },
    { 'ni', { '<C-c>' }, 'stop', 'Stop the turn', stop },
    { 'n', { '<Esc>' }, 'stop-twice', 'Stop the turn (press it twice)', stop_twice(chat) },
    older,
    newer,
    { 'ni', { '<S-Tab>' }, 'cycle-mode', cycles, cycle, expr = true },
    chat_completion.KEY,
    { 'n', { 'gp' }, 'paste-image', 'Paste an image from the clipboard', calling(paste) },
    { 'i', { '<C-g>p' }, 'paste-image', 'Paste an image (Insert mode)', calling(paste) },
    { 'n', { 'gx' }, 'drop-context', drops, drop },
    chat_page.to_window('k', 'Up', other_window),
  }
end

--- Create a chat's prompt.
---@param chat claude_ide.Chat
---@return integer bufnr
function M.create(chat)
  local bufnr = api.nvim_create_buf(false, true)
  local options = vim.bo[bufnr]
  options.bufhidden, options.swapfile = 'hide', false
  options.modeline, options.textwidth = false, 0
  -- What is offered until the agent runs.
  chat.offer = { name = 'the agent', commands = {}, choices = {}, lacks = {} }
  chat.prompt = bufnr
  chat.history = prompt_buffer.new_history()
  chat.images = { count = 0, data = {} }
  chat.takes_images = function()
    return not chat_state.lacks(chat, 'paste-image')
  end
  chat.add_image = function(image)
    return add_image(chat.images, image)
  end
  prompt_buffer.add(chat)
  chat_page.define(bufnr, list(chat), 'keys', function()
    return chat.offer.lacks
  end)
  chat_completion.attach(chat)
  suggestion.attach(bufnr)
  -- `:w` needs 'acwrite'. While the user is elsewhere, 'nofile' keeps file trees and window pickers from
  -- opening files in the prompt's window.
  options.buftype = 'nofile'
  on({ 'BufEnter', 'InsertEnter', 'CmdlineEnter', 'BufLeave' }, bufnr, function(event)
    options.buftype = event.event == 'BufLeave' and 'nofile' or 'acwrite'
  end)
  command_buffer.listen(bufnr, function()
    send(chat, 'send')
  end)
  return bufnr
end

-- What the user has not typed here is no command for the shell.
local function not_a_command(text)
  return (text:gsub('^!', '\\!'))
end

--- Called by the host: send a text that was composed there; return it to the user if that is impossible.
---@type fun(id: integer, text: string)
M.say_composed = chat_state.of_id(function(chat, text)
  text = not_a_command(text)
  if not hand_over(chat, { text = text, how = 'send' }) then
    prompt_buffer.put(chat.prompt, text)
  end
end)

--- Called by the host: suggest what to send next; an empty text suggests nothing.
---@type fun(id: integer, text: string)
M.suggest = chat_state.of_id(function(chat, text)
  suggestion.suggest(chat.prompt, not_a_command(text))
end)

--- Called by the host: put a text that was composed there, or a mention, at the end of the prompt.
---@type fun(id: integer, text: string)
M.write = chat_state.of_id(function(chat, text)
  local last = api.nvim_buf_get_lines(chat.prompt, -2, -1, false)[1]
  local is_empty = prompt_buffer.text(chat.prompt) == ''
  local gap = not is_empty and last:find('%S$') and ' ' or ''
  local added = is_empty and not_a_command(text) or text
  prompt_buffer.replace(chat.prompt, -2, -1, last .. gap .. added)
  prompt_buffer.go_to_end(chat.prompt)
end)

--- Called by the host: return a text to the user if the prompt is empty; say whether it was.
---@type fun(id: integer, text: string): boolean
M.put_if_empty = chat_state.of_id(function(chat, text)
  local is_empty = prompt_buffer.text(chat.prompt) == ''
  if is_empty then
    prompt_buffer.put(chat.prompt, not_a_command(text))
  end
  return is_empty
end, false)

--- Called by the host: replace the text of the prompt, which remains in the history; return what was there.
---@type fun(id: integer, text: string, images?: claude_ide.ChatImage[]): string
M.replace = chat_state.of_id(function(chat, text, images)
  local bufnr = chat.prompt
  local before, written = prompt_buffer.read(bufnr), prompt_buffer.text(bufnr)
  if written ~= '' then
    prompt_buffer.remember(chat.history, written)
  end
  prompt_buffer.replace(bufnr, 0, -1, adopt_images(chat, text, images or {}))
  prompt_buffer.go_to_end(bufnr)
  return before
end, '')

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

return M
