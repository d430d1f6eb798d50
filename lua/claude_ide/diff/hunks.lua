--- The hunks of a proposal: where they are, and which of them stand.
---
--- A hunk is dropped by putting the old lines into the proposal's text. The text alone says which hunks are
--- dropped, so `u` undoes a decision, and `do` makes one. Extmarks follow the hunks through the user's edits.
---
--- A proposal can have several versions, each of which is one undo step. One that was undone does not count.
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local quiet = require('claude_ide.messages.quiet')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_diff_hunks')
local namespace = api.nvim_create_namespace('claude_ide_hunks')

--- A hunk of the agent. All rows are 0-based, ends exclusive.
---@class claude_ide.ProposedHunk
---@field old integer[] rows of the text before
---@field new integer[] rows of the text as proposed
---@field mark? integer extmark over its rows in the current text

--- A hunk as it is now: one of the agent, changes of the user, or both if no line separates them.
---@class claude_ide.CurrentHunk: claude_ide.ProposedHunk
---@field now integer[] rows of the current text
---@field parts claude_ide.ProposedHunk[] those of the agent
---@field is_dropped boolean whether it has the old lines

--- A version of a proposal.
---@class claude_ide.ProposedHunks
---@field number integer from 1
---@field seq integer of the change to this version, in the buffer's undo tree
---@field old string[] the lines before
---@field new string[] the lines as proposed
---@field ends { old: boolean, new: boolean } 'endofline' of both texts
---@field nothing? string the text as proposed if it has no line
---@field options table of the differ
---@field hunks claude_ide.ProposedHunk[]
---@field tick? integer when `current` was computed
---@field current? claude_ide.CurrentHunk[]

---@type table<integer, claude_ide.ProposedHunks[]> versions, oldest first, by the buffer of the proposal
local tracked = {}

-- The options of the differ that 'diffopt' asks for. "linematch" is left out: it aligns lines within a hunk,
-- and as an option of the differ it would divide the hunk.
local FLAGS = {
  iblank = 'ignore_blank_lines',
  iwhite = 'ignore_whitespace_change',
  iwhiteall = 'ignore_whitespace',
  iwhiteeol = 'ignore_whitespace_change_at_eol',
  ['indent-heuristic'] = 'indent_heuristic',
}

local function differ_options()
  local options = { algorithm = vim.o.diffopt:match('algorithm:([^,]+)') }
  for _, item in ipairs(vim.split(vim.o.diffopt, ',')) do
    if FLAGS[item] then
      options[FLAGS[item]] = true
    end
  end
  return options
end

local function undo_tree(bufnr)
  return api.nvim_buf_call(bufnr, vim.fn.undotree)
end

-- The version of a proposal that the current text is based on: the last one whose change precedes the current
-- one in this branch of the undo tree.
---@return claude_ide.ProposedHunks? nil if it is no proposal
local function version_of(bufnr)
  local versions = tracked[bufnr] or {}
  local tree = #versions > 1 and undo_tree(bufnr)
  for index = #versions, 2, -1 do
    local seq = versions[index].seq
    local is_applied = seq <= tree.seq_cur
      and vim.iter(tree.entries):any(function(entry)
        return entry.seq == seq
      end)
    if is_applied then
      return versions[index]
    end
  end
  return versions[1]
end

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

local function has_same_rows(one, first, last, other, start)
  for index = 1, last - first do
    if one[first + index] ~= other[start + index] then
      return false
    end
  end
  return true
end

-- The differ regards a text without lines as one empty line, which can be like a line of the other text.
local function is_blank(lines)
  return #lines == 0 or (#lines == 1 and lines[1] == '')
end

