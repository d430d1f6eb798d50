--- Points out mentions in a prompt whose files do not exist: `@nope.txt`.
local throttle = require('claude_ide.when.throttle')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_prompt_mentions', { clear = true })
local namespace = api.nvim_create_namespace('claude_ide_chat_mentions')

local INTERVAL = 200 -- milliseconds
local MOST_LINES = 500
local MOST = 50 -- mentions
local LONGEST_EXTENSION = 4

---@class claude_ide.ChatMention
---@field first integer column
---@field last integer column, end-exclusive
---@field path string as typed

-- The end of a plain mention: the punctuation of the sentence does not belong to it. The rule is that of
-- `python/claude_ide/mentions.py`.
local function plain_at(line, first)
  local words = line:match('^@([^%s"]+)', first)
  words = words and words:gsub("[.,;:!?)%]}>']+$", '')
  return words and words ~= '' and { first = first - 1, last = first + #words, path = words } or nil
end

local function quoted_at(line, first)
  local words = line:match('^@"([^"]+)"', first)
  return words and { first = first - 1, last = first + #words + 2, path = words } or nil
end

---@return claude_ide.ChatMention[]
local function mentions_in(line)
  local found = {}
  for first in line:gmatch('()@') do
    if first == 1 or line:sub(first - 1, first - 1):find('%s') then
      local mention = quoted_at(line, first) or plain_at(line, first)
      table.insert(found, mention)
    end
  end
  return found
end

-- Agents, resources of servers and decorators of pasted code are written in the same way;
-- `python/claude_ide/chat/context.py` has the same rule.
local function is_like_a_file(path)
  if path:find("[%[%]{}()<>='`:]") or vim.startswith(path, 'agent-') then
    return false
  end
  local extension = path:match('%.(%w+)$')
  return path:find('/') ~= nil or extension ~= nil and #extension <= LONGEST_EXTENSION
end

local function is_missing(root, mention)
  local path = mention.path:gsub('#L%d+%-?%d*$', '')
  if not is_like_a_file(path) then
    return false
  end
  path = vim.fs.normalize(path, { expand_env = false })
  local full = path:find('^/') and path or vim.fs.joinpath(root, path)
  return not vim.uv.fs_stat(full) and vim.fn.bufloaded(full) == 0
end

-- Whether the user is still typing a mention: there is no blank between it and the cursor.
local function is_unfinished(bufnr, row, line, mention)
  if bufnr ~= api.nvim_get_current_buf() or not vim.fn.mode():find('^[iR]') then
    return false
  end
  local cursor = api.nvim_win_get_cursor(0)
  local typed = line:sub(mention.last + 1, cursor[2])
  return cursor[1] - 1 == row and cursor[2] > mention.first and not typed:find('%s')
end

local function mark(bufnr, row, mention)
  api.nvim_buf_set_extmark(bufnr, namespace, row, mention.first, {
    end_col = mention.last,
    hl_group = 'DiagnosticUnderlineWarn',
    virt_text = { { ' not found', 'ClaudeChatWarning' } },
    virt_text_pos = 'eol',
    strict = false,
  })
end

---@param prompt claude_ide.PromptBuffer
local function check(prompt)
  local bufnr = prompt.prompt
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local remaining = MOST
  for index, line in ipairs(api.nvim_buf_get_lines(bufnr, 0, MOST_LINES, false)) do
    for _, mention in ipairs(line:find('@', 1, true) and mentions_in(line) or {}) do
      remaining = remaining - 1
      if remaining < 0 then
        return
      elseif
        not is_unfinished(bufnr, index - 1, line, mention)
        and is_missing(prompt.options.root, mention)
      then
        mark(bufnr, index - 1, mention)
      end
    end
  end
end

--- Check the mentions of a prompt whenever it changes.
---@param prompt claude_ide.PromptBuffer
function M.attach(prompt)
  local soon = throttle.new(INTERVAL, function()
    check(prompt)
  end)
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
