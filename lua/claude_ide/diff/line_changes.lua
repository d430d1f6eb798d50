--- What has changed within lines: Neovim's differ compares their words.
local rebase = require('claude_ide.file.rebase')

local M = {}

local LARGEST_HUNK = 100 -- lines
local LONGEST_LINE = 500 -- bytes
local LEAST_COMMON = 0.3 -- of the longer line; lines with less in common are different lines

--- Byte columns by row, ends exclusive.
---@alias claude_ide.LineSpans table<integer, { [1]: integer, [2]: integer }[]>

-- A word, a run of white space, or one other character.
local function words(line)
  local found, column = {}, 1
  while column <= #line do
    local _, last = line:find('^[%w_\128-\255]+', column)
    if not last then
      _, last = line:find('^%s+', column)
    end
    last = last or column
    found[#found + 1] = line:sub(column, last)
    column = last + 1
  end
  return found
end

-- The byte columns between words, and where each of them starts.
local function starts(list)
  local columns, column = {}, 0
  for index, word in ipairs(list) do
    columns[index] = column
    column = column + #word
  end
  columns[#list + 1] = column
  return columns
end

local function spans(columns, hunks, side)
  local found, bytes = {}, 0
  for _, hunk in ipairs(hunks) do
    local first, last = rebase.rows(hunk[side], hunk[side + 1])
    if last > first then
      table.insert(found, { columns[first + 1], columns[last + 1] })
      bytes = bytes + columns[last + 1] - columns[first + 1]
    end
  end
  return found, bytes
end

local function compare(old, new)
  if old == '' or new == '' or math.max(#old, #new) > LONGEST_LINE then
    return nil
  end
  local before, after = words(old), words(new)
  local hunks = rebase.hunks(before, after)
  local removed, gone = spans(starts(before), hunks, 1)
  local added, come = spans(starts(after), hunks, 3)
  local common = math.max(#old - gone, #new - come)
  if common < LEAST_COMMON * math.max(#old, #new) then
    return nil
  end
  return removed, added
end

-- Which lines belong together: pairs of indexes.
local function pairs_of(old, new)
  local found = {}
  local hunks = #old == #new and { { 1, #old, 1, #new } }
    or rebase.hunks(old, new, { linematch = 60 })
  for _, hunk in ipairs(hunks) do
    for offset = 0, math.min(hunk[2], hunk[4]) - 1 do
      table.insert(found, { hunk[1] + offset, hunk[3] + offset })
    end
  end
  return found
end

--- The parts of lines that two versions of them do not have in common.
---@param old string[]
---@param new string[]
---@return claude_ide.LineSpans removed by index in `old`
---@return claude_ide.LineSpans added by index in `new`
function M.of(old, new)
  local removed, added = {}, {}
  if #old == 0 or #new == 0 or #old + #new > 2 * LARGEST_HUNK then
    return removed, added
  end
  for _, pair in ipairs(pairs_of(old, new)) do
    local before, after = unpack(pair)
    removed[before], added[after] = compare(old[before], new[after])
  end
  return removed, added
end

return M
