--- The buffers in which prompts are written, those of chats and that of `:ClaudePrompt`: their text, hints
--- beside it, the mentions in it whose files do not exist, and the prompts that were sent before.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_chat_prompt_buffer')
local hints = api.nvim_create_namespace('claude_ide_chat_hint')
local unknown_mentions = api.nvim_create_namespace('claude_ide_chat_mentions')
local dropped = api.nvim_create_namespace('claude_ide_chat_dropped')

local SHOWN = 4000 -- milliseconds
local CHECKED_EVERY = 200 -- milliseconds
local MOST_CHECKED = 500 -- lines
local TYPED_SECONDS = 0.05 -- within which a change is that of a key
local LONGEST_HISTORY = 200 -- entries

---@class claude_ide.PromptBuffer
---@field prompt integer buffer
---@field history claude_ide.ChatHistory
---@field options { root: string } the folder to whose files mentions are relative
---@field offer { commands: table[] } entries of the menu (`:help complete-items`)
---@field takes_images? fun(): boolean
---@field add_image? fun(image: claude_ide.ChatImage): string returns what stands for it in the text

---@class claude_ide.ChatHistory
---@field index integer the entry that the prompt shows; one past the last for a new prompt
---@field written table<integer, string> the entries as edited in this prompt, and the new prompt, by index

local prompts = {} ---@type table<integer, claude_ide.PromptBuffer> by buffer
local entries = {} ---@type string[] the history of all prompts, oldest first

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
---@param unknown any[] `{ row, column, end_column, path }`
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

-- A path, an address, or a quoted path, as terminals paste the files that are dropped on them.
local DROPPED = '^%s*["\']?/[^%z\n]'
local ADDRESS = '^%s*file://%l*/'

-- Ask the host about an inserted text that may be files: nobody has just typed a key, as for `p`.
local function ask_about_drop(prompt, row, column, length)
  local bufnr = prompt.prompt
  local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  local text = line:sub(column + 1, column + length)
  local is_path = text:find(DROPPED) or text:find(ADDRESS)
  if not is_path or line:sub(1, column):find('%S$') or moment.idle() < TYPED_SECONDS then
    return
  end
  vim.schedule(function()
    if api.nvim_buf_get_text(bufnr, row, column, row, column + length, {})[1] ~= text then
      return
    end
    local mark =
      api.nvim_buf_set_extmark(bufnr, dropped, row, column, { end_col = column + length })
    channel.emit('prompt_dropped', {
      bufnr = bufnr,
      mark = mark,
      root = prompt.options.root,
      paths = text,
      takes_images = prompt.takes_images ~= nil and prompt.takes_images(),
    })
  end)
end

