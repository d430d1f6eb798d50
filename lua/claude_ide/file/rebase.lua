--- Compares versions of a text: finds where lines have moved to, and merges two sets of changes.
local M = {}

--- Above this size of both texts, a comparison line by line takes too long.
M.MOST_COMPARED_BYTES = 4 * 1024 * 1024

-- `vim.text.diff` since Neovim 0.12.
local diff = vim.text.diff or vim.diff

-- A NUL in the file is a line feed within a line of the buffer.
local function join(lines)
  for _, line in ipairs(lines) do
    if line:find('\n', 1, true) then
      return table.concat(
        vim.tbl_map(function(other)
          return (other:gsub('\n', '\0'))
        end, lines),
        '\n'
      ) .. '\n'
    end
  end
  return table.concat(lines, '\n') .. '\n'
end

local function are_large(...)
  local size = 0
  for _, lines in ipairs({ ... }) do
    for _, line in ipairs(lines) do
      size = size + #line + 1
      if size > M.MOST_COMPARED_BYTES then
        return true
      end
    end
  end
  return false
end

--- The rows of one side of a hunk.
---@param start integer line, 1-based; for no lines, the line before them
---@param count integer
---@return integer first 0-based
---@return integer last exclusive
function M.rows(start, count)
  local first = count == 0 and start or start - 1
  return first, first + count
end

--- Find the current location of lines of an earlier text. All rows are 0-based, ends exclusive.
---@param hunks claude_ide.Hunk[] from the earlier text to the current one
---@param first integer
---@param last integer
---@return integer? first nil if these lines have changed
---@return integer? last
function M.shifted(hunks, first, last)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local from, to = M.rows(hunk[1], hunk[2])
    if to <= first then
      shift = shift + hunk[4] - hunk[2]
    elseif from < last then
      return nil
    else
      break
    end
  end
  return first + shift, last + shift
end

--- Find the current location of lines of an earlier text, as `shifted` does.
---@param base string[] the earlier text
---@param current string[]
---@param first integer
---@param last integer
---@return integer? first nil if these lines have changed
---@return integer? last
function M.locate(base, current, first, last)
  return M.shifted(M.hunks(base, current), first, last)
end

