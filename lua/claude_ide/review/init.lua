--- Commands and maps of the review.
local channel = require('claude_ide.channel')
local file_load = require('claude_ide.file.load')
local message = require('claude_ide.messages.message')

local M = {}

--- Called by the host: to whom a review can be sent.
---@param names string[]
function M.know_recipients(names)
  vim.fn['claude_ide#arguments#KnowRecipients'](names)
end

local function is_proposal()
  local diff = package.loaded['claude_ide.diff']
  return diff and diff.commentable(vim.api.nvim_get_current_buf()) ~= nil
end

local function move(direction)
  if is_proposal() then
    return require('claude_ide.diff.keys')[direction == 1 and 'next' or 'previous']()
  end
  local overlay = require('claude_ide.review.overlay')
  if not overlay.go(direction, vim.v.count1) then
    channel.emit('review_moved', { bufnr = vim.api.nvim_get_current_buf(), direction = direction })
  end
end

--- Show a file in the current window.
---@param path string
---@param row integer 0-based
function M.go(path, row)
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    error(refusal, 0)
  end
  vim.bo[bufnr].buflisted = true
  local _, failure = file_load.in_window(vim.api.nvim_get_current_win(), bufnr)
  if failure then
    error(failure, 0)
  end
  local last = vim.api.nvim_buf_line_count(bufnr)
  vim.api.nvim_win_set_cursor(0, { math.min(row + 1, last), 0 })
  vim.cmd('normal! zv')
end

--- Go to the next hunk, or to the [count]th; from the last one to the next file that waits.
function M.next()
  move(1)
end

--- Go to the previous hunk, likewise.
function M.previous()
  move(-1)
end

local pending ---@type string the command of the operator

--- Keep or revert the hunks in the operator's lines, or [count] hunks from the cursor on.
function M.operate()
  local first = vim.fn.line("'[")
  -- On an empty line the motion ends before it.
  vim.cmd(('%d,%d%s'):format(first, math.max(first, vim.fn.line("']")), pending))
end

local function operator(command)
  local is_visual = vim.fn.mode():find('^[vV\22]')
  pending = ('%s %s'):format(command, is_visual and 'lines' or vim.v.count1)
  vim.o.operatorfunc = "v:lua.require'claude_ide.review'.operate"
  return is_visual and 'g@' or 'g@l'
end

--- Keep hunks; for an `<expr>` map in Normal or Visual mode. `.` repeats it.
---@return string keys
function M.keep()
  return operator('ClaudeKeep')
end

--- Revert hunks, likewise.
---@return string keys
function M.revert()
  return operator('ClaudeRevert')
end

--- Show all removed lines of the hunk at the cursor, or fold them again.
function M.show()
  if not require('claude_ide.review.overlay').unfold() then
    message.show('no unreviewed change here', 'info')
  end
end

return M
