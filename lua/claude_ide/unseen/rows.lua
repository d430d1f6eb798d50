--- Which rows of a text an agent has written: those of a write, and where they are in a later text.
local rebase = require('claude_ide.file.rebase')

local M = {}

local MOST = 10000 -- rows of one text
local NEAR = 100 -- lines around the place of a hunk in which its lines are searched

--- What an agent has done at a row: it has written this line, or removed the lines below or above it.
---@alias claude_ide.WrittenKind 'written'|'removed'|'removed_above'

---@alias claude_ide.WrittenRows table<integer, claude_ide.WrittenKind> by row, 0-based

--- The rows that hunks have changed.
---@param hunks claude_ide.Hunk[]
---@return claude_ide.WrittenRows
function M.of_hunks(hunks)
  local rows, count = {}, 0
  for _, hunk in ipairs(hunks) do
    local start, added = hunk[3], hunk[4]
    if added == 0 then
      local row = math.max(start - 1, 0)
      rows[row] = rows[row] or (start == 0 and 'removed_above' or 'removed')
    end
    for row = start - 1, start + added - 2 do
      rows[row] = 'written'
    end
    count = count + math.max(added, 1)
    if count > MOST then
      break
    end
  end
  return rows
end

---@param hunks claude_ide.Hunk[] from an earlier text to a later one
---@param row integer of the earlier text
---@param kind claude_ide.WrittenKind
---@param count integer the number of lines of the earlier text
---@return integer? row nil if this place has changed
local function moved(hunks, row, kind, count)
  -- A removal shows only between two lines: once there is another line between them, it is undone.
  local last = kind == 'removed' and math.min(row + 2, count) or row + 1
  local now = rebase.shifted(hunks, row, last)
  return (kind ~= 'removed_above' or now == 0) and now or nil
end

local function are_same(lines, others)
  if #lines ~= #others then
    return false
  end
  for index, line in ipairs(lines) do
    if line ~= others[index] then
      return false
    end
  end
  return true
end

--- Where rows of an earlier text are in a later one. Rows whose lines have changed are omitted.
---@param rows claude_ide.WrittenRows
---@param earlier string[]
---@param later string[]
---@return claude_ide.WrittenRows
function M.shifted(rows, earlier, later)
  if are_same(earlier, later) then
    return rows
  end
  local hunks, found = rebase.hunks(earlier, later), {}
  for row, kind in pairs(rows) do
    local now = moved(hunks, row, kind, #earlier)
    if now then
      found[now] = kind
    end
  end
  return found
end

---@class claude_ide.HunkLines the lines of a reported hunk after the change
---@field lines string[]
---@field rows claude_ide.WrittenRows of these lines

---@param hunk claude_ide.ChangedHunk
---@return claude_ide.HunkLines
local function parsed(hunk)
  local old, new = {}, {}
  for _, line in ipairs(hunk.lines) do
    -- An agent may report other line ends than those of the file.
    local sign, text = line:sub(1, 1), line:sub(2):gsub('\r$', '')
    if sign == ' ' or sign == '-' then
      table.insert(old, text)
    end
    if sign == ' ' or sign == '+' then
      table.insert(new, text)
    end
  end
  -- The differ regards a text without lines as one empty line.
  local hunks = #new == 0 and {} or #old == 0 and { { 0, 0, 1, #new } } or rebase.hunks(old, new)
  return { lines = new, rows = M.of_hunks(hunks) }
end

local function is_at(lines, wanted, first)
  for index, line in ipairs(wanted) do
    if lines[first + index] ~= line then
      return false
    end
  end
  return true
end

-- The row at which some lines are in a text: the one that is nearest to where they should be.
---@return integer? first 0-based
local function nearest(lines, wanted, expected)
  local last = #lines - #wanted
  for distance = 0, math.max(expected, last - expected) do
    for _, first in ipairs({ expected + distance, expected - distance }) do
      if first >= 0 and first <= last and is_at(lines, wanted, first) then
        return first
      end
    end
  end
end

local function put(found, row, kind)
  if kind == 'removed_above' and row > 0 then
    row, kind = row - 1, 'removed'
  end
  if kind == 'written' or not found[row] then
    found[row] = kind
  end
end

-- Where the lines of a hunk are, if some of them have changed since.
---@param block claude_ide.HunkLines
local function put_remaining(found, lines, block, expected)
  local first = math.max(expected - NEAR, 0)
  local around = vim.list_slice(lines, first + 1, expected + #block.lines + NEAR)
  for row, kind in pairs(M.shifted(block.rows, block.lines, around)) do
    put(found, first + row, kind)
  end
end

--- The rows that an agent reports to have changed. The text may have changed since: another write may have
--- followed, or a formatter.
---@param hunks claude_ide.ChangedHunk[]
---@param lines string[] the present text
---@return claude_ide.WrittenRows
function M.of_reported(hunks, lines)
  local found = {}
  for _, hunk in ipairs(hunks) do
    local block = parsed(hunk)
    local expected = math.max(hunk.new_start - 1, 0)
    local first = #block.lines > 0 and nearest(lines, block.lines, expected)
    if first then
      for row, kind in pairs(block.rows) do
        put(found, first + row, kind)
      end
    elseif #block.lines > 0 then
      put_remaining(found, lines, block, expected)
    end
  end
  return found
end

return M
