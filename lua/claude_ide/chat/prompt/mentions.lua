--- Points out mentions in a prompt whose files do not exist: `@nope.txt`.
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt_mentions', { clear = true })
local namespace = api.nvim_create_namespace('claude_ide_chat_mentions')

local INTERVAL = 200 -- milliseconds
local MOST_LINES = 500

---@class claude_ide.UnknownMention `{ row, column, end_column, path }`
---@field [1] integer
---@field [2] integer
---@field [3] integer
---@field [4] string absolute

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
function M.mark(bufnr, tick, unknown)
  if not api.nvim_buf_is_loaded(bufnr) or api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, mention in ipairs(unknown) do
    local row, first, last, path = unpack(mention)
    if vim.fn.bufloaded(path) == 0 and not is_unfinished(bufnr, row, first, last) then
      api.nvim_buf_set_extmark(bufnr, namespace, row, first, {
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
local function check(prompt)
  local bufnr = prompt.prompt
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local lines = api.nvim_buf_get_lines(bufnr, 0, MOST_LINES, false)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  if not table.concat(lines):find('@', 1, true) then
    return M.mark(bufnr, tick, {})
  end
  local question = { bufnr = bufnr, tick = tick, root = prompt.options.root, lines = lines }
  channel.emit('prompt_mentions', question)
end

--- Check the mentions of a prompt whenever it changes.
---@param prompt claude_ide.PromptBuffer
function M.attach(prompt)
  local soon = debounce.new(INTERVAL, function()
    check(prompt)
  end).soon
  api.nvim_create_autocmd(
    { 'TextChanged', 'TextChangedI', 'TextChangedP', 'InsertLeave', 'BufEnter' },
    {
      group = augroup,
      buffer = prompt.prompt,
      callback = soon,
    }
  )
end

return M
