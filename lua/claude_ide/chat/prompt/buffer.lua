--- The buffers in which prompts are written, those of chats and that of `:ClaudePrompt`: their text, hints
--- beside it, the mentions in it whose files do not exist, and the prompts that were sent before.
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local message = require('claude_ide.messages.message')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt_buffer', { clear = true })
local hints = api.nvim_create_namespace('claude_ide_chat_hint')
local unknown_mentions = api.nvim_create_namespace('claude_ide_chat_mentions')

local SHOWN = 4000 -- milliseconds
local CHECKED_EVERY = 200 -- milliseconds
local MOST_CHECKED = 500 -- lines
local LONGEST_HISTORY = 200 -- entries

---@class claude_ide.PromptBuffer
---@field prompt integer buffer
---@field history claude_ide.ChatHistory
---@field options { root: string } the folder to whose files mentions are relative
---@field offer { commands: claude_ide.ChatCommand[] }

---@class claude_ide.ChatHistory
---@field index integer the entry that the prompt shows; one past the last for a new prompt
---@field written table<integer, string[]> the entries as edited in this prompt, and the new prompt, by index

---@class claude_ide.UnknownMention `{ row, column, end_column, path }`
---@field [1] integer
---@field [2] integer
---@field [3] integer
---@field [4] string absolute

local prompts = {} ---@type table<integer, claude_ide.PromptBuffer> by buffer
local entries = {} ---@type string[][] the history of all prompts, oldest first

-- Whether the user is still typing a mention: there is no blank between it and the cursor.
local function is_unfinished(bufnr, row, first, last)
  if bufnr ~= api.nvim_get_current_buf() or not vim.fn.mode():find('^[iR]') then
    return false
  end
  local line, column = unpack(api.nvim_win_get_cursor(0))
  local typed = api.nvim_get_current_line():sub(last + 1, column)
  return line - 1 == row and column > first and not typed:find('%s')
end

--- Called by the host: mark the mentions in a prompt whose files do not exist. A file that is open may not
--- have been saved yet.
---@param bufnr integer
---@param tick integer of the text that was checked
---@param unknown claude_ide.UnknownMention[]
function M.mark_mentions(bufnr, tick, unknown)
  if not api.nvim_buf_is_loaded(bufnr) or api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, unknown_mentions, 0, -1)
  for _, mention in ipairs(unknown) do
    local row, first, last, path = unpack(mention)
    if vim.fn.bufloaded(path) == 0 and not is_unfinished(bufnr, row, first, last) then
      api.nvim_buf_set_extmark(bufnr, unknown_mentions, row, first, {
        end_col = last,
        hl_group = 'DiagnosticUnderlineWarn',
        virt_text = { { ' not found', 'ClaudeChatWarning' } },
        virt_text_pos = 'eol',
        strict = false,
      })
    end
  end
end

---@param prompt claude_ide.PromptBuffer
local function check_mentions(prompt)
  local bufnr = prompt.prompt
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local lines = api.nvim_buf_get_lines(bufnr, 0, MOST_CHECKED, false)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  if not table.concat(lines):find('@', 1, true) then
    return M.mark_mentions(bufnr, tick, {})
  end
  local question = { bufnr = bufnr, tick = tick, root = prompt.options.root, lines = lines }
  channel.emit('prompt_mentions', question)
end

--- Add a prompt whose buffer has been created. Its mentions are checked whenever it changes.
---@param prompt claude_ide.PromptBuffer
function M.add(prompt)
  local bufnr = prompt.prompt
  prompts[bufnr] = prompt
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = augroup, buffer = bufnr, callback = callback })
  end
  on('BufWipeout', function()
    prompts[bufnr] = nil
  end)
  local check = debounce.new(CHECKED_EVERY, function()
    check_mentions(prompt)
  end).soon
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP', 'InsertLeave', 'BufEnter' }, check)
end

--- The prompt of the current buffer.
---@return claude_ide.PromptBuffer?
function M.here()
  return prompts[api.nvim_get_current_buf()]
end

--- The prompt of a buffer.
---@param bufnr integer
---@return claude_ide.PromptBuffer?
function M.of(bufnr)
  return prompts[bufnr]
end

