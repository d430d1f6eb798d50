--- The hunks of a changed file, and where they are in its current text.
local buffer_text = require('claude_ide.file.text')
local plain = require('claude_ide.messages.plain')
local rebase = require('claude_ide.file.rebase')

local M = {}

local CONTEXT = 3 -- lines
local MOST_HUNKS = 1000 -- of one file; more become a single one
local MOST_SHOWN = 400 -- lines of one hunk

---@class claude_ide.FileChange from `review/reviews.py`
---@field path string absolute, without links
---@field name string as shown to the user
---@field before? string
---@field after? string
---@field had_file boolean
---@field has_file boolean
---@field obstacle string why a text is unknown; empty if both are known

---@alias claude_ide.ReviewKind 'lines'|'format'|'created'|'deleted'|'unknown'
---@alias claude_ide.ReviewState 'present'|'reverted'|'changed'

---@class claude_ide.ReviewHunk
---@field file claude_ide.ReviewFile
---@field kind claude_ide.ReviewKind
---@field old integer[] first row, 0-based, and end-exclusive last row of the text before
---@field new integer[] the same of the text after
---@field was_reverted? boolean what the agent knows
---@field is_reverted? boolean what the last news for the agent says

---@class claude_ide.ReviewFile
---@field path string
---@field name string
---@field obstacle string
---@field before claude_ide.FileText
---@field after claude_ide.FileText
---@field hunks claude_ide.ReviewHunk[]
---@field comparison? claude_ide.ReviewComparison with the current text, for the next list of hunks
---@field differences? claude_ide.Hunk[] of both texts, if both have lines

local function given(value)
  return value ~= vim.NIL and value or nil
end

