--- Finds a passage of a buffer by its text or its lines, shows it and selects it.
local moment = require('claude_ide.timing.moment')

local M = {}

---@class claude_ide.TextPosition
---@field row integer 0-based
---@field col integer bytes

---@class claude_ide.Passage
---@field first claude_ide.TextPosition
---@field last claude_ide.TextPosition exclusive
---@field is_point? boolean the passage is a position, with nothing to select

local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- Convert ascending byte offsets in the joined lines to positions.
---@return claude_ide.TextPosition[]
local function positions(lines, offsets)
  local row, start = 1, 0
  return vim.tbl_map(function(offset)
    while offset > start + #lines[row] do
      start = start + #lines[row] + 1
      row = row + 1
    end
    return { row = row - 1, col = offset - start }
  end, offsets)
end

--- Find the passage from `start_text` to the end of the next `end_text`. Both are literal text.
---@param bufnr integer
---@param start_text string
---@param end_text? string without it, the passage is `start_text` itself
---@return claude_ide.Passage?
---@return string? missing one sentence about the text that was not found
function M.find(bufnr, start_text, end_text)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local text = table.concat(lines, '\n')
  local function find(wanted, init)
    return text:find((wanted:gsub('\r\n', '\n')), init, true)
  end
  local from, to = find(start_text, 1)
  if not from then
    return nil, 'The file does not contain the start text.'
  end
  local missing
  if end_text then
    local _, stop = find(end_text, to + 1)
    if stop then
      to = stop
    else
      missing = 'The file does not contain the end text after the start text.'
    end
  end
  local first, last = unpack(positions(lines, { from - 1, to }))
  return { first = first, last = last }, missing
end

--- The lines from `line` to `end_line`, 1-based and inclusive, limited to those of the buffer.
---@param bufnr integer
---@param line integer
---@param end_line? integer without it, the passage is the start of `line`
---@return claude_ide.Passage
function M.of_lines(bufnr, line, end_line)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local first = { row = math.min(math.max(line, 1), count) - 1, col = 0 }
  if not end_line then
    return { first = first, last = first, is_point = true }
  end
  local last = { row = math.max(math.min(end_line, count) - 1, first.row), col = 0 }
  return M.to_end_of_line(bufnr, { first = first, last = last })
end

--- Extend a passage to the end of its last line.
---@param bufnr integer
---@param passage claude_ide.Passage
---@return claude_ide.Passage
function M.to_end_of_line(bufnr, passage)
  local row = passage.last.row
  return { first = passage.first, last = { row = row, col = #line_at(bufnr, row) } }
end

--- Move a window's cursor to the start of a passage, center that line, and open the folds around it.
---@param win integer
---@param passage claude_ide.Passage
function M.show(win, passage)
  vim.api.nvim_win_call(win, function()
    local first, last = passage.first, passage.last
    vim.api.nvim_win_set_cursor(win, { first.row + 1, first.col })
    vim.cmd(('silent! %d,%dfoldopen!'):format(first.row + 1, last.row + 1))
    vim.cmd('normal! zz')
  end)
end

-- The cursor position at which a Visual area ends before `last`.
local function end_of_area(last)
  if vim.o.selection == 'exclusive' then
    return { last.row + 1, last.col }
  elseif last.col == 0 then
    -- On the line end of the previous line.
    return { last.row, #line_at(0, last.row - 1) }
  end
  local character = vim.str_utf_start(line_at(0, last.row), last.col)
  return { last.row + 1, last.col - 1 + character }
end

--- Select a passage in the current window, in Visual mode.
---@param passage claude_ide.Passage
function M.select(passage)
  M.show(0, passage)
  if passage.is_point then
    return
  end
  -- In Select mode, typing would replace the selected text.
  local selectmode = vim.o.selectmode
  vim.o.selectmode = ''
  vim.cmd('normal! v')
  vim.o.selectmode = selectmode
  -- Only in Visual mode can the cursor be on the end of a line.
  vim.api.nvim_win_set_cursor(0, { passage.first.row + 1, passage.first.col })
  vim.cmd('normal! o')
  vim.api.nvim_win_set_cursor(0, end_of_area(passage.last))
  moment.claim_visual()
end

return M
