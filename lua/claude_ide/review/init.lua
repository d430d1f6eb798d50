--- Where the review takes the user.
local file_load = require('claude_ide.file.load')

local M = {}

local api = vim.api

--- Go to another hunk of the file, or of the proposal that the user is in.
---@param direction 1|-1
---@param count integer
---@return boolean is_found
function M.move(direction, count)
  local diff = package.loaded['claude_ide.diff']
  if diff and diff.commentable(api.nvim_get_current_buf()) then
    require('claude_ide.diff.keys')[direction == 1 and 'next' or 'previous']()
    return true
  end
  return require('claude_ide.review.overlay').go(direction, count)
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
  local _, failure = file_load.in_window(api.nvim_get_current_win(), bufnr)
  if failure then
    error(failure, 0)
  end
  api.nvim_win_set_cursor(0, { math.min(row + 1, api.nvim_buf_line_count(bufnr)), 0 })
  vim.cmd('normal! zv')
end

return M