--- How many equal items two sequences have at the start, and how many at the end.
---@generic T
---@param old T
---@param new T
---@param at fun(sequence: T, index: integer): any
---@return integer head
---@return integer tail
function M.common_ends(old, new, at)
  local head, shorter = 0, math.min(#old, #new)
  while head < shorter and at(old, head + 1) == at(new, head + 1) do
    head = head + 1
  end
  local tail = 0
  while tail < shorter - head and at(old, #old - tail) == at(new, #new - tail) do
    tail = tail + 1
  end
  return head, tail
end

--- The one replacement of rows that turns a text into another.
---@param old string[]
---@param new string[]
---@return integer first row, 0-based
---@return integer last exclusive
---@return string[] lines the new lines of these rows
function M.change(old, new)
  local head, tail = M.common_ends(old, new, rawget)
  return head, #old - tail, vim.list_slice(new, head + 1, #new - tail)
end

---@alias claude_ide.Hunk integer[] first old line, count, first new line, count (1-based)

--- The hunks in which two texts differ. Large texts get a single hunk.
---@param old string[]
---@param new string[]
---@param options? table for `vim.text.diff`
---@return claude_ide.Hunk[]
function M.hunks(old, new, options)
  if are_large(old, new) then
    local first, last, lines = M.change(old, new)
    if first == last and #lines == 0 then
      return {}
    end
    -- A side without lines names the line before.
    local start = last > first and first + 1 or first
    return { { start, last - first, #lines > 0 and first + 1 or first, #lines } }
  end
  local before, after = join(old), join(new)
  if before == after then
    return {}
  end
  options = vim.tbl_extend('error', { result_type = 'indices' }, options or {})
  return diff(before, after, options) --[[@as claude_ide.Hunk[] ]]
end

--- How many lines differ.
---@param old string[]
---@param new string[]
---@return integer removed
---@return integer added
function M.count(old, new)
  local removed, added = 0, 0
  for _, hunk in ipairs(M.hunks(old, new)) do
    removed, added = removed + hunk[2], added + hunk[4]
  end
  return removed, added
end

--- Copy a text with some of its rows replaced.
---@param lines string[]
---@param first integer 0-based
---@param last integer exclusive
---@param inserted string[]
---@return string[]
function M.splice(lines, first, last, inserted)
  local spliced = vim.list_slice(lines, 1, first)
  vim.list_extend(spliced, inserted)
  return vim.list_extend(spliced, lines, last + 1)
end

---@class claude_ide.LineChange
---@field first integer row of the base, 0-based
---@field last integer exclusive
---@field lines string[] the new lines of these rows
---@field side 'ours'|'theirs'

---@return claude_ide.LineChange[]
local function changes(base, current, side)
  return vim.tbl_map(function(hunk)
    local first, last = M.rows(hunk[1], hunk[2])
    local lines = vim.list_slice(current, hunk[3], hunk[3] + hunk[4] - 1)
    return { first = first, last = last, lines = lines, side = side }
  end, M.hunks(base, current))
end

-- Insertions come before changes of the line that follows them, and theirs before ours.
local function precedes(one, other)
  if one.first ~= other.first then
    return one.first < other.first
  elseif one.last ~= other.last then
    return one.last < other.last
  end
  return one.side > other.side
end

-- One side's version of the rows of a group; nil if that side does not change them.
---@return string[]?
local function region(group, base, side)
  local lines, row, is_changed = {}, group.first, false
  for _, change in ipairs(group) do
    if change.side == side then
      vim.list_extend(lines, base, row + 1, change.first)
      vim.list_extend(lines, change.lines)
      row, is_changed = change.last, true
    end
  end
  return is_changed and vim.list_extend(lines, base, row + 1, group.last) or nil
end

local function is_same_insertion(group, change)
  local last = group[#group]
  return group.first == group.last
    and change.first == change.last
    and change.first == group.first
    and change.side ~= last.side
    and vim.deep_equal(change.lines, last.lines)
end

-- Overlapping changes form a group; changes that are only adjacent do not.
local function grouped(all)
  table.sort(all, precedes)
  local groups = {}
  for _, change in ipairs(all) do
    local group = groups[#groups]
    if group and (change.first < group.last or is_same_insertion(group, change)) then
      table.insert(group, change)
      group.last = math.max(group.last, change.last)
    else
      table.insert(groups, { first = change.first, last = change.last, change })
    end
  end
  return groups
end

--- Merge two later versions of a text. Where both have changed the same lines, theirs win.
---@param base string[]
---@param ours string[]
---@param theirs string[]
---@return string[] lines
---@return integer conflicts number of groups of lines that both have changed differently
function M.merge(base, ours, theirs)
  local groups =
    grouped(vim.list_extend(changes(base, ours, 'ours'), changes(base, theirs, 'theirs')))
  local merged, row, conflicts = {}, 0, 0
  for _, group in ipairs(groups) do
    local mine, other = region(group, base, 'ours'), region(group, base, 'theirs')
    if mine and other and not vim.deep_equal(mine, other) then
      conflicts = conflicts + 1
    end
    vim.list_extend(merged, base, row + 1, group.first)
    vim.list_extend(merged, other or assert(mine))
    row = group.last
  end
  return vim.list_extend(merged, base, row + 1), conflicts
end

local function split(text)
  return vim.split(text, '\n', { plain = true })
end

--- Merge two later versions of a text, byte for byte.
---@param base string
---@param ours string
---@param theirs string
---@return string? merged nil if both have changed the same lines
function M.merge_texts(base, ours, theirs)
  local lines, conflicts = M.merge(split(base), split(ours), split(theirs))
  return conflicts == 0 and table.concat(lines, '\n') or nil
end

return M