--- Replace a part of a line by a text. A cursor behind it, or on its last character, stays behind it.
---@param bufnr integer
---@param row integer
---@param first integer column
---@param last integer exclusive
---@param text string
function M.put_text(bufnr, row, first, last, text)
  local win = vim.fn.bufwinid(bufnr)
  local cursor = win > 0 and api.nvim_win_get_cursor(win)
  api.nvim_buf_set_text(bufnr, row, first, row, last, { text })
  if cursor and cursor[1] == row + 1 and cursor[2] >= math.max(last - 1, first) then
    api.nvim_win_set_cursor(win, { row + 1, math.max(cursor[2], last) + #text - (last - first) })
  end
end

--- Called by the host: replace files that were dropped.
---@param bufnr integer a prompt
---@param mark integer around them
---@param words string[] mentions; an empty one for each image
---@param images claude_ide.ChatImage[]
function M.put_dropped(bufnr, mark, words, images)
  local prompt = prompts[bufnr]
  if not prompt or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local row, column, details =
    unpack(api.nvim_buf_get_extmark_by_id(bufnr, dropped, mark, { details = true }))
  api.nvim_buf_del_extmark(bufnr, dropped, mark)
  if #words == 0 or details.end_row ~= row then
    return
  end
  local used = 0
  words = vim.tbl_map(function(word)
    used = used + (word == '' and 1 or 0)
    return word == '' and prompt.add_image(images[used]) or word
  end, words)
  M.put_text(bufnr, row, column, details.end_col, table.concat(words, ' ') .. ' ')
end

--- Add a prompt whose buffer has been created. Its mentions are checked whenever it changes.
---@param prompt claude_ide.PromptBuffer
function M.add(prompt)
  local bufnr = prompt.prompt
  prompts[bufnr] = prompt
  on('BufWipeout', bufnr, function()
    prompts[bufnr] = nil
  end)
  local check = debounce.new(CHECKED_EVERY, function()
    check_mentions(prompt)
  end).soon
  api.nvim_buf_attach(bufnr, false, {
    on_bytes = function(_, _, _, row, column, _, _, _, old, rows, _, new)
      if prompts[bufnr] ~= prompt then
        return true
      elseif old == 0 and rows == 0 and new > 1 then
        ask_about_drop(prompt, row, column, new)
      end
    end,
  })
  local changes = { 'TextChanged', 'TextChangedI', 'TextChangedP', 'InsertLeave', 'BufEnter' }
  on(changes, bufnr, check)
end

--- The prompt of a buffer.
---@type fun(bufnr: integer): claude_ide.PromptBuffer?
function M.of(bufnr)
  return prompts[bufnr]
end

--- All that a prompt holds.
---@type fun(bufnr: integer): string
function M.read(bufnr)
  return table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

--- The text of a prompt, without blank lines around it.
---@type fun(bufnr: integer): string
function M.text(bufnr)
  return M.read(bufnr):gsub('^%s*\n', ''):match('^(.*%S)') or ''
end

-- Close the menu, whose entries belong to the text that was replaced.
local function end_completion(bufnr)
  if bufnr == api.nvim_get_current_buf() and vim.fn.mode(1) == 'ic' then
    api.nvim_feedkeys(vim.keycode('<C-x><C-z>'), 'in', false)
  end
end

--- Replace lines by a text, as one undo step.
---@param bufnr integer
---@param first integer as in `nvim_buf_set_lines`
---@param last integer
---@param text string
function M.replace(bufnr, first, last, text)
  local options = vim.bo[bufnr]
  options.undolevels = options.undolevels
  api.nvim_buf_set_lines(bufnr, first, last, false, vim.split(text, '\n'))
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
---@type fun(bufnr: integer, text: string)
function M.put(bufnr, text)
  if M.text(bufnr) == '' then
    M.replace(bufnr, 0, -1, text)
    M.go_to_end(bufnr)
  else
    M.replace(bufnr, -1, -1, text)
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
---@type fun(history: claude_ide.ChatHistory, text: string)
function M.remember(history, text)
  if entries[#entries] ~= text then
    table.insert(entries, text)
  end
  if #entries > LONGEST_HISTORY then
    table.remove(entries, 1)
  end
  history.index, history.written = #entries + 1, {}
end

-- Show another prompt of the history: the entry as it was edited in this prompt, or as it was sent.
---@param count integer how many entries to move; negative for older ones
local function browse(prompt, count)
  local bufnr, history, newest = prompt.prompt, prompt.history, #entries + 1
  -- Other chats may have added entries: the new prompt stays the last.
  if history.index > newest or not (history.written[history.index] or entries[history.index]) then
    history.index = newest
  end
  local target = math.max(1, math.min(history.index + count, newest))
  if target == history.index then
    return
  end
  history.written[history.index] = M.read(bufnr)
  history.index = target
  M.replace(bufnr, 0, -1, history.written[target] or entries[target] or '')
  if count > 0 then
    M.go_to_end(bufnr)
  else
    -- On the first line, <Up> continues to older prompts.
    api.nvim_win_set_cursor(0, { 1, #vim.fn.getline(1) })
  end
end

--- The keys that browse the history, on the first and the last line of a prompt.
---@param prompt claude_ide.PromptBuffer
---@return claude_ide.ChatKey older
---@return claude_ide.ChatKey newer
function M.history_keys(prompt)
  local function key(typed, direction)
    return function()
      local edge = direction < 0 and 1 or api.nvim_buf_line_count(0)
      if api.nvim_win_get_cursor(0)[1] ~= edge or vim.fn.pumvisible() == 1 then
        return typed
      end
      local count = direction * vim.v.count1
      return function()
        browse(prompt, count)
      end
    end
  end
  local older, newer = 'Previous prompt (on the first line)', 'Next prompt (on the last line)'
  return { 'ni', { '<Up>' }, 'older', older, key('<Up>', -1), expr = true }, {
    'ni',
    { '<Down>' },
    'newer',
    newer,
    key('<Down>', 1),
    expr = true,
  }
end

return M