--- The lines of a prompt.
---@param bufnr integer
---@return string[]
function M.lines(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

--- Lines without leading and trailing blank ones.
---@param lines string[]
---@return string[]
function M.trim(lines)
  local first, last = 1, #lines
  while first <= last and not lines[first]:find('%S') do
    first = first + 1
  end
  while last >= first and not lines[last]:find('%S') do
    last = last - 1
  end
  return vim.list_slice(lines, first, last)
end

--- Whether a prompt has no text.
---@param bufnr integer
---@return boolean
function M.is_empty(bufnr)
  return #M.trim(M.lines(bufnr)) == 0
end

-- Close the menu, whose entries belong to the text that was replaced.
local function end_completion(bufnr)
  if bufnr == api.nvim_get_current_buf() and vim.fn.mode(1) == 'ic' then
    api.nvim_feedkeys(vim.keycode('<C-x><C-z>'), 'in', false)
  end
end

--- Replace lines as one undo step.
---@param bufnr integer
---@param first integer as in `nvim_buf_set_lines`
---@param last integer
---@param lines string[]
function M.replace(bufnr, first, last, lines)
  local options = vim.bo[bufnr]
  options.undolevels = options.undolevels
  api.nvim_buf_set_lines(bufnr, first, last, false, lines)
  options.undolevels = options.undolevels
  end_completion(bufnr)
end

--- Move the cursor of each window to the end.
---@param bufnr integer
function M.go_to_end(bufnr)
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local last = api.nvim_buf_line_count(bufnr)
    local text = api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1]
    api.nvim_win_set_cursor(win, { last, #text })
  end
end

--- Return text to the user: as the prompt if it is empty, otherwise below its text.
---@param bufnr integer
---@param text string
function M.put(bufnr, text)
  local lines = vim.split(text, '\n')
  if M.is_empty(bufnr) then
    M.replace(bufnr, 0, -1, lines)
    M.go_to_end(bufnr)
  else
    M.replace(bufnr, -1, -1, lines)
  end
end

--- Show a hint next to the cursor for some time, instead of the last one there.
---@param bufnr integer the prompt, in the current window
---@param text string
---@param milliseconds integer
function M.hint_beside(bufnr, text, milliseconds)
  api.nvim_buf_clear_namespace(bufnr, hints, 0, -1)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local mark = api.nvim_buf_set_extmark(bufnr, hints, row, 0, {
    virt_text = { { text, 'ClaudeChatWarning' } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  })
  vim.defer_fn(function()
    pcall(api.nvim_buf_del_extmark, bufnr, hints, mark)
  end, milliseconds)
end

--- Show a hint. In Insert mode it also appears next to the text, because "-- INSERT --" hides messages.
---@param bufnr integer the prompt
---@param text string
---@param level 'info'|'warn'|'error'
function M.hint(bufnr, text, level)
  message.show(text, level)
  if vim.o.showmode and vim.fn.mode():find('^[iR]') and api.nvim_get_current_buf() == bufnr then
    M.hint_beside(bufnr, text, SHOWN)
  end
end

--- The history as a new chat sees it.
---@return claude_ide.ChatHistory
function M.new_history()
  return { index = #entries + 1, written = {} }
end

--- Add a prompt that was sent, and start a new one.
---@param history claude_ide.ChatHistory
---@param lines string[]
function M.remember(history, lines)
  if not vim.deep_equal(entries[#entries], lines) then
    table.insert(entries, lines)
  end
  if #entries > LONGEST_HISTORY then
    table.remove(entries, 1)
  end
  history.index, history.written = #entries + 1, {}
end

local function key(typed, direction)
  return function()
    local line = api.nvim_win_get_cursor(0)[1]
    local edge = direction < 0 and 1 or api.nvim_buf_line_count(0)
    if line ~= edge or vim.fn.pumvisible() == 1 then
      return typed
    end
    local call = '<Cmd>lua require("claude_ide.chat.prompt.buffer").browse(%d)<CR>'
    return call:format(direction)
  end
end

--- Add the keys that browse it, on the first and the last line, to those of a prompt.
---@param add fun(modes: string, keys: string[], name: string, desc: string, run: function, rest?: table)
function M.add_history_keys(add)
  local older, newer = key('<Up>', -1), key('<Down>', 1)
  add('ni', { '<Up>' }, 'older', 'Previous prompt (on the first line)', older, { expr = true })
  add('ni', { '<Down>' }, 'newer', 'Next prompt (on the last line)', newer, { expr = true })
end

-- Browse the history.
---@param history claude_ide.ChatHistory
---@param lines string[] the prompt's present lines
---@param count integer how many entries to move; negative for older ones
---@return string[]? lines the lines to show instead; nil if there is no such entry
local function go(history, lines, count)
  local newest = #entries + 1
  -- Other chats may have added entries: the new prompt stays the last.
  if
    history.index > newest or (history.written[history.index] == nil and not entries[history.index])
  then
    history.index = newest
  end
  local target = math.max(1, math.min(history.index + count, newest))
  if target == history.index then
    return nil
  end
  history.written[history.index] = lines
  history.index = target
  return history.written[target] or entries[target] or { '' }
end

--- Show another prompt of the history in the current buffer.
---@param direction -1|1
function M.browse(direction)
  local prompt = M.here()
  if not prompt then
    return
  end
  local bufnr = prompt.prompt
  local present = M.lines(bufnr)
  local lines = go(prompt.history, present, direction * vim.v.count1)
  if not lines then
    return
  end
  M.replace(bufnr, 0, -1, lines)
  if direction > 0 then
    M.go_to_end(bufnr)
  else
    -- On the first line, <Up> continues to older prompts.
    api.nvim_win_set_cursor(0, { 1, #lines[1] })
  end
end

return M
