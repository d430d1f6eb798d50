--- Where lines of a text have gone in a later state of it.
local M = {}

local function join(lines)
  return table.concat(lines, '\n') .. '\n'
end

--- Find lines that somebody else's changes left alone. All rows are 0-based, ends exclusive.
---@param base string[]
---@param current string[] what has become of it
---@param first integer
---@param last integer
---@return integer? first nil if the lines were changed too
---@return integer? last
function M.place(base, current, first, last)
  local shift = 0
  ---@type integer[][]
  local hunks = vim.diff(join(base), join(current), { result_type = 'indices' })
  for _, hunk in ipairs(hunks) do
    local start, count, _, new_count = unpack(hunk)
    -- An insertion comes after the line that it names.
    local from = count == 0 and start or start - 1
    if from + count <= first then
      shift = shift + new_count - count
    elseif from < last then
      return nil
    else
      break
    end
  end
  return first + shift, last + shift
end

--- Which rows of a text another one replaces, and with what.
---@param old string[]
---@param new string[]
---@return integer first
---@return integer last
---@return string[] lines
function M.change(old, new)
  local head, shorter = 0, math.min(#old, #new)
  while head < shorter and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < shorter - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  return head, #old - tail, vim.list_slice(new, head + 1, #new - tail)
end

--- A text with some of its rows replaced.
---@param lines string[]
---@param first integer
---@param last integer
---@param inserted string[]
---@return string[]
function M.splice(lines, first, last, inserted)
  local spliced = vim.list_slice(lines, 1, first)
  vim.list_extend(spliced, inserted)
  return vim.list_extend(spliced, lines, last + 1)
end

return M
