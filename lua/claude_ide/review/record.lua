--- The hunks that the user has reverted and restored, for the agent that made the changes.
local current = require('claude_ide.review.current')
local review_hunks = require('claude_ide.review.hunks')

local M = {}

local records = {} ---@type table<string, table<string, claude_ide.ReviewHunk>> by source and change

local seen = {} ---@type table<string, table<string, true>> by source and change

-- The same change in different reviews.
local function key(hunk)
  local rows = ('%d %d'):format(hunk.old[1], hunk.new[1])
  return table.concat({ hunk.file.path, hunk.kind, rows, unpack(review_hunks.diff(hunk, 0)) }, '\n')
end

--- Note hunks that the user has seen.
---@param source string
---@param hunks claude_ide.ReviewHunk[]
function M.mark_seen(source, hunks)
  seen[source] = seen[source] or {}
  for _, hunk in ipairs(hunks) do
    seen[source][key(hunk)] = true
  end
end

--- Whether the user has marked a hunk as seen, in any review of the same source.
---@param source string
---@param hunk claude_ide.ReviewHunk
---@return boolean
function M.is_seen(source, hunk)
  return seen[source] ~= nil and seen[source][key(hunk)] == true
end

--- Record hunks that the user has reverted or restored.
---@param source string
---@param hunks claude_ide.ReviewHunk[]
function M.add(source, hunks)
  records[source] = records[source] or {}
  for _, hunk in ipairs(hunks) do
    local known = key(hunk)
    records[source][known] = records[source][known] or hunk
  end
end

local WORDS = {
  created = { reverted = 'deleted; you had created it', restored = 'created again' },
  deleted = { reverted = 'restored; you had deleted it', restored = 'deleted again' },
}

local function described(hunk, what)
  local words = WORDS[hunk.kind]
  if words then
    return words[what]
  end
  local shown = what == 'reverted' and review_hunks.reversed(hunk) or hunk
  return '\n' .. table.concat(review_hunks.diff(shown, 0), '\n')
end

--- The news for the agent: hunks that are reverted now, and those that no longer are.
---@param source string
---@return { reverted: table[], restored: table[] } each with `name` and `what`
function M.news(source)
  local news, files = { reverted = {}, restored = {} }, {}
  for _, hunk in pairs(records[source] or {}) do
    files[hunk.file] = files[hunk.file] or current.compared(hunk.file)
    local is_reverted = review_hunks.find(hunk, files[hunk.file]).state ~= 'present'
    if is_reverted ~= (hunk.was_reverted or false) then
      local what = is_reverted and 'reverted' or 'restored'
      table.insert(news[what], { name = hunk.file.name, what = described(hunk, what) })
    end
    hunk.is_reverted = is_reverted
  end
  return news
end

--- Note that the agent has got the last `news`.
---@param source string
function M.mark_reported(source)
  for _, hunk in pairs(records[source] or {}) do
    hunk.was_reverted = hunk.is_reverted
  end
end

return M
