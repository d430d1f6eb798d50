--- The lines of a buffer as they are now, for later. Those of a large one are kept in a few strings: as many
--- small ones they would cost time whenever the garbage collector runs.
local buffer_text = require('claude_ide.file.text')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api

local PART = 1000 -- lines

---@class claude_ide.PackedLines
---@field count integer of lines
---@field bytes? integer unless the lines are of no buffer
---@field lines? string[] of a large buffer, only once they were needed
---@field text? string from which they are made
---@field parts? string[] from which they are made: `PART` lines each, the last one fewer

local function part_of(bufnr, first)
  return api.nvim_buf_get_lines(bufnr, first, first + PART, false)
end

-- Lua would make a string of each line. A function of Vim does not, but makes a NUL a line feed.
local function joined(bufnr, first, count)
  local lines = ('getbufline(%d, %d, %d)'):format(bufnr, first + 1, first + count)
  local text = vim.fn.eval(('join(%s, "\\n")'):format(lines))
  local has_nul = vim.fn.count(text, '\n') >= count
  return has_nul and table.concat(part_of(bufnr, first), '\n') or text
end

local function parts_of(bufnr, count)
  local parts = {}
  for first = 0, count - 1, PART do
    table.insert(parts, joined(bufnr, first, math.min(PART, count - first)))
  end
  return parts
end

--- The lines that a buffer has now.
---@param bufnr integer loaded
---@param text? string that has just been put into it
---@return claude_ide.PackedLines
function M.of(bufnr, text)
  local count = api.nvim_buf_line_count(bufnr)
  local packed = { count = count, bytes = api.nvim_buf_get_offset(bufnr, count) }
  -- Two that are larger are not compared line by line.
  if 2 * packed.bytes <= rebase.MOST_COMPARED_BYTES then
    packed.lines = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  else
    packed.text = text
    packed.parts = not text and parts_of(bufnr, count) or nil
  end
  return packed
end

local function lines_in(parts)
  local lines = {}
  for _, part in ipairs(parts) do
    vim.list_extend(lines, vim.split(part, '\n', { plain = true }))
  end
  return lines
end

--- The same for lines that are at hand.
---@param lines string[]
---@return claude_ide.PackedLines
function M.of_lines(lines)
  return { count = #lines, lines = lines }
end

--- All lines.
---@param packed claude_ide.PackedLines
---@return string[]
function M.unpack(packed)
  packed.lines = packed.lines
    or packed.text and buffer_text.parse(packed.text).lines
    or lines_in(packed.parts)
  return packed.lines
end

-- Returns the lines of a buffer by their rows, and reads those that are close to each other at once.
local function reader(bufnr)
  local first, lines = nil, nil
  return function(row)
    local wanted = row - row % PART
    if wanted ~= first then
      first, lines = wanted, part_of(bufnr, wanted)
    end
    return lines[row - first + 1]
  end
end

--- How many equal lines two buffers have at the start, and how many at the end.
---@param old integer
---@param new integer
---@return integer head
---@return integer tail
function M.common_ends(old, new)
  local counts = { api.nvim_buf_line_count(old), api.nvim_buf_line_count(new) }
  local shorter = math.min(unpack(counts))
  local old_line, new_line = reader(old), reader(new)
  local head, tail = 0, 0
  while head < shorter and old_line(head) == new_line(head) do
    head = head + 1
  end
  while
    tail < shorter - head and old_line(counts[1] - tail - 1) == new_line(counts[2] - tail - 1)
  do
    tail = tail + 1
  end
  return head, tail
end

return M
