--- `:ClaudeCommit`: a message for the staged changes, inserted where the user writes the commit message.
local answer = require('claude_ide.headless.answer')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local headless = require('claude_ide.headless')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local marks = vim.api.nvim_create_namespace('claude_ide_commit_message')
local TRAILER = '^%u[%w-]*: %S'

-- The commit message in the current window, else in another one of the tab page.
local function find_buffer()
  local wins = { vim.api.nvim_get_current_win(), unpack(vim.api.nvim_tabpage_list_wins(0)) }
  return vim.iter(wins):map(vim.api.nvim_win_get_buf):find(function(bufnr)
    return vim.bo[bufnr].filetype == 'gitcommit' and vim.bo[bufnr].modifiable
  end)
end

local function is_blank(line)
  return not line:find('%S')
end

-- The number of leading lines that are the user's text. It ends before Git's comments, which include the
-- scissors line, before trailers (`git commit --signoff`), and before blank lines in front of these.
local function count_written(lines, comment)
  local count = 0
  while lines[count + 1] and not vim.startswith(lines[count + 1], comment) do
    count = count + 1
  end
  local function skip_back(condition)
    while count > 0 and condition(lines[count]) do
      count = count - 1
    end
  end
  skip_back(is_blank)
  skip_back(function(line)
    return line:find(TRAILER) ~= nil
  end)
  skip_back(is_blank)
  return count
end

--- Insert a message below what the user has written, and above trailers and comments.
---@param bufnr integer
---@param text string
---@param comment string the prefix of Git's comments
function M.insert(bufnr, text, comment)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local first = count_written(lines, comment)
  local last = first
  while lines[last + 1] and is_blank(lines[last + 1]) do
    last = last + 1
  end
  local inserted = plain.lines(text)
  if first > 0 then
    table.insert(inserted, 1, '')
  end
  if last < #lines then
    table.insert(inserted, '')
  end
  quiet.run(function()
    vim.api.nvim_buf_set_lines(bufnr, first, last, true, inserted)
  end)
end

local function finish(bufnr, err, written)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  end
  if err then
    if err ~= headless.CANCELLED then
      message.show(err, 'error')
    end
  elseif not vim.api.nvim_buf_is_loaded(bufnr) or not vim.bo[bufnr].modifiable then
    message.show('the commit message can no longer be changed', 'warn')
  else
    M.insert(bufnr, written.text, written.comment)
  end
end

local function write_into(bufnr)
  headless.begin('commit', { path = vim.api.nvim_buf_get_name(bufnr) }, {
    on_progress = function(progress)
      if vim.api.nvim_buf_is_valid(bufnr) then
        local words = progress == '' and '…' or (' (%s)'):format(progress)
        local chunks = { { ' Claude is writing' .. plain.one_line(words), 'Comment' } }
        vim.api.nvim_buf_set_extmark(bufnr, marks, 0, 0, { id = 1, virt_text = chunks })
      end
    end,
    on_end = function(err, written)
      finish(bufnr, err, written)
    end,
  })
end

--- Carry out `:ClaudeCommit[!]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.write(opts)
  if opts.bang then
    return headless.cancel_all('commit', 'nothing to stop')
  end
  local bufnr = find_buffer()
  if bufnr then
    return write_into(bufnr)
  end
  answer.show('Commit message', 'commit', {}, {
    to_text = function(written)
      return written.text
    end,
    commits = true,
  })
end

return M
