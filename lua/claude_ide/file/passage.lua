--- A passage of a buffer: found by its text or by its lines, shown, selected.
local moment = require('claude_ide.when.moment')

local M = {}

---@class claude_ide.TextPlace
---@field row integer 0-based
---@field col integer bytes

---@class claude_ide.Passage
---@field first claude_ide.TextPlace
---@field last claude_ide.TextPlace what comes first after the passage
---@field is_point? boolean there is nothing to select

local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- Where byte offsets into the joined lines are; each offset must not be before the one before it.
local function places(lines, offsets)
  local row, start = 1, 0
  return vim.tbl_map(function(offset)
    while offset > start + #lines[row] do
      start = start + #lines[row] + 1
      row = row + 1
    end
    return { row = row - 1, col = offset - start }
  end, offsets)
end

--- Find what begins with `start_text` and ends with the next `end_text`, both literally.
---@param bufnr integer
---@param start_text string
---@param end_text? string none: the passage is `start_text` itself
---@return claude_ide.Passage?
---@return string? missing one sentence about what was not found
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
  local first, last = unpack(places(lines, { from - 1, to }))
  return { first = first, last = last }, missing
end

--- The lines from `line` to `end_line`, 1-based, as far as the buffer has them.
---@param bufnr integer
---@param line integer
---@param end_line? integer none: the passage is the place where `line` begins
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

---@param bufnr integer
---@param passage claude_ide.Passage
---@return claude_ide.Passage
function M.to_end_of_line(bufnr, passage)
  local row = passage.last.row
  return { first = passage.first, last = { row = row, col = #line_at(bufnr, row) } }
end

--- Put a window's cursor at the beginning of a passage, in the middle of the window, out of folds.
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

-- Where the cursor of a Visual area has to be for the area to end before `last`.
local function end_of_area(last)
  if vim.o.selection == 'exclusive' then
    return { last.row + 1, last.col }
  elseif last.col == 0 then
    -- On the end of the line before.
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
  -- Typing would replace what is selected in Select mode.
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
