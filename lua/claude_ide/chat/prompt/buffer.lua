--- The buffers in which prompts are written, those of chats and that of `:ClaudePrompt`: their text, and
--- hints beside it.
local message = require('claude_ide.messages.message')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt_buffer', { clear = true })
local hints = api.nvim_create_namespace('claude_ide_chat_hint')
local SHOWN = 4000 -- milliseconds

---@class claude_ide.PromptBuffer
---@field prompt integer buffer
---@field history claude_ide.ChatHistory
---@field options { root: string } the folder to whose files mentions are relative
---@field offer { commands: claude_ide.ChatCommand[] }

local prompts = {} ---@type table<integer, claude_ide.PromptBuffer> by buffer

--- Add a prompt whose buffer has been created.
---@param prompt claude_ide.PromptBuffer
function M.add(prompt)
  local bufnr = prompt.prompt
  prompts[bufnr] = prompt
  api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      prompts[bufnr] = nil
    end,
  })
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

return M
