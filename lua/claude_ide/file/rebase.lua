--- Compares versions of a text, and merges two sets of changes.
local buffer_text = require('claude_ide.file.text')

local M = {}

-- Above this size of both texts, a comparison line by line takes too long.
local MOST_COMPARED_BYTES = 4 * 1024 * 1024

---@alias claude_ide.Hunk integer[] first old line, count, first new line, count (1-based)

-- `vim.text.diff` since Neovim 0.12.
local diff = vim.text.diff or vim.diff

--- The rows of one side of a hunk.
---@param start integer line, 1-based; for no lines, the line before them
---@param count integer
---@return integer first 0-based
---@return integer last exclusive
function M.rows(start, count)
  local first = count == 0 and start or start - 1
  return first, first + count
end

--- How many equal items two sequences have at the start, and how many at the end.
---@generic T
---@param old T
---@param new T
---@param at fun(sequence: T, index: integer): any
---@return integer head
---@return integer tail
function M.common_ends(old, new, at)
  local head, tail, shorter = 0, 0, math.min(#old, #new)
  while head < shorter and at(old, head + 1) == at(new, head + 1) do
    head = head + 1
  end
  while tail < shorter - head and at(old, #old - tail) == at(new, #new - tail) do
    tail = tail + 1
  end
  return head, tail
end

--- The hunks in which two texts differ. Large texts get a single hunk.
---@param old string[]
---@param new string[]
---@param options? table for `vim.text.diff`
---@return claude_ide.Hunk[]
function M.hunks(old, new, options)
  local before, after = buffer_text.join(old) .. '\n', buffer_text.join(new) .. '\n'
  if before == after then
    return {}
  elseif #before + #after > MOST_COMPARED_BYTES then
    local head, tail = M.common_ends(old, new, rawget)
    local removed, added = #old - tail - head, #new - tail - head
    -- A side without lines names the line before.
    return { { head + math.min(removed, 1), removed, head + math.min(added, 1), added } }
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

-- The changes of a later version: the `first` to `last` rows of the base get other `lines`.
local function changes(base, current)
  return vim.tbl_map(function(hunk)
    local first, last = M.rows(hunk[1], hunk[2])
    local lines = vim.list_slice(current, hunk[3], hunk[3] + hunk[4] - 1)
    return { first = first, last = last, lines = lines }
  end, M.hunks(base, current))
end

--- Merge two later versions of a text. Where both have changed the same lines, theirs win. Changes that are
--- only adjacent are both made; of two insertions at the same row, theirs comes first.
---@param base string[]
---@param ours string[]
---@param theirs string[]
---@return string[] lines
---@return boolean has_conflict whether both have changed the same lines differently
function M.merge(base, ours, theirs)
  local merged, row, has_conflict = {}, 0, false
  local function put(change)
    vim.list_extend(merged, base, row + 1, change.first)
    vim.list_extend(merged, change.lines)
    row = change.last
  end
  local own, index = changes(base, ours), 1
  for _, other in ipairs(changes(base, theirs)) do
    while own[index] and own[index].last <= other.first and own[index].first < other.last do
      put(own[index])
      index = index + 1
    end
    while own[index] and (own[index].first < other.last or vim.deep_equal(own[index], other)) do
      has_conflict = has_conflict or not vim.deep_equal(own[index], other)
      index = index + 1
    end
    put(other)
  end
  vim.iter(vim.list_slice(own, index)):each(put)
  return vim.list_extend(merged, base, row + 1), has_conflict
end

return M
