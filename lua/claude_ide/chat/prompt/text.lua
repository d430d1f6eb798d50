--- The text of a prompt, as lines of its buffer.
local M = {}

local api = vim.api

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

return M