local function all_rows(text)
  return { 0, #text.lines }
end

local function has_same_format(text, other)
  return vim.iter(buffer_text.FORMAT):all(function(name)
    return text[name] == other[name]
  end)
end

-- The differ regards a text without lines as one empty line.
local function differences(file)
  local before, after = file.before, file.after
  if #before.lines == 0 or #after.lines == 0 then
    local has_none = #before.lines == #after.lines
    return has_none and {} or { { old = all_rows(before), new = all_rows(after) } }
  end
  local hunks = rebase.hunks(before.lines, after.lines)
  file.differences = hunks
  if #hunks > MOST_HUNKS then
    return { { old = all_rows(before), new = all_rows(after) } }
  end
  return vim.tbl_map(function(hunk)
    return { old = { rebase.rows(hunk[1], hunk[2]) }, new = { rebase.rows(hunk[3], hunk[4]) } }
  end, hunks)
end

local function line_hunks(file)
  local found = differences(file)
  for _, hunk in ipairs(found) do
    hunk.kind = 'lines'
  end
  if not has_same_format(file.before, file.after) then
    local old, new = #file.before.lines, #file.after.lines
    table.insert(found, { kind = 'format', old = { old, old }, new = { new, new } })
  end
  return found
end

local function kind_of(change)
  if change.obstacle ~= '' then
    return 'unknown'
  elseif not change.has_file then
    return 'deleted'
  end
  return not change.had_file and 'created' or nil
end

--- Find the hunks of a changed file.
---@param change claude_ide.FileChange
---@return claude_ide.ReviewFile
function M.of(change)
  ---@type claude_ide.ReviewFile
  local file = {
    path = change.path,
    name = change.name,
    obstacle = change.obstacle,
    before = buffer_text.parse(given(change.before) or ''),
    after = buffer_text.parse(given(change.after) or ''),
    hunks = {},
  }
  local kind = kind_of(change)
  local whole = { kind = kind, old = all_rows(file.before), new = all_rows(file.after) }
  file.hunks = kind and { whole } or line_hunks(file)
  for _, hunk in ipairs(file.hunks) do
    hunk.file = file
  end
  return file
end

-- Whether rows of a text are unchanged, with nothing inserted at their ends.
local function is_untouched(hunks, first, last)
  return not vim.iter(hunks):any(function(hunk)
    local from, to = rebase.rows(hunk[1], hunk[2])
    return from <= last and to >= first
  end)
end

---@class claude_ide.ReviewPosition
---@field state claude_ide.ReviewState
---@field first integer row, 0-based, of the lines in the current text
---@field last integer end-exclusive
---@field is_edited? boolean for a file that is wholly of the change: it has another text since

---@class claude_ide.ReviewComparison the current text of a file, compared with both reviewed texts
---@field now? claude_ide.FileText nil if there is no file
---@field before claude_ide.Hunk[]
---@field after claude_ide.Hunk[]
---@field refusal? string why the file must not be opened

local function are_same(lines, others)
  for index, line in ipairs(lines) do
    if line ~= others[index] then
      return false
    end
  end
  return #lines == #others
end

local function is_same_text(text, other)
  return are_same(text.lines, other.lines) and has_same_format(text, other)
end

--- Compare the reviewed texts of a file with its current text.
---@param file claude_ide.ReviewFile
---@param now? claude_ide.FileText nil if there is no file
---@return claude_ide.ReviewComparison
function M.compare(file, now)
  local known = file.differences
  if now and known and are_same(now.lines, file.after.lines) then
    return { now = now, before = known, after = {} }
  end
  return {
    now = now,
    before = now and rebase.hunks(file.before.lines, now.lines) or {},
    after = now and rebase.hunks(file.after.lines, now.lines) or {},
  }
end

--- The text of a file that was created or deleted, while it exists.
---@param hunk claude_ide.ReviewHunk
---@return claude_ide.FileText
function M.whole(hunk)
  return hunk.kind == 'created' and hunk.file.after or hunk.file.before
end

local function find_whole(hunk, now)
  local existing, missing = 'present', 'reverted'
  if hunk.kind == 'deleted' then
    existing, missing = missing, existing
  end
  if not now then
    return { state = missing, first = 0, last = 0 }
  end
  local is_edited = not is_same_text(now, M.whole(hunk))
  return { state = existing, first = 0, last = #now.lines, is_edited = is_edited }
end

---@return claude_ide.ReviewPosition?
local function located(comparison, hunk, side)
  local span = side == 'after' and hunk.new or hunk.old
  local first, last = rebase.shifted(comparison[side], span[1], span[2])
  if first and last then
    return { state = side == 'after' and 'present' or 'reverted', first = first, last = last }
  end
end

local function is_empty(span)
  return span[1] == span[2]
end

-- A side without lines fits anywhere, so the other side decides.
local function find_lines(hunk, comparison)
  local found
  if is_empty(hunk.old) then
    found = located(comparison, hunk, 'after')
    if not found and is_untouched(comparison.before, hunk.old[1], hunk.old[2]) then
      found = located(comparison, hunk, 'before')
    end
  else
    found = located(comparison, hunk, 'before') or located(comparison, hunk, 'after')
  end
  local row = math.min(hunk.new[1], math.max(#comparison.now.lines - 1, 0))
  return found or { state = 'changed', first = row, last = row }
end

local function find_format(hunk, comparison)
  local now, file = comparison.now, hunk.file
  local last = math.max(#now.lines - 1, 0)
  local state = has_same_format(now, file.after) and 'present'
    or has_same_format(now, file.before) and 'reverted'
    or 'changed'
  return { state = state, first = last, last = last }
end

--- Find a hunk in the current text of its file.
---@param hunk claude_ide.ReviewHunk
---@param comparison claude_ide.ReviewComparison
---@return claude_ide.ReviewPosition
function M.find(hunk, comparison)
  local now = comparison.now
  if hunk.kind == 'created' or hunk.kind == 'deleted' then
    return find_whole(hunk, now)
  elseif hunk.kind == 'unknown' or not now then
    return { state = 'changed', first = 0, last = 0 }
  end
  return (hunk.kind == 'format' and find_format or find_lines)(hunk, comparison)
end

local function lines_of(text, span)
  return vim.list_slice(text.lines, span[1] + 1, span[2])
end

--- The lines of a hunk before the change.
---@param hunk claude_ide.ReviewHunk
---@return string[]
function M.old_lines(hunk)
  return lines_of(hunk.file.before, hunk.old)
end

--- The lines of a hunk after the change.
---@param hunk claude_ide.ReviewHunk
---@return string[]
function M.new_lines(hunk)
  return lines_of(hunk.file.after, hunk.new)
end

local function format_summary(before, after)
  local words = {}
  if before.fileformat ~= after.fileformat then
    table.insert(words, before.fileformat == 'dos' and 'CRLF → LF' or 'LF → CRLF')
  end
  if before.bomb ~= after.bomb then
    table.insert(words, after.bomb and 'byte order mark added' or 'byte order mark removed')
  end
  if before.endofline ~= after.endofline then
    table.insert(words, after.endofline and 'last line end added' or 'last line end removed')
  end
  return table.concat(words, ', ')
end

local function first_words(lines)
  local words = vim.iter(lines):map(vim.trim):find(function(line)
    return line ~= ''
  end)
  return plain.one_line(words or '')
end

--- How many lines a hunk has added and removed.
---@param hunk claude_ide.ReviewHunk
---@return integer added
---@return integer removed
function M.sizes(hunk)
  return hunk.new[2] - hunk.new[1], hunk.old[2] - hunk.old[1]
end

--- A hunk in one line: its size, and its first line.
---@param hunk claude_ide.ReviewHunk
---@return string
function M.summary(hunk)
  if hunk.kind == 'unknown' then
    return ('changed; its lines are unknown: %s'):format(hunk.file.obstacle)
  elseif hunk.kind == 'format' then
    return format_summary(hunk.file.before, hunk.file.after)
  end
  local added, removed = M.sizes(hunk)
  local lines = added > 0 and M.new_lines(hunk) or M.old_lines(hunk)
  local what = hunk.kind == 'lines' and first_words(lines)
    or hunk.kind == 'created' and 'new file'
    or 'deleted file'
  return ('+%d −%d  %s'):format(added, removed, what)
end

local function signed(sign, lines)
  return vim.tbl_map(function(line)
    return sign .. plain.harmless(line)
  end, lines)
end

local function span_name(span)
  local count = span[2] - span[1]
  return ('%d,%d'):format(count == 0 and span[1] or span[1] + 1, count)
end

--- A hunk as a unified diff, cut if it is very long.
---@param hunk claude_ide.ReviewHunk
---@param context? integer lines around it
---@return string[]
function M.diff(hunk, context)
  if hunk.kind == 'unknown' or hunk.kind == 'format' then
    return { M.summary(hunk) }
  end
  context = context or CONTEXT
  local before = hunk.file.before.lines
  local first = math.max(hunk.old[1] - context, 0)
  local last = math.min(hunk.old[2] + context, #before)
  local old = { first, last }
  local new = { first + hunk.new[1] - hunk.old[1], last + hunk.new[2] - hunk.old[2] }
  local lines = { ('@@ -%s +%s @@'):format(span_name(old), span_name(new)) }
  vim.list_extend(lines, signed(' ', vim.list_slice(before, first + 1, hunk.old[1])))
  vim.list_extend(lines, signed('-', M.old_lines(hunk)))
  vim.list_extend(lines, signed('+', M.new_lines(hunk)))
  vim.list_extend(lines, signed(' ', vim.list_slice(before, hunk.old[2] + 1, last)))
  if #lines <= MOST_SHOWN then
    return lines
  end
  local more = ('… %d more lines'):format(#lines - MOST_SHOWN)
  return vim.list_extend(vim.list_slice(lines, 1, MOST_SHOWN), { more })
end

--- The hunk that undoes a hunk.
---@param hunk claude_ide.ReviewHunk
---@return claude_ide.ReviewHunk
function M.reversed(hunk)
  local file = vim.tbl_extend('force', hunk.file, {
    before = hunk.file.after,
    after = hunk.file.before,
  })
  local sides = { file = file, old = hunk.new, new = hunk.old }
  return vim.tbl_extend('force', hunk, sides) --[[@as claude_ide.ReviewHunk]]
end

return M