local function differences(old, new, options, is_whole)
  local whole = { { math.min(1, #old), #old, math.min(1, #new), #new } }
  return vim.tbl_map(function(hunk)
    return { old = { rebase.rows(hunk[1], hunk[2]) }, new = { rebase.rows(hunk[3], hunk[4]) } }
  end, is_whole and whole or rebase.hunks(old, new, options))
end

local function place(bufnr, hunk, first, last)
  hunk.mark = api.nvim_buf_set_extmark(bufnr, namespace, first, 0, {
    id = hunk.mark,
    end_row = last,
    end_col = 0,
    right_gravity = false,
    end_right_gravity = true,
  })
end

local function place_all(bufnr, texts)
  for _, hunk in ipairs(texts.hunks) do
    place(bufnr, hunk, hunk.new[1], hunk.new[2])
  end
  texts.tick = nil
end

-- The rows of a hunk in the current text, which are not above `least`.
local function rows_now(bufnr, hunk, least)
  local first, _, details =
    unpack(api.nvim_buf_get_extmark_by_id(bufnr, namespace, hunk.mark, { details = true }))
  local last = details.end_row + (details.end_col > 0 and 1 or 0)
  first = math.max(first, least)
  return { first, math.max(first, last) }
end

-- What has changed in the text before: the hunks of the agent, and between them the changes of the user.
local function all_changes(bufnr, texts, lines)
  local found, old, new, now = {}, 0, 0, 0
  local function add_own(old_end, now_end)
    if old_end - old == now_end - now and has_same_rows(texts.old, old, old_end, lines, now) then
      return
    end
    local before = vim.list_slice(texts.old, old + 1, old_end)
    local after = vim.list_slice(lines, now + 1, now_end)
    local is_whole = #before == 0 or #after == 0
    for _, hunk in ipairs(differences(before, after, texts.options, is_whole)) do
      table.insert(found, {
        old = { hunk.old[1] + old, hunk.old[2] + old },
        new = { hunk.old[1] + new, hunk.old[2] + new },
        now = { hunk.new[1] + now, hunk.new[2] + now },
        parts = {},
      })
    end
  end
  for _, hunk in ipairs(texts.hunks) do
    local rows = rows_now(bufnr, hunk, now)
    add_own(hunk.old[1], rows[1])
    table.insert(found, { old = hunk.old, new = hunk.new, now = rows, parts = { hunk } })
    old, new, now = hunk.old[2], hunk.new[2], rows[2]
  end
  add_own(#texts.old, #lines)
  return found
end

-- Without a line between them, two changes cannot be told apart.
local function joined(changes)
  local groups = {}
  for _, change in ipairs(changes) do
    local last = groups[#groups]
    if last and change.now[1] <= last.now[2] then
      for _, side in ipairs({ 'old', 'new', 'now' }) do
        last[side] = { last[side][1], math.max(last[side][2], change[side][2]) }
      end
      vim.list_extend(last.parts, change.parts)
    else
      table.insert(groups, change)
    end
  end
  return groups
end

local function refresh(bufnr, texts, lines)
  texts.current = joined(all_changes(bufnr, texts, lines))
  for _, hunk in ipairs(texts.current) do
    local first, last = unpack(hunk.now)
    hunk.is_dropped = #hunk.parts > 0
      and hunk.old[2] - hunk.old[1] == last - first
      and has_same_rows(lines, first, last, texts.old, hunk.old[1])
  end
  texts.tick = api.nvim_buf_get_changedtick(bufnr)
end

local function add_version(bufnr, old, old_eol)
  local versions, options, new = tracked[bufnr], differ_options(), lines_of(bufnr)
  local texts = {
    number = #versions > 0 and versions[#versions].number + 1 or 1,
    seq = undo_tree(bufnr).seq_cur,
    old = old,
    new = new,
    ends = { old = old_eol, new = vim.bo[bufnr].endofline },
    nothing = is_blank(new) and buffer_text.get(bufnr) or nil,
    options = options,
    hunks = differences(old, new, options, is_blank(old) ~= is_blank(new)),
  }
  table.insert(versions, texts)
  place_all(bufnr, texts)
  refresh(bufnr, texts, new)
end

--- Find the hunks of a proposal, and follow them until its buffer is gone.
---@param bufnr integer the proposal
---@param original integer the buffer that it is compared with
---@return string[] old its lines
function M.track(bufnr, original)
  tracked[bufnr] = {}
  local old = lines_of(original)
  add_version(bufnr, old, vim.bo[original].endofline)
  on('BufWipeout', bufnr, function()
    tracked[bufnr] = nil
  end)
  -- `:edit!` has restored the text of the last version, removed the undo tree, and moved all marks.
  on('BufReadCmd', bufnr, function()
    local versions = tracked[bufnr]
    tracked[bufnr] = { versions[#versions] }
    place_all(bufnr, versions[#versions])
  end)
  return old
end

--- Replace the text of a proposal by its next version, from whoever has proposed the change: one undo step
--- in the same diff.
---@param diff claude_ide.Diff
---@param lines string[]
---@return integer version its number (`M.version`)
function M.revise(diff, lines)
  local bufnr, texts = diff.bufnr, assert(version_of(diff.bufnr))
  quiet.run(function()
    require('claude_ide.file.edit').change(bufnr, lines)
    add_version(bufnr, texts.old, texts.ends.old)
    for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
      if vim.wo[win].diff then
        -- Otherwise Neovim 0.12 would keep the old folds.
        api.nvim_win_call(win, vim.cmd.diffupdate)
      end
    end
    vim.cmd.redrawstatus({ bang = true })
  end)
  diff.text = buffer_text.get(bufnr)
  return M.version(bufnr)
end

--- The number of the version that the current text is based on.
---@type fun(bufnr: integer): integer
function M.version(bufnr)
  return assert(version_of(bufnr)).number
end

--- The hunks of a proposal, in order. Empty for any other buffer.
---@type fun(bufnr: integer): claude_ide.CurrentHunk[]
function M.list(bufnr)
  local texts = version_of(bufnr)
  if not (texts and api.nvim_buf_is_loaded(bufnr)) then
    return {}
  end
  if texts.tick ~= api.nvim_buf_get_changedtick(bufnr) then
    refresh(bufnr, texts, lines_of(bufnr))
  end
  return texts.current
end

--- Whether a buffer is a proposal whose hunks are known.
---@type fun(bufnr: integer): boolean
function M.is_tracked(bufnr)
  return tracked[bufnr] ~= nil
end

--- The row that the cursor has in a hunk: its first one, or the row below removed lines.
---@type fun(bufnr: integer, hunk: claude_ide.CurrentHunk): integer
function M.row(bufnr, hunk)
  return math.min(hunk.now[1], api.nvim_buf_line_count(bufnr) - 1)
end

--- The lines that a hunk replaces.
---@type fun(bufnr: integer, hunk: claude_ide.CurrentHunk): string[]
function M.old_lines(bufnr, hunk)
  return vim.list_slice(tracked[bufnr][1].old, hunk.old[1] + 1, hunk.old[2])
end

--- The indexes of the hunks that rows touch. A hunk without lines is touched by the rows around it, unless
--- they have a hunk themselves.
---@param bufnr integer
---@param first integer 0-based
---@param last integer exclusive
---@return integer[]
function M.at(bufnr, first, last)
  local covered, touched = {}, {}
  for index, hunk in ipairs(M.list(bufnr)) do
    local from, to = unpack(hunk.now)
    local is_covered = from < last and to > first
    covered[#covered + 1] = is_covered and index or nil
    if is_covered or (from == to and from >= first and from <= last) then
      table.insert(touched, index)
    end
  end
  return (last - first > 1 or #covered == 0) and touched or covered
end

local function put(bufnr, hunk, side)
  local lines, span = assert(version_of(bufnr))[side], hunk[side]
  local first, last = unpack(hunk.now)
  api.nvim_buf_set_lines(bufnr, first, last, true, vim.list_slice(lines, span[1] + 1, span[2]))
  for _, part in ipairs(hunk.parts) do
    local from, to = part[side][1] - span[1], part[side][2] - span[1]
    place(bufnr, part, first + from, first + to)
  end
end

--- Decide hunks, in one undo step.
---@param bufnr integer
---@param indexes integer[] in ascending order
---@param is_dropped boolean
---@return integer count how many were not decided so before
function M.decide(bufnr, indexes, is_dropped)
  local list, count = M.list(bufnr), 0
  -- From below: the rows above stay where they are.
  for position = #indexes, 1, -1 do
    local hunk = list[indexes[position]]
    if hunk.is_dropped ~= is_dropped and (is_dropped or #hunk.parts > 0) then
      put(bufnr, hunk, is_dropped and 'old' or 'new')
      count = count + 1
    end
  end
  return count
end

--- Whether the user has dropped the whole change.
---@type fun(bufnr: integer): boolean
function M.are_all_dropped(bufnr)
  local list = M.list(bufnr)
  return #list > 0 and vim.iter(list):all(function(hunk)
    return hunk.is_dropped
  end)
end

--- The text of a proposal without what was dropped.
---
--- Raises an error if it cannot be read.
---@type fun(bufnr: integer): string
function M.text(bufnr)
  local texts, options, list = version_of(bufnr), vim.bo[bufnr], M.list(bufnr)
  local last = list[#list]
  local has_dropped_end = last
    and last.is_dropped
    and last.old[2] == #texts.old
    and last.new[2] == #texts.new
  if has_dropped_end and options.endofline == texts.ends.new then
    -- A line feed at the end belongs to the hunk there, although 'endofline' has no undo.
    options.endofline = texts.ends.old
  elseif texts and texts.nothing and is_blank(lines_of(bufnr)) then
    -- Undo brings back an empty line instead of no line.
    return texts.nothing
  end
  return buffer_text.get(bufnr)
end

return M
